#include "tests/gpu/ptx/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/names.h"
#include "tests/gpu/ptx/statement.h"

namespace dragoman::ptx {
namespace {

std::string Readable(const std::string& name) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string readable = status == 0 ? demangled : name;
  std::free(demangled);
  // nvcc's names of unnamed namespaces are long and say nothing.
  size_t begin = 0;
  while ((begin = readable.find("_GLOBAL__N__")) != std::string::npos) {
    const size_t end = readable.find("::", begin);
    readable.erase(begin, end == std::string::npos ? std::string::npos : end + 2 - begin);
  }
  return readable;
}

// A variable as declared in the text: ".param .align 64 .b8 name[128]".
struct Variable {
  std::string name;
  uint32_t bytes = 0;
  uint32_t alignment = 0;
};

Variable ReadVariable(const std::string& text) {
  Variable variable;
  std::istringstream words(text);
  std::string word;
  std::string type;
  uint32_t count = 1;
  while (words >> word) {
    if (word == ".align") {
      words >> variable.alignment;
    } else if (word == ".ptr" || word == ".global" || word == ".param" || word == ".shared" ||
               word == ".local") {
      continue;
    } else if (word[0] == '.') {
      type = word.substr(1);
    } else {
      variable.name = word;
    }
  }
  const size_t bracket = variable.name.find('[');
  if (bracket != std::string::npos) {
    count = static_cast<uint32_t>(std::atoi(variable.name.c_str() + bracket + 1));
    variable.name.resize(bracket);
  }
  if (type.empty()) throw BadProgram("a variable without a type: " + text);
  variable.bytes = TypeBytes(type) * count;
  if (variable.alignment == 0) variable.alignment = TypeBytes(type);
  return variable;
}

// Declares the .reg, .shared and .local variables of a body.
void Declare(const Statement& statement, Names& names) {
  const std::string& text = statement.text;
  if (text.starts_with(".reg ")) {
    std::istringstream words(text);
    std::string word;
    std::string type;
    words >> word >> type;
    std::string rest;
    std::getline(words, rest);
    for (const std::string& name : CutAt(rest, ',')) names.DeclareRegisters(type.substr(1), name);
  } else if (text.starts_with(".shared ")) {
    const Variable variable = ReadVariable(text);
    names.AddShared(variable.name, variable.bytes, variable.alignment);
  } else if (text.starts_with(".local ")) {
    const Variable variable = ReadVariable(text);
    names.AddLocal(variable.name, variable.bytes, variable.alignment);
  } else if (!text.starts_with(".pragma ")) {
    throw BadProgram("directive not known");
  }
}

// Reads the directives between parameters and body, such as ".maxntid 128, 1, 1".
void ReadLimits(std::string_view text, Kernel* kernel) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  std::string word;
  while (words >> word) {
    if (word == ".maxntid" || word == ".reqntid") {
      uint32_t threads = 1;
      uint32_t factor = 0;
      while (words >> factor) threads *= factor;
      words.clear();
      (word == ".maxntid" ? kernel->max_threads : kernel->required_threads) = threads;
    } else if (word == ".maxnreg") {
      words >> kernel->max_registers;
    } else if (word == ".minnctapersm") {
      words >> word;  // only ptxas uses it
    } else {
      throw BadProgram("directive '" + word + "' of a kernel is not known");
    }
  }
}

