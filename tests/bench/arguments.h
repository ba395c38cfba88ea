// The command line of a benchmark: --name value pairs after the subcommand.
//
// Not thread-safe. Every argument has a default, so --help can list the arguments that were read.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>

namespace dragoman::bench {

class Arguments {
 public:
  // Ends the program with a message if an argument is not part of a pair.
  Arguments(int argc, char** argv, int first) {
    for (int i = first; i < argc; i += 2) {
      const std::string name = argv[i];
      if (name.rfind("--", 0) != 0 || i + 1 >= argc)
        Refuse("expected --name value at '" + name + "'");
      values_[name.substr(2)] = argv[i + 1];
    }
  }

  std::string Text(const std::string& name, const std::string& otherwise) {
    known_.insert(name);
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }

  int64_t Number(const std::string& name, int64_t otherwise) {
    const std::string text = Text(name, std::to_string(otherwise));
    char* end = nullptr;
    const int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < 0)
      Refuse("--" + name + " is not a number: " + text);
    return value;
  }

  // Call after the last argument was read. Ends the program if any other argument was given.
  void RefuseOthers() const {
    for (const auto& [name, value] : values_) {
      if (known_.count(name) == 0) Refuse("unknown option --" + name);
    }
  }

 private:
  [[noreturn]] static void Refuse(const std::string& why) {
    std::cerr << program_invocation_short_name << ": " << why << "\n";
    std::exit(2);
  }

  std::map<std::string, std::string> values_;
  std::set<std::string> known_;
};

}  // namespace dragoman::bench
