// The PTX texts in a fat binary as nvcc embeds it in an object, uncompressed (--no-compress).
#pragma once

#include <string>
#include <vector>

namespace dragoman::ptx {

// Returns those of the binary that a wrapper, the argument of __cudaRegisterFatBinary, points at. Throws
// BadProgram for what is not one, and where a text is compressed.
std::vector<std::string> PtxTexts(const void* wrapper);

}  // namespace dragoman::ptx
