// Runs a command of `dragoman` in this process and keeps its output.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"

namespace dragoman::client {

// A file that is removed when this object is destroyed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) : file_(std::tmpfile()) {
    std::fwrite(content.data(), 1, content.size(), file_);
    std::fflush(file_);
    std::rewind(file_);
  }
  ~TemporaryFile() { std::fclose(file_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fileno(file_); }
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd()); }

 private:
  std::FILE* const file_;
};

struct CommandRun {
  int status = -1;
  std::string out;
  std::string err;
};

inline CommandRun RunCommand(const Arguments& arguments, int in_fd = -1, bool out_terminal = false,
                             bool err_terminal = false, const std::string& server_variable = "") {
  std::ostringstream out;
  std::ostringstream err;
  Io io{.in_fd = in_fd, .out = out, .err = err};
  io.out_terminal = out_terminal;
  io.err_terminal = err_terminal;
  io.environment = [&](const std::string& name) {
    return name == "DRAGOMAN_SERVER" ? server_variable : "";
  };
  CommandRun run;
  run.status = RunDragoman(io, arguments);
  run.out = out.str();
  run.err = err.str();
  return run;
}

}  // namespace dragoman::client
