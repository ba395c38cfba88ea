// A kernel of a PTX module in executable form: names are resolved to places in a warp's register
// file, and each instruction is bound to the function that executes it.
//
// Constant once decoded, so that several launches may share it. Offsets and sizes are in bytes;
// places of registers are in 32-bit words.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace dragoman::ptx {

struct Warp;
struct Instruction;

// Executes an instruction for the lanes of a mask, which is not empty.
using Execute = void (*)(Warp& warp, const Instruction& instruction, uint32_t lanes);

// The place of a register in the register file of a warp. A register takes 32 bits for each of 32
// lanes, or 64 bits if it is a 64-bit register. A 16-bit register takes 32 bits for each lane, with
// a zero upper half. A predicate takes one 32-bit word for all lanes.
using Place = uint32_t;
inline constexpr Place kNowhere = ~Place{0};

enum class Width : uint8_t { kPredicate, k16, k32, k64 };

enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kParameter };

// How the program counter continues, and which lanes or warps must arrive first.
enum class Flow : uint8_t {
  kPlain,     // each lane by itself
  kBranch,    // to `target`
  kExit,      // the lane has ended
  kMembers,   // .sync with a mask of lanes: those of `members` come together first
  kAligned,   // .sync.aligned: all lanes of the warp come together first
  kBarrier,   // as kAligned, then the warp waits for others of its block
  kGridWait,  // waits until the launch before this one has ended
};

struct Instruction {
  Execute execute = nullptr;
  Flow flow = Flow::kPlain;
  bool guard_negated = false;
  bool touches_product = false;  // accesses a register that a wgmma of this kernel accumulates in
  Place guard = kNowhere;        // predicate that must be true for execution

  // Operands in the order of the text: destination, then sources. The decoder of each instruction
  // says which of them it has.
  Place d = kNowhere;
  Place a = kNowhere;
  Place b = kNowhere;
  Place c = kNowhere;
  Place e = kNowhere;
  std::vector<Place> list;    // operands in braces, all of them in the order of the text
  std::vector<Width> widths;  // of `list`, or of the first operands if their widths vary

  int target = -1;  // of a branch: index of an instruction

  // Fields of accesses to memory.
  Space space = Space::kGeneric;
  uint8_t bytes = 0;     // of one element
  uint8_t elements = 1;  // of a vector
  bool sign_extends = false;
  // .volatile, .relaxed, .acquire, .release: does not race with other strong accesses.
  bool strong = false;
  int64_t offset = 0;
  int64_t second_offset = 0;  // of a second address

  int mode = 0;  // further properties of the instruction

  int line = 0;      // in the module's text, from 1
  std::string text;  // for reports
};

struct Parameter {
  uint32_t bytes = 0;
  uint32_t offset = 0;
};

// A value that every lane has from the start: an immediate or an address.
struct Preset {
  Place place = kNowhere;
  Width width = Width::k32;
  uint64_t value = 0;
};

// A register that the device sets, such as %tid.x.
struct SpecialRegister {
  Place place = kNowhere;
  Width width = Width::k32;
  std::string name;
};

struct Kernel {
  std::string name;      // as in the module, mangled
  std::string readable;  // demangled
  std::vector<Instruction> code;
  uint32_t file_words = 0;  // of a warp's register file

  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t shared_alignment = 16;
  uint32_t local_bytes = 0;  // of a thread

  std::vector<Preset> immediates;
  // The values of the next three are offsets in the launch's parameters, in the block's static
  // shared memory and in the thread's local memory. Dynamic shared memory begins at the end of
  // static shared memory.
  std::vector<Preset> parameter_addresses;
  std::vector<Preset> shared_addresses;
  std::vector<Preset> local_addresses;
  std::vector<Preset> dynamic_shared_addresses;
  std::vector<SpecialRegister> special;

  // Limits that the text states; 0 if it states none.
  uint32_t max_threads = 0;
  uint32_t required_threads = 0;
  uint32_t max_registers = 0;

  bool multiplies_by_warpgroup = false;
};

// The text is not PTX that this device knows. The message says what was found, where, and what was
// expected.
class BadProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dragoman::ptx
