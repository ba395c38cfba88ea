// PTX text cut into statements: no meaning yet, only the form of the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::ptx {

struct Statement {
  enum class Kind {
    kInstruction,  // mnemonic and operands, perhaps under a guard
    kDirective,    // begins with a dot; all of it in `text`
    kLabel,        // its name in `text`
    kOpen,         // {
    kClose,        // }
  };
  Kind kind = Kind::kInstruction;
  int line = 0;
  std::string text;   // without guard, spaces and tabs made one space
  std::string guard;  // "%p1", or "" for none
  bool guard_negated = false;
  std::string mnemonic;               // "mul.wide.s32"
  std::vector<std::string> operands;  // "%r1", "[%rd1+8]", "{%f1,%f2}", without spaces in them
};

// The statements of a kernel's body, the outermost braces not among them. `first_line` is the line of
// the module where the body begins. Throws BadProgram.
std::vector<Statement> CutBody(std::string_view body, int first_line);

// Cuts at a separator outside of brackets, spaces around the parts removed.
std::vector<std::string> CutAt(std::string_view text, char separator);

// The qualifiers of a mnemonic, the opcode first: "mul", "wide", "s32".
std::vector<std::string> Qualifiers(std::string_view mnemonic);

// Text without comments; lines stay where they are.
std::string WithoutComments(std::string_view text);

}  // namespace dragoman::ptx
