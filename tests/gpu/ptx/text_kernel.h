// Kernels for tests, given by the text of their bodies: each runs on the interpreter, and what it found comes
// back with what it wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/ptx/launch.h"
#include "tests/gpu/ptx/report.h"

namespace dragoman::ptx {

// A module for sm_90a with one entry, `test`, of the parameters .u64 in, .u64 out, .u32 count. Declared are
// %p<32>, %rs<64>, %r<256>, %rd<64>, %f<256>, %fd<8>; set are %rd1 = in, %rd2 = out, %r1 = count,
// %r2 = %tid.x, %r3 = %ctaid.x. `declarations` stand before the body: .shared and the like; `directives`
// before the braces: .maxntid and the like. dynamic_shared is the name of dynamic shared memory.
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
  bool out_written = true;  // zeros; or nothing has written it
  uint32_t count = 0;
  LaunchOptions launch;
};

// Runs the text of ModuleText. A text that this device does not know is a finding, too.
TextRun RunText(const std::string& text, const TextOptions& options);

// One instruction for cases of up to three operands, a lane each. Before it, each lane has its operands as
// 64 bits in %rd10, %rd11, %rd12, cut to 32 in %r10 .. and %f10 .., to 16 in %rs10 .., as double in %fd1,
// %fd2, and whether they are odd in %p10 .. Its result is expected in the register numbered 20 of a kind:
// "rd", "r", "f", "rs", "p" or "fd". Returns its bits for each case.
struct Operands {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
};
std::vector<uint64_t> Results(const std::string& instruction, const std::string& kind,
                              const std::vector<Operands>& cases);

// Bits, for operands and results.
uint64_t Bits(float x);
uint64_t Bits(double x);

}  // namespace dragoman::ptx
