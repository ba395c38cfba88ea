// Reads the PTX texts in a fat binary that nvcc embeds in an object, uncompressed (--no-compress).
#pragma once

#include <string>
#include <vector>

namespace dragoman::ptx {

// Returns the PTX texts of the binary to which `wrapper`, the argument of __cudaRegisterFatBinary,
// points. Throws BadProgram if this is no fat binary or a text is compressed.
std::vector<std::string> PtxTexts(const void* wrapper);

}  // namespace dragoman::ptx
