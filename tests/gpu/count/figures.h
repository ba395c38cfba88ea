// Registers and warps of kernels by architecture ("90a"), in the format of machine_code.py
// --figures.
#pragma once

#include <map>
#include <string>

#include "tests/gpu/count/counted_step.h"

namespace dragoman::bench {

using FiguresByArchitecture = std::map<std::string, FiguresByKernel, std::less<>>;

// Returns no figures if the file does not exist. Ends the process if the file has another format.
FiguresByArchitecture ReadFigures(const std::string& path);

// Returns the figures of one architecture, or none if the file does not contain the architecture.
const FiguresByKernel& FiguresOf(const FiguresByArchitecture& figures,
                                 std::string_view architecture);

}  // namespace dragoman::bench
