// The names of a kernel that is being decoded: registers, parameters and variables, and the places
// in the register file that immediates and addresses get.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/program.h"

namespace dragoman::ptx {

// Returns the bytes of a fundamental type, named without its dot: "u32", "b16", "f16x2". Throws
// BadProgram for other names.
uint32_t TypeBytes(const std::string& type);

class Names {
 public:
  // Adds what the names stand for to `kernel`.
  explicit Names(Kernel* kernel) : kernel_(kernel), scopes_(1) {}

  // Opens a { } block. Its registers hide others of the same name.
  void OpenScope() { scopes_.emplace_back(); }
  void CloseScope() { scopes_.pop_back(); }

  // "%r<70>" declares %r0 .. %r69. Any other name declares one register.
  void DeclareRegisters(const std::string& type, const std::string& name);
  void AddParameter(const std::string& name, uint32_t bytes, uint32_t alignment);
  void AddShared(const std::string& name, uint32_t bytes, uint32_t alignment);
  void AddDynamicShared(const std::string& name) { dynamic_shared_ = name; }
  void AddLocal(const std::string& name, uint32_t bytes, uint32_t alignment);

  // Returns the place of an operand: register, immediate, special register or address of a
  // variable. An operand without a width of its own gets `width`. `found` gets the operand's width.
  Place Operand(const std::string& text, Width width, Width* found = nullptr);
  // Returns the place of a register that is written.
  Place Register(const std::string& text, Width* found);

  struct Address {
    Place base = kNowhere;
    Width width = Width::k64;
    int64_t offset = 0;
  };
  // Parses "[base+offset]". `width` is the width of addresses that are variables.
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
  // The "%r" of "%r<70>". A register gets a place when it is first named.
  std::map<std::string, std::pair<Width, int>> ranges_;
  std::map<std::string, uint32_t> parameters_;
  std::map<std::string, uint32_t> shared_;
  std::map<std::string, uint32_t> local_;
  std::string dynamic_shared_;
  std::map<std::pair<std::string, Width>, Place> known_;
};

}  // namespace dragoman::ptx
