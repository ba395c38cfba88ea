// Kernels for tests, given by the text of their bodies. Each runs on the interpreter, and the test
// gets its findings and its output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/ptx/launch.h"
#include "tests/gpu/ptx/report.h"

namespace dragoman::ptx {

// Returns a module for sm_90a with one entry, `test`, with the parameters .u64 in, .u64 out, .u32
// count. The text declares %p<32>, %rs<64>, %r<256>, %rd<64>, %f<256>, %fd<8> and sets %rd1 = in,
// %rd2 = out, %r1 = count, %r2 = %tid.x, %r3 = %ctaid.x. `declarations` (.shared and the like)
// precede the body. `directives` (.maxntid and the like) precede the braces. Dynamic shared memory
// has the name dynamic_shared.
std::string ModuleText(const std::string& body, const std::string& declarations = "",
                       const std::string& directives = "");

struct TextRun {
  bool completed = false;
  Report report;
  std::vector<uint8_t> out;

  template <class T>
  T At(size_t index) const {
    T value;
    std::copy_n(out.data() + index * sizeof(T), sizeof(T), reinterpret_cast<uint8_t*>(&value));
    return value;
  }
};

struct TextOptions {
  Grid grid{{1, 1, 1}, {32, 1, 1}, 0};
  std::vector<uint8_t> in;
  size_t out_bytes = 4096;
  bool out_written = true;  // all zeros; false: unwritten
  uint32_t count = 0;
  LaunchOptions launch;
};

// Runs a text from ModuleText. A text that this device does not know is a finding, too.
TextRun RunText(const std::string& text, const TextOptions& options);

// Runs one instruction for cases of up to three operands, with one case in each lane. Before the
// instruction, each lane has its operands as 64 bits in %rd10, %rd11, %rd12, truncated to 32 bits
// in %r10 .. and %f10 .., to 16 bits in %rs10 .., as double in %fd1, %fd2, and whether they are odd
// in %p10 ... The result is expected in register 20 of a kind: "rd", "r", "f", "rs", "p" or "fd".
// Returns the result's bits for each case.
struct Operands {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
};
std::vector<uint64_t> Results(const std::string& instruction, const std::string& kind,
                              const std::vector<Operands>& cases);

// The bits of a number, for operands and results.
uint64_t Bits(float x);
uint64_t Bits(double x);

}  // namespace dragoman::ptx
