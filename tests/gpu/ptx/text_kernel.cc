#include "tests/gpu/ptx/text_kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "tests/gpu/ptx/memory.h"
#include "tests/gpu/ptx/module.h"

namespace dragoman::ptx {

std::string ModuleText(const std::string& body, const std::string& declarations,
                       const std::string& directives) {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n"
         ".extern .shared .align 16 .b8 dynamic_shared[];\n"
         ".visible .entry test(\n  .param .u64 in,\n  .param .u64 out,\n  .param .u32 count\n)\n" +
         directives + "\n{\n" +
         "  .reg .pred %p<32>;\n  .reg .b16 %rs<64>;\n  .reg .b32 %r<384>;\n"
         "  .reg .b64 %rd<64>;\n  .reg .f32 %f<256>;\n  .reg .f64 %fd<32>;\n" +
         declarations +
         "\n  ld.param.u64 %rd1, [in];\n  ld.param.u64 %rd2, [out];\n  ld.param.u32 %r1, [count];\n"
         "  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n" +
         body + "\n  ret;\n}\n";
}

TextRun RunText(const std::string& text, const TextOptions& options) {
  TextRun run;
  DeviceMemory memory;
  Piece& in = memory.Allocate(std::max<size_t>(options.in.size(), 1));
  std::copy(options.in.begin(), options.in.end(), in.bytes());
  in.Mark(0, options.in.size(), ByteState::kData);
  Piece& out = memory.Allocate(options.out_bytes);
  if (options.out_written) {
    std::memset(out.bytes(), 0, options.out_bytes);
    out.Mark(0, options.out_bytes, ByteState::kData);
  }
  const uint64_t in_address = in.address();
  const uint64_t out_address = out.address();
  const void* const arguments[] = {&in_address, &out_address, &options.count};
  LaunchCounts counts;
  try {
    Module module(text);
    const Kernel* const kernel = module.Find("test");
    run.completed =
        Launch(*kernel, options.grid, arguments, memory, options.launch, run.report, counts);
  } catch (const BadProgram& error) {
    Finding finding;
    finding.kind = FindingKind::kUnknownProgram;
    finding.kernel = "test";
    finding.what = error.what();
    run.report.Add(finding);
  }
  run.out.assign(out.bytes(), out.bytes() + options.out_bytes);
  return run;
}

std::vector<uint64_t> Results(const std::string& instruction, const std::string& kind,
                              const std::vector<Operands>& cases) {
  EXPECT_LE(cases.size(), 32U);
  TextOptions options;
  options.in.resize(32 * sizeof(Operands));
  std::memcpy(options.in.data(), cases.data(), cases.size() * sizeof(Operands));
  std::string body = "mul.wide.u32 %rd3, %r2, 24; add.s64 %rd3, %rd1, %rd3;\n";
  for (int n = 0; n < 3; ++n) {
    const std::string at = std::to_string(10 + n);
    body += "ld.global.u64 %rd" + at + ", [%rd3+" + std::to_string(8 * n) + "];\n";
    body += "cvt.u32.u64 %r" + at + ", %rd" + at + "; cvt.u16.u64 %rs" + at + ", %rd" + at + ";\n";
    body += "mov.b32 %f" + at + ", %r" + at + "; mov.b64 %fd" + std::to_string(1 + n) + ", %rd" +
            at + ";\n";
    body += "and.b32 %r4, %r" + at + ", 1; setp.ne.u32 %p" + at + ", %r4, 0;\n";
  }
  body += instruction + "\n";
  if (kind == "r") body += "cvt.u64.u32 %rd20, %r20;\n";
  if (kind == "f") body += "mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;\n";
  if (kind == "rs") body += "cvt.u64.u16 %rd20, %rs20;\n";
  if (kind == "p") body += "selp.u64 %rd20, 1, 0, %p20;\n";
  if (kind == "fd") body += "mov.b64 %rd20, %fd20;\n";
  body += "mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, %rd2, %rd4; st.global.u64 [%rd4], %rd20;";
  const TextRun run = RunText(ModuleText(body), options);
  EXPECT_EQ(run.report.Text(), "") << instruction;
  std::vector<uint64_t> results;
  for (size_t n = 0; n < cases.size(); ++n) results.push_back(run.At<uint64_t>(n));
  return results;
}

uint64_t Bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t Bits(double x) { return std::bit_cast<uint64_t>(x); }

}  // namespace dragoman::ptx