void DecodeBody(const std::vector<Statement>& statements, Names& names, Kernel* kernel) {
  std::map<std::string, int> labels;
  std::vector<std::string> targets;  // the target label of each branch instruction
  for (const Statement& statement : statements) {
    try {
      switch (statement.kind) {
        case Statement::Kind::kOpen:
          names.OpenScope();
          break;
        case Statement::Kind::kClose:
          names.CloseScope();
          break;
        case Statement::Kind::kLabel:
          labels[statement.text] = static_cast<int>(kernel->code.size());
          break;
        case Statement::Kind::kDirective:
          Declare(statement, names);
          break;
        case Statement::Kind::kInstruction:
          kernel->code.push_back(Decode(statement, names));
          targets.push_back(kernel->code.back().flow == Flow::kBranch ? statement.operands.at(0)
                                                                      : "");
          break;
      }
    } catch (const BadProgram& error) {
      throw BadProgram("PTX line " + std::to_string(statement.line) + ": " + error.what() + ": " +
                       statement.text);
    }
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].empty()) continue;
    const auto label = labels.find(targets[i]);
    if (label == labels.end()) {
      throw BadProgram("PTX line " + std::to_string(kernel->code[i].line) + ": no label " +
                       targets[i]);
    }
    kernel->code[i].target = label->second;
  }
  kernel->code.push_back(EndOfKernel());
}

}  // namespace

Module::Module(std::string text) : text_(WithoutComments(text)) {
  int line = 0;
  size_t begin = 0;
  int depth = 0;
  while (begin < text_.size()) {
    ++line;
    const size_t end = std::min(text_.find('\n', begin), text_.size());
    const std::string_view whole = std::string_view(text_).substr(begin, end - begin);
    const size_t entry = whole.find(".entry ");
    if (depth == 0 && entry != std::string_view::npos) {
      const size_t name = begin + entry + 7;
      const size_t after = text_.find_first_of("( \n\t", name);
      entries_[text_.substr(name, after - name)] = {after, line, nullptr};
    } else if (depth == 0 && whole.starts_with(".target ")) {
      target_ = std::string(whole.substr(8, whole.find_first_of(", \r", 8) - 8));
    } else if (depth == 0 && whole.starts_with(".extern .shared")) {
      const size_t bracket = whole.find("[]");
      const size_t space = whole.rfind(' ', bracket);
      dynamic_shared_ = std::string(whole.substr(space + 1, bracket - space - 1));
    } else if (depth == 0 && (whole.find(".func ") != std::string_view::npos ||
                              whole.find(".global ") == 0 || whole.find(".const ") == 0)) {
      throw BadProgram("PTX line " + std::to_string(line) +
                       ": expected kernels alone, found: " + std::string(whole));
    }
    depth += static_cast<int>(std::count(whole.begin(), whole.end(), '{')) -
             static_cast<int>(std::count(whole.begin(), whole.end(), '}'));
    begin = end + 1;
  }
}

std::vector<std::string> Module::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

const Kernel* Module::Find(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  if (found->second.kernel == nullptr) found->second.kernel = Decode(name, found->second);
  return found->second.kernel.get();
}

std::unique_ptr<Kernel> Module::Decode(const std::string& name, const Entry& entry) const {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->readable = Readable(name);
  Names names(kernel.get());
  if (!dynamic_shared_.empty()) names.AddDynamicShared(dynamic_shared_);

  size_t at = entry.begin;
  const size_t brace = text_.find('{', at);
  if (brace == std::string::npos) throw BadProgram("kernel " + name + " has no body");
  const size_t open = text_.find('(', at);
  if (open < brace) {
    const size_t close = text_.find(')', open);
    const std::string_view list = std::string_view(text_).substr(open + 1, close - open - 1);
    for (const std::string& declaration : CutAt(list, ',')) {
      const Variable parameter = ReadVariable(declaration);
      names.AddParameter(parameter.name, parameter.bytes, parameter.alignment);
    }
    at = close + 1;
  }
  ReadLimits(std::string_view(text_).substr(at, brace - at), kernel.get());

  size_t end = brace + 1;
  for (int depth = 1; end < text_.size(); ++end) {
    depth += text_[end] == '{' ? 1 : text_[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  const auto lines_before = std::count(text_.begin() + static_cast<std::ptrdiff_t>(entry.begin),
                                       text_.begin() + static_cast<std::ptrdiff_t>(brace), '\n');
  const auto statements = CutBody(std::string_view(text_).substr(brace + 1, end - brace - 1),
                                  entry.line + static_cast<int>(lines_before));
  DecodeBody(statements, names, kernel.get());
  FinishKernel(kernel.get());
  return kernel;
}

}  // namespace dragoman::ptx
