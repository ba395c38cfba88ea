// Turns statements into instructions. The code that executes a kind of instruction also decodes it:
// each kind has a file with one function declared here, which returns false for other instructions.
//
// All functions throw BadProgram for operands that the device does not know. Nothing unknown is
// ever skipped: a kernel that contains it cannot be launched.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tests/gpu/ptx/names.h"
#include "tests/gpu/ptx/program.h"
#include "tests/gpu/ptx/statement.h"

namespace dragoman::ptx {

Instruction Decode(const Statement& statement, Names& names);
// Returns the return instruction that follows the last statement of a kernel.
Instruction EndOfKernel();
// Sets what depends on all instructions of the kernel. Call after the last one is decoded.
void FinishKernel(Kernel* kernel);

// An instruction that a lane executes by itself on registers, and whose mnemonic determines
// everything. Operands are in the order of the text, with the destination first.
struct Form {
  Execute execute = nullptr;
  std::vector<Width> operands;
  // Registers may be wider than the type, as for cvt. Their widths are stored in
  // Instruction::widths.
  bool any_width = false;
};
using Forms = std::unordered_map<std::string, Form>;

void AddIntegerForms(Forms* forms);
void AddFloatForms(Forms* forms);
void AddConversionForms(Forms* forms);
void AddPredicateForms(Forms* forms);

using Words = std::vector<std::string>;
bool DecodeMove(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeMemory(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeLaneExchange(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeBarrier(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeMemoryBarrier(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeCopy(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeMatrix(const Statement& s, const Words& q, Names& names, Instruction* i);
bool DecodeWarpgroup(const Statement& s, const Words& q, Names& names, Instruction* i);

// Helpers of the functions above.
bool Has(const Words& qualifiers, const char* one);
// Throws unless the number of operands is between `least` and `most`.
void ExpectOperands(const Statement& s, size_t least, size_t most);
// Returns the place of a register. Throws unless the register has the width.
Place RegisterOf(const std::string& text, Width width, Names& names);
// Returns the operands in braces, or the only operand.
Words InBraces(const std::string& text);
// Returns an integer that the text must contain literally.
int64_t Literal(const std::string& text);

}  // namespace dragoman::ptx
