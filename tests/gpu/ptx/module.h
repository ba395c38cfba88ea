// A PTX module: the kernels that a text has, each decoded when it is first asked for.
//
// Not thread-safe. Owns its kernels, which live as long as it does.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/ptx/program.h"

namespace dragoman::ptx {

class Module {
 public:
  // Finds the entries of the text. Throws BadProgram where it has something that this device does not
  // know beside them: functions, global variables.
  explicit Module(std::string text);

  // nullptr: there is no such entry. Throws BadProgram, with the line, where its text has something
  // that this device does not know.
  const Kernel* Find(const std::string& name);

  // "sm_90a".
  const std::string& target() const { return target_; }
  std::vector<std::string> names() const;

 private:
  struct Entry {
    size_t begin = 0;  // of the text after the name
    int line = 0;
    std::unique_ptr<Kernel> kernel;
  };
  std::unique_ptr<Kernel> Decode(const std::string& name, const Entry& entry) const;

  std::string text_;
  std::string target_;
  std::string dynamic_shared_;
  std::map<std::string, Entry> entries_;
};

}  // namespace dragoman::ptx
