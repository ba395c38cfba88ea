// A file of results, one line for each line of the input. A later run can continue it.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

class OutputFile {
 public:
  // Opens a new file. Returns ALREADY_EXISTS if a file with content exists. With `resume`,
  // continues that file: keeps the complete lines up to the last one with a translation and
  // truncates the rest. `json`: lines are the objects of --json; an object with "error" has no
  // translation. Otherwise an empty line has none.
  absl::Status Open(const std::string& path, bool resume, bool json);

  // The number of kept lines, and of kept lines without a translation.
  int64_t kept() const { return kept_; }
  int64_t kept_without() const { return kept_without_; }

  std::ofstream& stream() { return stream_; }
  // Closes the file. Reports whether everything was written.
  absl::Status Close();

 private:
  absl::Status Keep(bool json);

  std::string path_;
  std::ofstream stream_;
  int64_t kept_ = 0;
  int64_t kept_without_ = 0;
};

}  // namespace dragoman::client
