// A PTX module: the kernels of a text. Each kernel is decoded when it is first requested.
//
// Not thread-safe. Owns its kernels, which live as long as the module.
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
  // Finds the entries of the text. Throws BadProgram if the text contains, next to entries,
  // anything that this device does not know: functions, global variables.
  explicit Module(std::string text);

  // Returns nullptr if there is no such entry. Throws BadProgram, with the line, if the entry's
  // text contains something that this device does not know.
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
