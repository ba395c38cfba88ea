#include "tests/gpu/ptx/statement.h"

#include <algorithm>
#include <cctype>

#include "tests/gpu/ptx/program.h"

namespace dragoman::ptx {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string OneSpace(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!IsSpace(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return Trimmed(out);
}

Statement MakeInstruction(std::string text, int line) {
  Statement statement;
  statement.line = line;
  if (text[0] == '@') {
    const size_t end = text.find(' ');
    if (end == std::string::npos) {
      throw BadProgram("PTX line " + std::to_string(line) +
                       ": a guard without an instruction: " + text);
    }
    statement.guard = text.substr(1, end - 1);
    statement.guard_negated = statement.guard[0] == '!';
    if (statement.guard_negated) statement.guard.erase(0, 1);
    text.erase(0, end + 1);
  }
  statement.text = text;
  const size_t end = text.find(' ');
  statement.mnemonic = text.substr(0, end);
  if (end == std::string::npos) return statement;
  std::string operands = text.substr(end);
  std::erase(operands, ' ');
  statement.operands = CutAt(operands, ',');
  return statement;
}

}  // namespace

std::vector<std::string> CutAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(Trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(Trimmed(part));
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

std::vector<std::string> Qualifiers(std::string_view mnemonic) { return CutAt(mnemonic, '.'); }

std::string WithoutComments(std::string_view text) {
  std::string out(text);
  for (size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/') continue;
    if (out[i + 1] == '/') {
      for (; i < out.size() && out[i] != '\n'; ++i) out[i] = ' ';
    } else if (out[i + 1] == '*') {
      const size_t end = std::min(out.find("*/", i + 2), out.size() - 2) + 2;
      for (; i < end; ++i) {
        if (out[i] != '\n') out[i] = ' ';
      }
    }
  }
  return out;
}

std::vector<Statement> CutBody(std::string_view body, int first_line) {
  std::vector<Statement> statements;
  int line = first_line;
  size_t i = 0;
  while (i < body.size()) {
    if (IsSpace(body[i])) {
      line += body[i] == '\n' ? 1 : 0;
      ++i;
      continue;
    }
    if (body[i] == ';') {
      ++i;
      continue;
    }
    if (body[i] == '{' || body[i] == '}') {
      Statement brace;
      brace.kind = body[i] == '{' ? Statement::Kind::kOpen : Statement::Kind::kClose;
      brace.line = line;
      statements.push_back(brace);
      ++i;
      continue;
    }
    size_t name = i;
    while (name < body.size() && IsOfName(body[name])) ++name;
    // Some mnemonics contain "::".
    if (name > i && name < body.size() && body[name] == ':' &&
        (name + 1 == body.size() || body[name + 1] != ':')) {
      Statement label;
      label.kind = Statement::Kind::kLabel;
      label.line = line;
      label.text = std::string(body.substr(i, name - i));
      statements.push_back(label);
      i = name + 1;
      continue;
    }
    const size_t end = body.find(';', i);
    if (end == std::string_view::npos) {
      throw BadProgram("PTX line " + std::to_string(line) + ": a statement without its ';'");
    }
    const std::string_view raw = body.substr(i, end - i);
    std::string text = OneSpace(raw);
    if (text[0] == '.') {
      Statement directive;
      directive.kind = Statement::Kind::kDirective;
      directive.line = line;
      directive.text = std::move(text);
      statements.push_back(directive);
    } else {
      statements.push_back(MakeInstruction(std::move(text), line));
    }
    line += static_cast<int>(std::count(raw.begin(), raw.end(), '\n'));
    i = end + 1;
  }
  return statements;
}

}  // namespace dragoman::ptx
