// Command line flags from a table: name, type, help text and where the value goes.
//
// Not thread-safe. The table borrows the variables; they must outlive it. What is not understood
// is refused with its name, nothing is ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

class FlagTable {
 public:
  // Each adds --name. `value` is what the help text calls the value. The variable's content is the
  // default. Bounds are inclusive; numbers must be finite.
  void Bool(std::string name, bool* target, std::string help);
  void String(std::string name, std::string value, std::string* target, std::string help);
  void Int(std::string name, std::string value, int64_t min, int64_t max, int64_t* target,
           std::string help);
  void Number(std::string name, std::string value, double min, double max, double* target,
              std::string help);
  // Stays unset unless given.
  void OptionalInt(std::string name, std::string value, int64_t min, int64_t max,
                   std::optional<int64_t>* target, std::string help);
  void OptionalNumber(std::string name, std::string value, double min, double max,
                      std::optional<double>* target, std::string help);
  // May be given several times; every value is added, in order.
  void Strings(std::string name, std::string value, std::vector<std::string>* target,
               std::string help);
  // Whole numbers with commas between.
  void Ints(std::string name, std::string value, int64_t min, int64_t max,
            std::vector<int64_t>* target, std::string help);
  // One of `choices`; stays as it is unless given.
  void Choice(std::string name, std::vector<std::string> choices, std::string* target,
              std::string help);

  // Hands each value to `set`, which says what it expected instead, or "" if all is well. Given
  // several times only if it `repeats`.
  using Setter = std::function<std::string(const std::string&)>;
  void Custom(std::string name, std::string value, bool repeats, Setter set, std::string help);

  // Gives another name to the flag that was added last. Where that name is already a flag of the
  // table, that flag keeps it.
  void Alias(std::string name);

  // Reads --name VALUE, --name=VALUE, --switch, --switch=true|false; a VALUE that starts with "--"
  // needs the form with '='. After "--" all is positional, and "-" always is. Returns the
  // positional arguments, or INVALID_ARGUMENT with a message that names the flag, what was found
  // and what was expected. A flag given twice is refused, but for those that repeat.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& arguments);

  // One line or more per flag, in the order of the table.
  std::string Help() const;

  // A flag as programs need it, such as those that make completions and manual pages.
  struct Description {
    std::string name;
    std::string alias;  // "": none of its own
    std::string value;  // "": a switch
    std::string help;   // in one line
    bool repeats = false;
  };
  std::vector<Description> Describe() const;

 private:
  template <typename T>
  struct Bounded {
    T* target;
    double min;
    double max;
  };
  struct OneOf {
    std::string* target;
    std::vector<std::string> choices;
  };
  struct ByHand {
    Setter set;
    bool repeats;
  };
  using Target =
      std::variant<bool*, std::string*, std::vector<std::string>*, Bounded<int64_t>,
                   Bounded<double>, Bounded<std::optional<int64_t>>, Bounded<std::optional<double>>,
                   Bounded<std::vector<int64_t>>, OneOf, ByHand>;
  struct Flag {
    std::string name;
    std::string value;
    std::string help;
    Target target;
    std::string alias = "";
  };

  // Looks the flag up by name, then by alias.
  const Flag* Find(std::string_view name) const;
  const Flag* FindByName(std::string_view name) const;
  static bool Repeats(const Flag& flag);
  static absl::Status Set(const Flag& flag, const std::string& text);

  std::vector<Flag> flags_;
};

}  // namespace dragoman::client
