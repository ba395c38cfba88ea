// Sections 9.7.14 and 9.7.15 of the PTX ISA: ldmatrix and mma of a warp; wgmma of a warpgroup.
// Matrices have small whole numbers, whose products and sums are exact, so that a misplaced element
// is detected.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr uint32_t kLanes = 32;

bool IsBrain(const std::string& name) { return name.find("bf16") != std::string::npos; }

// Returns a whole number of magnitude up to 256 as f16 or bf16.
uint16_t Element(bool brain, int value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (brain) return static_cast<uint16_t>(bits >> 16);
  if (value == 0) return 0;
  const uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
  return static_cast<uint16_t>(bits >> 16 & 0x8000) | static_cast<uint16_t>(exponent << 10) |
         static_cast<uint16_t>(bits >> 13 & 0x3ff);
}
uint32_t Pair(bool brain, int low, int high) {
  return Element(brain, low) | uint32_t{Element(brain, high)} << 16;
}

int A(uint32_t row, uint32_t k) { return static_cast<int>((row * 37 + k * 11) % 61) - 30; }
int B(uint32_t k, uint32_t column) { return static_cast<int>((column * 53 + k * 7 + 5) % 59) - 29; }
int C(uint32_t row, uint32_t column) { return static_cast<int>(row * 1000 + column * 17) - 4321; }

int Product(uint32_t row, uint32_t column, uint32_t first_k, uint32_t count) {
  int sum = 0;
  for (uint32_t k = first_k; k < first_k + count; ++k) sum += A(row, k) * B(k, column);
  return sum;
}

// 9.7.14.5.15, ldmatrix: lane 8 i + r has the address of row r of matrix i, which is 8 elements of
// 2 bytes. From matrix i, lane l gets the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 (with
// .trans, of column l / 4), the first one in the lower half. Rows are 80 bytes apart and in no
// particular order.
void CheckLoadMatrix(const std::string& name) {
  constexpr uint32_t kRowBytes = 80;
  TextOptions options;
  std::vector<uint16_t> elements;
  for (uint16_t i = 0; i < 4 * 64; ++i) elements.push_back(static_cast<uint16_t>(0x1000 + i));
  options.in = Bytes(elements);
  const std::string body =
      "mov.u32 %r10, area; mul.lo.s32 %r11, %r2, 13; and.b32 %r11, %r11, 31; mul.lo.s32 %r11, "
      "%r11, " +
      std::to_string(kRowBytes) +
      "; add.s32 %r12, %r10, %r11; mul.wide.u32 %rd20, %r2, 16; add.s64 %rd21, %rd1, %rd20; "
      "add.s64 %rd22, %rd2, %rd20;"
      "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd21]; st.shared.v4.u32 [%r12], {%r20, %r21, "
      "%r22, %r23};"
      "bar.warp.sync -1;" +
      name +
      " {%r24, %r25, %r26, %r27}, [%r12]; st.global.v4.u32 [%rd22], {%r24, %r25, %r26, %r27};";
  const TextRun run = RunForm(name, {body, ".shared .align 16 .b8 area[2560];", ""}, options);
  const bool transposed = name.find(".trans") != std::string::npos;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t expected = 0;
      for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t along = 2 * (lane % 4) + half;
        const uint32_t row = transposed ? along : lane / 4;
        const uint32_t column = transposed ? lane / 4 : along;
        expected |= (0x1000 + 64 * i + 8 * row + column) << (16 * half);
      }
      EXPECT_EQ(run.At<uint32_t>(4 * lane + i), expected) << "lane " << lane << ", matrix " << i;
    }
  }
}

