#include "client/commands/flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace dragoman::client {
namespace {

// Returns a bound as text. A whole number is written with all its digits, without an exponent.
std::string Bound(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? absl::StrCat(static_cast<int64_t>(value)) : absl::StrCat(value);
}

absl::Status Wrong(const std::string& name, const std::string& found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, " is '", found, "', expected ", expected));
}

// Reads a finite number from `min` to `max` into *value.
template <typename T, typename Value>
absl::Status ReadNumber(const std::string& name, const std::string& text, T min, T max,
                        Value* value) {
  T parsed{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, parsed);
  // NaN is in no range.
  if (error == std::errc() && at == end && parsed >= min && parsed <= max) {
    *value = parsed;
    return absl::OkStatus();
  }
  const std::string kind = std::is_integral_v<T> ? "a whole number" : "a number";
  return Wrong(name, text,
               absl::StrCat(kind, " from ", Bound(static_cast<double>(min)), " to ",
                            Bound(static_cast<double>(max))));
}

// Indents all lines of `text` except the first.
std::string Indented(const std::string& text, size_t indent) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

}  // namespace

void FlagTable::Bool(std::string name, bool* target, std::string help) {
  const auto set = [target](const std::string& text) {
    if (text != "true" && text != "false") return "true or false";
    *target = text == "true";
    return "";
  };
  Custom(std::move(name), "", false, set, std::move(help));
}

void FlagTable::String(std::string name, std::string value, std::string* target, std::string help) {
  const auto set = [target](const std::string& text) {
    *target = text;
    return "";
  };
  Custom(std::move(name), std::move(value), false, set, std::move(help));
}

template <typename T, typename Target>
void FlagTable::AddNumber(std::string name, std::string value, T min, T max, Target* target,
                          std::string help) {
  Reader read = [=](const std::string& text) { return ReadNumber(name, text, min, max, target); };
  flags_.push_back({name, std::move(value), std::move(help), std::move(read)});
}

void FlagTable::Int(std::string name, std::string value, int64_t min, int64_t max, int64_t* target,
                    std::string help) {
  AddNumber(std::move(name), std::move(value), min, max, target, std::move(help));
}

void FlagTable::Number(std::string name, std::string value, double min, double max, double* target,
                       std::string help) {
  AddNumber(std::move(name), std::move(value), min, max, target, std::move(help));
}

void FlagTable::OptionalInt(std::string name, std::string value, int64_t min, int64_t max,
                            std::optional<int64_t>* target, std::string help) {
  AddNumber(std::move(name), std::move(value), min, max, target, std::move(help));
}

void FlagTable::OptionalNumber(std::string name, std::string value, double min, double max,
                               std::optional<double>* target, std::string help) {
  AddNumber(std::move(name), std::move(value), min, max, target, std::move(help));
}

void FlagTable::Strings(std::string name, std::string value, std::vector<std::string>* target,
                        std::string help) {
  const auto set = [target](const std::string& text) {
    target->push_back(text);
    return "";
  };
  Custom(std::move(name), std::move(value), true, set, std::move(help));
}

void FlagTable::Ints(std::string name, std::string value, int64_t min, int64_t max,
                     std::vector<int64_t>* target, std::string help) {
  Reader read = [=](const std::string& text) {
    absl::Status status;
    for (const absl::string_view part : absl::StrSplit(text, ',')) {
      status.Update(ReadNumber(name, std::string(part), min, max, &target->emplace_back()));
    }
    return status;
  };
  flags_.push_back({name, std::move(value), std::move(help), std::move(read)});
}

void FlagTable::Choice(std::string name, std::vector<std::string> choices, std::string* target,
                       std::string help) {
  std::string value = absl::StrJoin(choices, "|");
  const auto set = [choices = std::move(choices), target](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      return absl::StrCat("one of ", absl::StrJoin(choices, ", "));
    }
    *target = text;
    return "";
  };
  Custom(std::move(name), std::move(value), false, set, std::move(help));
}

void FlagTable::Custom(std::string name, std::string value, bool repeats, Setter set,
                       std::string help) {
  Reader read = [name, set = std::move(set)](const std::string& text) {
    const std::string expected = set(text);
    return expected.empty() ? absl::OkStatus() : Wrong(name, text, expected);
  };
  flags_.push_back({std::move(name), std::move(value), std::move(help), std::move(read), repeats});
}

void FlagTable::Alias(std::string name) { flags_.back().alias = std::move(name); }

const FlagTable::Flag* FlagTable::FindByName(std::string_view name) const {
  for (const Flag& flag : flags_) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

const FlagTable::Flag* FlagTable::Find(std::string_view name) const {
  if (const Flag* flag = FindByName(name)) return flag;
  for (const Flag& flag : flags_) {
    if (!flag.alias.empty() && flag.alias == name) return &flag;
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> FlagTable::Parse(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> positional;
  std::set<std::string> given;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      positional.insert(positional.end(), arguments.begin() + static_cast<int64_t>(i) + 1,
                        arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      positional.push_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string dashed = argument.substr(0, equals);
    const Flag* flag = dashed.rfind("--", 0) == 0 ? Find(dashed.substr(2)) : nullptr;
    if (flag == nullptr) return absl::InvalidArgumentError("unknown flag " + dashed);
    if (!given.insert(flag->name).second && !flag->repeats) {
      return absl::InvalidArgumentError(dashed + " is given twice");
    }
    std::string text;
    if (equals != std::string::npos) {
      text = argument.substr(equals + 1);
    } else if (flag->value.empty()) {
      text = "true";
    } else if (i + 1 == arguments.size() || arguments[i + 1].rfind("--", 0) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(dashed, " needs a value: ", flag->value));
    } else {
      text = arguments[++i];
    }
    if (absl::Status status = flag->read(text); !status.ok()) return status;
  }
  return positional;
}

std::string FlagTable::Help() const {
  constexpr size_t kColumn = 30;
  std::string out;
  for (const Flag& flag : flags_) {
    std::string line = "  --" + flag.name;
    if (!flag.value.empty()) line += " " + flag.value;
    if (line.size() + 2 > kColumn) {
      out += line + "\n";
      line.clear();
    }
    line.resize(kColumn, ' ');
    out += line + Indented(flag.help, kColumn) + "\n";
    if (!flag.alias.empty() && FindByName(flag.alias) == nullptr) {
      out += std::string(kColumn, ' ') + "also --" + flag.alias + "\n";
    }
  }
  return out;
}

std::vector<FlagTable::Description> FlagTable::Describe() const {
  std::vector<Description> out;
  for (const Flag& flag : flags_) {
    const bool has_alias = !flag.alias.empty() && FindByName(flag.alias) == nullptr;
    out.push_back({.name = flag.name,
                   .alias = has_alias ? flag.alias : "",
                   .value = flag.value,
                   .help = absl::StrReplaceAll(flag.help, {{"\n", " "}}),
                   .repeats = flag.repeats});
  }
  return out;
}

}  // namespace dragoman::client
