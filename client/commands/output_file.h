// A file of results, one line for each line of the input, which a later run can go on with.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

class OutputFile {
 public:
  // A new file, ALREADY_EXISTS where there is one with content; or with `resume` one that is gone on
  // with: whole lines are kept up to the last that has a translation, what follows is cut off. `json`:
  // lines are the objects of --json, of which those with "error" have none; else empty ones have none.
  absl::Status Open(const std::string& path, bool resume, bool json);

  // Lines that were kept, and how many of them have no translation.
  int64_t kept() const { return kept_; }
  int64_t kept_without() const { return kept_without_; }

  std::ofstream& stream() { return stream_; }
  // Whether everything was written.
  absl::Status Close();

 private:
  absl::Status Keep(bool json);

  std::string path_;
  std::ofstream stream_;
  int64_t kept_ = 0;
  int64_t kept_without_ = 0;
};

}  // namespace dragoman::client
