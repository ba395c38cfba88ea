// Command line flags from a table: name, type, help text and target variable.
//
// Not thread-safe. REQUIRES: the target variables outlive the table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

class FlagTable {
 public:
  // Each of the following functions adds the flag --name. `value` is the placeholder for the flag's
  // value in the help text. The content of `*target` is the default. `min` and `max` are inclusive.
  // Numbers must be finite.
  void Bool(std::string name, bool* target, std::string help);
  void String(std::string name, std::string value, std::string* target, std::string help);
  void Int(std::string name, std::string value, int64_t min, int64_t max, int64_t* target,
           std::string help);
  void Number(std::string name, std::string value, double min, double max, double* target,
              std::string help);
  // `*target` stays unset if the flag is not given.
  void OptionalInt(std::string name, std::string value, int64_t min, int64_t max,
                   std::optional<int64_t>* target, std::string help);
  void OptionalNumber(std::string name, std::string value, double min, double max,
                      std::optional<double>* target, std::string help);
  // The flag may be given several times. Every value is appended.
  void Strings(std::string name, std::string value, std::vector<std::string>* target,
               std::string help);
  // The value is a list of integers, separated by commas.
  void Ints(std::string name, std::string value, int64_t min, int64_t max,
            std::vector<int64_t>* target, std::string help);
  // The value is one of `choices`.
  void Choice(std::string name, std::vector<std::string> choices, std::string* target,
              std::string help);

  // Passes each value to `set`, which returns "" or, if the value is wrong, a description of the
  // expected value. The flag may be given several times only if `repeats`.
  using Setter = std::function<std::string(const std::string&)>;
  void Custom(std::string name, std::string value, bool repeats, Setter set, std::string help);

  // Gives the last added flag a second name, unless a flag of the table already has this name.
  void Alias(std::string name);

  // Reads flags in the forms --name VALUE, --name=VALUE, --switch and --switch=true|false. A VALUE
  // that starts with "--" needs the form with '='. An argument after "--" is positional. The
  // argument "-" is always positional. Returns the positional arguments, or INVALID_ARGUMENT with a
  // message that names the flag, the value found and the value expected. A flag given twice is an
  // error, except for repeating flags.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& arguments);

  // Returns the help text: one or more lines per flag, in the order in which they were added.
  std::string Help() const;

  // The description of a flag, for programs that write completions and manual pages.
  struct Description {
    std::string name;
    std::string alias;  // "": none
    std::string value;  // the placeholder of the value; "": a switch
    std::string help;   // the help text on one line
    bool repeats = false;
  };
  std::vector<Description> Describe() const;

 private:
  // Reads the flag's value and stores it, or returns an error that names the flag.
  using Reader = std::function<absl::Status(const std::string& text)>;
  struct Flag {
    std::string name;
    std::string value;
    std::string help;
    Reader read;
    bool repeats = false;
    std::string alias = "";
  };

  template <typename T, typename Target>
  void AddNumber(std::string name, std::string value, T min, T max, Target* target,
                 std::string help);

  // Looks the flag up by name, then by alias.
  const Flag* Find(std::string_view name) const;
  const Flag* FindByName(std::string_view name) const;

  std::vector<Flag> flags_;
};

}  // namespace dragoman::client
