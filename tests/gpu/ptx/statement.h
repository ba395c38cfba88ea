// Splits PTX text into statements by the form of the language, without interpreting them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::ptx {

struct Statement {
  enum class Kind {
    kInstruction,  // mnemonic and operands, perhaps under a guard
    kDirective,    // begins with a dot; `text` has all of it
    kLabel,        // `text` has its name
    kOpen,         // {
    kClose,        // }
  };
  Kind kind = Kind::kInstruction;
  int line = 0;
  std::string text;   // without guard; spaces and tabs are merged
  std::string guard;  // "%p1", or "" for none
  bool guard_negated = false;
  std::string mnemonic;               // "mul.wide.s32"
  std::vector<std::string> operands;  // "%r1", "[%rd1+8]", "{%f1,%f2}", without spaces in them
};

// Returns the statements of a kernel's body, without the outermost braces. `first_line` is the line
// of the module in which the body begins. Throws BadProgram.
std::vector<Statement> CutBody(std::string_view body, int first_line);

// Splits at separators outside of brackets, and removes the spaces around the parts.
std::vector<std::string> CutAt(std::string_view text, char separator);

// Returns the parts of a mnemonic, the opcode first: "mul", "wide", "s32".
std::vector<std::string> Qualifiers(std::string_view mnemonic);

// Returns the text without comments. Line numbers stay the same.
std::string WithoutComments(std::string_view text);

}  // namespace dragoman::ptx
