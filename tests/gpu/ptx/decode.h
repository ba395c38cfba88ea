// From statements to instructions. The instructions of a kind are decoded where they are executed: each
// kind is a file with one function here, which returns false for what is not its own.
//
// All throw BadProgram where operands are not those that the device knows. What is not known is never
// skipped: a kernel that has it cannot be launched.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tests/gpu/ptx/names.h"
#include "tests/gpu/ptx/program.h"
#include "tests/gpu/ptx/statement.h"

namespace dragoman::ptx {

Instruction Decode(const Statement& statement, Names& names);
// The return that stands after the last statement of a kernel.
Instruction EndOfKernel();
// After the last instruction: what depends on all of them.
void FinishKernel(Kernel* kernel);

// An instruction that a lane does by itself on registers: its mnemonic says everything. Operands are in
// the order of the text, the destination first.
struct Form {
  Execute execute = nullptr;
  std::vector<Width> operands;
  // Registers may be wider than the type, as in cvt; their widths go to Instruction::widths.
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

// Helpers of those functions.
bool Has(const Words& qualifiers, const char* one);
// Throws unless there are so many operands.
void ExpectOperands(const Statement& s, size_t least, size_t most);
// Throws unless a register has the width.
Place RegisterOf(const std::string& text, Width width, Names& names);
// The operands in braces, or the only one.
Words InBraces(const std::string& text);
// An integer that must be written in the text.
int64_t Literal(const std::string& text);

}  // namespace dragoman::ptx
