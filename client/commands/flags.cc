#include "client/commands/flags.h"

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

template <typename T>
absl::Status ParseBounded(const std::string& name, const std::string& text, double min, double max,
                          T* value) {
  const std::string kind = std::is_integral_v<T> ? "a whole number" : "a number";
  const std::string expected = absl::StrCat(kind, " from ", Bound(min), " to ", Bound(max));
  T parsed{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || at != end) return Wrong(name, text, expected);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(parsed)) return Wrong(name, text, expected);
  }
  if (static_cast<double>(parsed) < min || static_cast<double>(parsed) > max) {
    return Wrong(name, text, expected);
  }
  *value = parsed;
  return absl::OkStatus();
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
  flags_.push_back({std::move(name), "", std::move(help), target});
}

void FlagTable::String(std::string name, std::string value, std::string* target, std::string help) {
  flags_.push_back({std::move(name), std::move(value), std::move(help), target});
}

void FlagTable::Int(std::string name, std::string value, int64_t min, int64_t max, int64_t* target,
                    std::string help) {
  flags_.push_back({std::move(name), std::move(value), std::move(help),
                    Bounded<int64_t>{target, static_cast<double>(min), static_cast<double>(max)}});
}

void FlagTable::Number(std::string name, std::string value, double min, double max, double* target,
                       std::string help) {
  flags_.push_back(
      {std::move(name), std::move(value), std::move(help), Bounded<double>{target, min, max}});
}

void FlagTable::OptionalInt(std::string name, std::string value, int64_t min, int64_t max,
                            std::optional<int64_t>* target, std::string help) {
  flags_.push_back({std::move(name), std::move(value), std::move(help),
                    Bounded<std::optional<int64_t>>{target, static_cast<double>(min),
                                                    static_cast<double>(max)}});
}

void FlagTable::OptionalNumber(std::string name, std::string value, double min, double max,
                               std::optional<double>* target, std::string help) {
  flags_.push_back({std::move(name), std::move(value), std::move(help),
                    Bounded<std::optional<double>>{target, min, max}});
}

void FlagTable::Strings(std::string name, std::string value, std::vector<std::string>* target,
                        std::string help) {
  flags_.push_back({std::move(name), std::move(value), std::move(help), target});
}

void FlagTable::Ints(std::string name, std::string value, int64_t min, int64_t max,
                     std::vector<int64_t>* target, std::string help) {
  flags_.push_back(
      {std::move(name), std::move(value), std::move(help),
       Bounded<std::vector<int64_t>>{target, static_cast<double>(min), static_cast<double>(max)}});
}

void FlagTable::Choice(std::string name, std::vector<std::string> choices, std::string* target,
                       std::string help) {
  std::string value = absl::StrJoin(choices, "|");
  flags_.push_back(
      {std::move(name), std::move(value), std::move(help), OneOf{target, std::move(choices)}});
}

void FlagTable::Custom(std::string name, std::string value, bool repeats, Setter set,
                       std::string help) {
  flags_.push_back(
      {std::move(name), std::move(value), std::move(help), ByHand{std::move(set), repeats}});
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

bool FlagTable::Repeats(const Flag& flag) {
  const auto* by_hand = std::get_if<ByHand>(&flag.target);
  return std::holds_alternative<std::vector<std::string>*>(flag.target) ||
         (by_hand != nullptr && by_hand->repeats);
}

absl::Status FlagTable::Set(const Flag& flag, const std::string& text) {
  struct Setter {
    const std::string& name;
    const std::string& text;

    absl::Status operator()(bool* target) const {
      if (text != "true" && text != "false") return Wrong(name, text, "true or false");
      *target = text == "true";
      return absl::OkStatus();
    }
    absl::Status operator()(std::string* target) const {
      *target = text;
      return absl::OkStatus();
    }
    absl::Status operator()(std::vector<std::string>* target) const {
      target->push_back(text);
      return absl::OkStatus();
    }
    absl::Status operator()(const Bounded<std::vector<int64_t>>& b) const {
      for (const absl::string_view part : absl::StrSplit(text, ',')) {
        const absl::Status status =
            ParseBounded(name, std::string(part), b.min, b.max, &b.target->emplace_back());
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    }
    absl::Status operator()(const Bounded<int64_t>& b) const {
      return ParseBounded(name, text, b.min, b.max, b.target);
    }
    absl::Status operator()(const Bounded<double>& b) const {
      return ParseBounded(name, text, b.min, b.max, b.target);
    }
    absl::Status operator()(const Bounded<std::optional<int64_t>>& b) const {
      return ParseBounded(name, text, b.min, b.max, &b.target->emplace());
    }
    absl::Status operator()(const Bounded<std::optional<double>>& b) const {
      return ParseBounded(name, text, b.min, b.max, &b.target->emplace());
    }
    absl::Status operator()(const ByHand& by_hand) const {
      const std::string expected = by_hand.set(text);
      return expected.empty() ? absl::OkStatus() : Wrong(name, text, expected);
    }
    absl::Status operator()(const OneOf& one_of) const {
      for (const std::string& choice : one_of.choices) {
        if (choice != text) continue;
        *one_of.target = text;
        return absl::OkStatus();
      }
      return Wrong(name, text, absl::StrCat("one of ", absl::StrJoin(one_of.choices, ", ")));
    }
  };
  return std::visit(Setter{flag.name, text}, flag.target);
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
    if (!given.insert(flag->name).second && !Repeats(*flag)) {
      return absl::InvalidArgumentError(dashed + " is given twice");
    }
    std::string text;
    if (equals != std::string::npos) {
      text = argument.substr(equals + 1);
    } else if (std::holds_alternative<bool*>(flag->target)) {
      text = "true";
    } else if (i + 1 == arguments.size() || arguments[i + 1].rfind("--", 0) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(dashed, " needs a value: ", flag->value));
    } else {
      text = arguments[++i];
    }
    if (absl::Status status = Set(*flag, text); !status.ok()) return status;
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
                   .repeats = Repeats(flag)});
  }
  return out;
}

}  // namespace dragoman::client