// 9.7.14.5.8, the fragments of m16n8k16 of 16-bit types, with g = lane / 4 and t = lane % 4.
// Element i of A is in row g (if i % 4 < 2) or g + 8, and in column 2 t + i % 2, plus 8 from i = 4
// on. Element i of B is in row 2 t + i % 2, plus 8 from i = 2 on, and in column g. Element i of C
// and D is in row g, plus 8 from i = 2 on, and in column 2 t + i % 2.
void CheckMma(const std::string& name) {
  const bool brain = IsBrain(name);
  std::vector<uint32_t> words;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t g = lane / 4;
    const uint32_t t = lane % 4;
    for (uint32_t i = 0; i < 8; i += 2) {
      const uint32_t row = g + (i % 4 < 2 ? 0 : 8);
      const uint32_t column = 2 * t + (i < 4 ? 0 : 8);
      words.push_back(Pair(brain, A(row, column), A(row, column + 1)));
    }
    for (uint32_t i = 0; i < 4; i += 2) {
      const uint32_t row = 2 * t + (i < 2 ? 0 : 8);
      words.push_back(Pair(brain, B(row, g), B(row + 1, g)));
    }
    for (uint32_t i = 0; i < 4; ++i) {
      words.push_back(
          std::bit_cast<uint32_t>(static_cast<float>(C(g + (i < 2 ? 0 : 8), 2 * t + i % 2))));
    }
    words.resize(words.size() + 6);
  }
  TextOptions options;
  options.in = Bytes(words);
  std::string body =
      "mul.wide.u32 %rd20, %r2, 64; add.s64 %rd21, %rd1, %rd20; mul.wide.u32 %rd22, %r2, 16;"
      "add.s64 %rd23, %rd2, %rd22;";
  for (uint32_t i = 0; i < 6; ++i) {
    body +=
        "ld.global.u32 %r" + std::to_string(20 + i) + ", [%rd21+" + std::to_string(4 * i) + "];";
  }
  body +=
      "ld.global.f32 %f20, [%rd21+24]; ld.global.f32 %f21, [%rd21+28]; ld.global.f32 %f22, "
      "[%rd21+32];"
      "ld.global.f32 %f23, [%rd21+36];" +
      name +
      " {%f20, %f21, %f22, %f23}, {%r20, %r21, %r22, %r23}, {%r24, %r25}, {%f20, %f21, %f22, %f23};"
      "st.global.v4.f32 [%rd23], {%f20, %f21, %f22, %f23};";
  const TextRun run = RunForm(name, {body, "", ""}, options);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t row = lane / 4 + (i < 2 ? 0 : 8);
      const uint32_t column = 2 * (lane % 4) + i % 2;
      EXPECT_EQ(run.At<float>(4 * lane + i),
                static_cast<float>(C(row, column) + Product(row, column, 0, 16)))
          << name << ": row " << row << ", column " << column;
    }
  }
}

// The operands of wgmma in shared memory, K-major with the 128-byte swizzle (9.7.15.5.1.2). A row
// is 64 elements (128 bytes). Groups of 8 rows take 1,024 bytes, and are a stride apart. In each
// address, bits 4 to 6 are exclusive-ored with bits 7 to 9. A has 64 rows with a stride of 2,048
// bytes. B has 256 columns with a stride of 1,024 bytes.
constexpr uint32_t kStrideA = 2048;
constexpr uint32_t kStrideB = 1024;
constexpr uint32_t kPlaceA = 32768;
constexpr uint32_t kTileBytes = 49152;

uint32_t SwizzledPlace(uint32_t row, uint32_t k, uint32_t stride) {
  const uint32_t place = row / 8 * stride + row % 8 * 128 + 2 * k;
  return place ^ (place >> 7 & 7) << 4;
}

std::vector<uint8_t> Operands64x256(bool brain) {
  // The gaps between A's groups of 8 rows contain NaNs.
  std::vector<uint16_t> tiles(kTileBytes / 2, 0x7fff);
  for (uint32_t k = 0; k < 64; ++k) {
    for (uint32_t row = 0; row < 64; ++row) {
      tiles[(kPlaceA + SwizzledPlace(row, k, kStrideA)) / 2] = Element(brain, A(row, k));
    }
    for (uint32_t column = 0; column < 256; ++column) {
      tiles[SwizzledPlace(column, k, kStrideB) / 2] = Element(brain, B(k, column));
    }
  }
  return Bytes(tiles);
}

std::string Accumulators(uint32_t first) {
  std::string list;
  for (uint32_t i = 0; i < 128; ++i) list += (i == 0 ? "{%f" : ", %f") + std::to_string(first + i);
  return list + "}";
}

// 9.7.15.5.1.2.2, the descriptor: bits 0 to 13 are the address, bits 16 to 29 the leading
// dimension's offset (unused here) and bits 32 to 45 the stride offset, each without its lower four
// bits. Bits 62 and 63 are 1 for the 128-byte swizzle.
uint64_t DescriptorWithoutAddress(uint32_t stride) {
  return uint64_t{1} << 62 | uint64_t{stride >> 4} << 32 | uint64_t{1} << 16;
}

