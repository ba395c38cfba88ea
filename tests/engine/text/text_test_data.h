// Inputs shared by the tests of engine/text.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace dragoman::engine {

// Reads a file of the source tree ("deploy/models/de-en/source.spm"). Fails the test on an error.
std::string ReadSourceFile(const std::string& path);

// Returns the non-empty lines of tests/data/german.txt and paragraphs.txt.
std::vector<std::string> GermanLines();

// Returns `size` code points of many kinds: letters of several scripts, all kinds of spaces,
// punctuation, full-width forms, ligatures, combining and zero-width characters, emoji, controls.
std::string RandomText(std::mt19937& random, int size);

}  // namespace dragoman::engine
