// Command line flags from a table: name, type, help text and target variable.
//
// Not thread-safe. Borrows the variables, which must outlive the table. Refuses unknown arguments.
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
  // Each adds --name. `value` is the name of the value in the help text. The variable's content is
  // the default. Bounds are inclusive. Numbers must be finite.
  void Bool(std::string name, bool* target, std::string help);
  void String(std::string name, std::string value, std::string* target, std::string help);
  void Int(std::string name, std::string value, int64_t min, int64_t max, int64_t* target,
           std::string help);
  void Number(std::string name, std::string value, double min, double max, double* target,
              std::string help);
  // These stay unset if the flag is not given.
  void OptionalInt(std::string name, std::string value, int64_t min, int64_t max,
                   std::optional<int64_t>* target, std::string help);
  void OptionalNumber(std::string name, std::string value, double min, double max,
                      std::optional<double>* target, std::string help);
  // May be given several times; every value is added, in order.
  void Strings(std::string name, std::string value, std::vector<std::string>* target,
               std::string help);
  // Integers separated by commas.
  void Ints(std::string name, std::string value, int64_t min, int64_t max,
            std::vector<int64_t>* target, std::string help);
  // One of `choices`. The variable keeps its content if the flag is not given.
  void Choice(std::string name, std::vector<std::string> choices, std::string* target,
              std::string help);

  // Passes each value to `set`, which returns "" or a description of the expected value. The flag
  // may be given several times only if `repeats`.
  using Setter = std::function<std::string(const std::string&)>;
  void Custom(std::string name, std::string value, bool repeats, Setter set, std::string help);

  // Gives the flag that was added last another name, unless a flag of the table has that name.
  void Alias(std::string name);

  // Reads --name VALUE, --name=VALUE, --switch, --switch=true|false. A VALUE that starts with "--"
  // needs the form with '='. Everything after "--" is positional, and "-" always is. Returns the
  // positional arguments, or INVALID_ARGUMENT with a message that names the flag, the value found
  // and the value expected. A flag given twice is an error, except for repeating flags.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& arguments);

  // Returns one or more lines per flag, in the order of the table.
  std::string Help() const;

  // A flag for programs, such as those that write completions and manual pages.
  struct Description {
    std::string name;
    std::string alias;  // "": none
    std::string value;  // "": a switch
    std::string help;   // on one line
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
