// 9.7.9.1 and 9.7.9.2, mov.
#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {

std::vector<Form> MoveForms() {
  constexpr uint64_t kWide = 0xdeadbeef12345678;
  return {
      // Bits are copied unchanged, also those of NaNs. The first element of a vector is in the
      // lowest bits.
      OneResult("mov.b32", {{"%f20, %r10", "f", {{{0x7f800001, 0, 0}, 0x7f800001}}},
                            {"%r20, %f10", "r", {{{0xffc12345, 0, 0}, 0xffc12345}}},
                            {"%r20, {%rs10, %rs11}", "r", {{{0x1234, 0xabcd, 0}, 0xabcd1234}}},
                            {"{%rs20, %rs21}, %r10", "rs", {{{0xabcd1234, 0, 0}, 0x1234}}},
                            {"{%rs21, %rs20}, %r10", "rs", {{{0xabcd1234, 0, 0}, 0xabcd}}}}),
      OneResult("mov.b64", {{"%rd20, {%r10, %r11}", "rd", {{{0x12345678, 0xdeadbeef, 0}, kWide}}},
                            {"{%r20, %r21}, %rd10", "r", {{{kWide, 0, 0}, 0x12345678}}},
                            {"{%r21, %r20}, %rd10", "r", {{{kWide, 0, 0}, 0xdeadbeef}}}}),
      OneResult("mov.f32", {{"%f20, %f10", "f", {{{0x7f812345, 0, 0}, 0x7f812345}, {{1, 0, 0}, 1}}},
                            {"%f20, 0fFF800000", "f", {{{}, 0xff800000}}},
                            {"%f20, 0f00000001", "f", {{{}, 1}}}}),
      OneResult("mov.pred", {{"%p20, %p10", "p", {{{1, 0, 0}, 1}, {{0, 0, 0}, 0}}},
                             {"%p20, -1", "p", {{{}, 1}}},
                             {"%p20, 0", "p", {{{}, 0}}}}),
      OneResult("mov.u16", {{"%rs20, %rs10", "rs", {{{0x18001, 0, 0}, 0x8001}}},
                            {"%rs20, -2", "rs", {{{}, 0xfffe}}},
                            {"%rs20, 255", "rs", {{{}, 255}}}}),
      OneResult("mov.u32", {{"%r20, %r10", "r", {{{kWide, 0, 0}, 0x12345678}}},
                            {"%r20, -2048144789", "r", {{{}, 0x85ebca6b}}},
                            {"%r20, 4294967295", "r", {{{}, 0xffffffff}}}}),
      OneResult("mov.u64", {{"%rd20, %rd10", "rd", {{{kWide, 0, 0}, kWide}}},
                            {"%rd20, -2", "rd", {{{}, 0xfffffffffffffffe}}},
                            {"%rd20, 9223372036854775807", "rd", {{{}, 0x7fffffffffffffff}}}}),
  };
}

}  // namespace dragoman::ptx::isa
