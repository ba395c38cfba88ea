// A file of results with one line for each line of the input. A later run can continue the file of
// an earlier run that was interrupted.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

class OutputFile {
 public:
  // Opens a new file. Returns ALREADY_EXISTS if a file with content exists. With `resume`,
  // continues such a file: keeps its lines up to the last complete line that has a translation, and
  // truncates the rest. With `json`, lines are JSON objects, and a line whose object has "error"
  // has no translation. Without `json`, an empty line has no translation.
  absl::Status Open(const std::string& path, bool resume, bool json);

  // kept: the number of lines that were kept. kept_without: the number of those without a
  // translation.
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
