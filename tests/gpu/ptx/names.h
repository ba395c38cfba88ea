// The names of a kernel while it is decoded: its registers, parameters and variables, and the places
// that immediates and addresses get in the register file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/program.h"

namespace dragoman::ptx {

// Bytes of a fundamental type without its dot: "u32", "b16", "f16x2". Throws BadProgram for others.
uint32_t TypeBytes(const std::string& type);

class Names {
 public:
  // Fills `kernel` with what names stand for.
  explicit Names(Kernel* kernel) : kernel_(kernel), scopes_(1) {}

  // A { } block, whose registers hide others.
  void OpenScope() { scopes_.emplace_back(); }
  void CloseScope() { scopes_.pop_back(); }

  // "%r<70>" declares %r0 .. %r69; any other name one register.
  void DeclareRegisters(const std::string& type, const std::string& name);
  void AddParameter(const std::string& name, uint32_t bytes, uint32_t alignment);
  void AddShared(const std::string& name, uint32_t bytes, uint32_t alignment);
  void AddDynamicShared(const std::string& name) { dynamic_shared_ = name; }
  void AddLocal(const std::string& name, uint32_t bytes, uint32_t alignment);

  // An operand: register, immediate, special register or address of a variable. Where it has no width
  // of its own, it gets `width`. The width that it has goes to `found`.
  Place Operand(const std::string& text, Width width, Width* found = nullptr);
  // A register that is written.
  Place Register(const std::string& text, Width* found);

  struct Address {
    Place base = kNowhere;
    Width width = Width::k64;
    int64_t offset = 0;
  };
  // "[base+offset]". `width` is that of addresses that are variables.
  Address At(const std::string& text, Width width);

 private:
  struct Declared {
    Place place = kNowhere;
    Width width = Width::k32;
  };
  Declared NewRegister(Width width);
  const Declared* FindRegister(const std::string& name);
  Place AddPreset(std::vector<Preset>* presets, uint64_t value, Width width);

  Kernel* const kernel_;
  std::vector<std::map<std::string, Declared>> scopes_;
  // "%r" of "%r<70>": registers get a place when they are first named.
  std::map<std::string, std::pair<Width, int>> ranges_;
  std::map<std::string, uint32_t> parameters_;
  std::map<std::string, uint32_t> shared_;
  std::map<std::string, uint32_t> local_;
  std::string dynamic_shared_;
  std::map<std::pair<std::string, Width>, Place> known_;
};

}  // namespace dragoman::ptx