// Two accumulators, each with its own group. The first one gets A B for k = 16 .. 47 in two steps,
// of which the first step ignores the old value. The second one gets its old value, 3, plus A B for
// k = 0 .. 15. The first accumulator is read while the second's group may still be pending. Then a
// product for k = 48 .. 63 adds to the second accumulator without a fence, because only wgmma has
// accessed its registers.
void CheckWgmma(const std::string& name, const std::string& types) {
  const std::string product = "wgmma.mma_async.sync.aligned.m64n256k16.f32." + types + " ";
  const auto step = [&](uint32_t accumulator, uint32_t k, const std::string& adds) {
    const std::string bytes = std::to_string(2 * k / 16);
    return "add.s64 %rd26, %rd24, " + bytes + "; add.s64 %rd27, %rd25, " + bytes + ";" + product +
           Accumulators(accumulator) + ", %rd26, %rd27, " + adds + ", 1, 1, 0, 0;";
  };
  std::string body =
      "mov.u32 %r10, tiles; mov.u32 %r11, 0; mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd1, "
      "%rd20;"
      "shl.b32 %r12, %r2, 2; add.s32 %r12, %r12, %r10;"
      "$copy: ld.global.u32 %r13, [%rd21]; st.shared.u32 [%r12], %r13; add.s64 %rd21, %rd21, 512;"
      "add.s32 %r12, %r12, 512; add.s32 %r11, %r11, 512; setp.lt.s32 %p1, %r11, " +
      std::to_string(kTileBytes) +
      "; @%p1 bra $copy; fence.proxy.async.shared::cta; bar.sync 0;"
      "cvt.u64.u32 %rd22, %r10; shr.u64 %rd22, %rd22, 4; or.b64 %rd25, %rd22, " +
      std::to_string(DescriptorWithoutAddress(kStrideB)) + "; add.s64 %rd22, %rd22, " +
      std::to_string(kPlaceA / 16) + "; or.b64 %rd24, %rd22, " +
      std::to_string(DescriptorWithoutAddress(kStrideA)) +
      "; mov.u32 %r14, 0; setp.ne.b32 %p2, %r14, 0;"
      "mov.u32 %r14, 2; setp.ne.b32 %p3, %r14, 0;";
  for (uint32_t i = 0; i < 128; ++i) {
    body += "mov.f32 %f" + std::to_string(i) + ", 0f7FC00000; mov.f32 %f" +
            std::to_string(128 + i) + ", 0f40400000;";
  }
  body += "wgmma.fence.sync.aligned;" + step(0, 16, "%p2") + step(0, 32, "%p3") +
          "wgmma.commit_group.sync.aligned;" + step(128, 0, "%p3") +
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;";
  body += "mul.wide.u32 %rd20, %r2, 512; add.s64 %rd21, %rd2, %rd20;";
  for (uint32_t i = 0; i < 128; ++i) {
    body += "st.global.f32 [%rd21+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";";
  }
  body += step(128, 48, "%p3") + "wgmma.commit_group.sync.aligned;";
  body += "wgmma.wait_group.sync.aligned 0;";
  for (uint32_t i = 0; i < 128; ++i) {
    body += "st.global.f32 [%rd21+" + std::to_string(65536 + 4 * i) + "], %f" +
            std::to_string(128 + i) + ";";
  }
  TextOptions options;
  options.grid.threads = {128, 1, 1};
  options.in = Operands64x256(types == "bf16.bf16");
  options.out_bytes = 131072;
  const TextRun run = RunForm(
      name, {body, ".shared .align 1024 .b8 tiles[" + std::to_string(kTileBytes) + "];", ""},
      options);
  // 9.7.15.5.1.1.1: warp w has rows 16 w .. 16 w + 15. Element i of a lane is in row lane / 4, plus
  // 8 if i % 4 >= 2, and in column 8 (i / 4) + 2 (lane % 4) + i % 2.
  for (uint32_t thread = 0; thread < 128; ++thread) {
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + (i % 4 < 2 ? 0 : 8);
      const uint32_t column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      ASSERT_EQ(run.At<float>(128 * thread + i), static_cast<float>(Product(row, column, 16, 32)))
          << name << ": row " << row << ", column " << column;
      ASSERT_EQ(run.At<float>(16384 + 128 * thread + i),
                static_cast<float>(3 + Product(row, column, 0, 16) + Product(row, column, 48, 16)))
          << name << ": row " << row << ", column " << column;
    }
  }
}

}  // namespace

std::vector<Form> MatrixForms() {
  const auto of_half = [](const std::string& name) { CheckWgmma(name, "f16.f16"); };
  return {
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", CheckLoadMatrix},
      {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", CheckLoadMatrix},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", CheckMma},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", CheckMma},
      {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", of_half},
      {"wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
       [](const std::string& name) { CheckWgmma(name, "bf16.bf16"); }},
      {"wgmma.fence.sync.aligned", of_half},
      {"wgmma.commit_group.sync.aligned", of_half},
      {"wgmma.wait_group.sync.aligned", of_half},
  };
}

}  // namespace dragoman::ptx::isa
