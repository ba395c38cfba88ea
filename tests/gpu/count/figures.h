// Registers and warps of kernels by architecture ("90a"), as machine_code.py --figures writes them.
#pragma once

#include <map>
#include <string>

#include "tests/gpu/count/counted_step.h"

namespace dragoman::bench {

using FiguresByArchitecture = std::map<std::string, FiguresByKernel, std::less<>>;

// None where there is no such file. Ends the process where the file is not one of figures.
FiguresByArchitecture ReadFigures(const std::string& path);

// The figures of one architecture; empty where the file has none for it.
const FiguresByKernel& FiguresOf(const FiguresByArchitecture& figures,
                                 std::string_view architecture);

}  // namespace dragoman::bench
