// Inputs shared by the tests of engine/text.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace dragoman::engine {

// The bytes of a file of the source tree ("deploy/models/de-en/source.spm"); fails the test if it
// cannot be read.
std::string ReadSourceFile(const std::string& path);

// The lines of tests/data/german.txt and paragraphs.txt that are not empty.
std::vector<std::string> GermanLines();

// `size` code points of many kinds: letters of several scripts, spaces of all sorts, punctuation,
// full-width forms, ligatures, combining and zero-width characters, emoji, controls.
std::string RandomText(std::mt19937& random, int size);

}  // namespace dragoman::engine
