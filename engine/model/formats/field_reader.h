// Errors of fields in configuration files, and a reader that keeps the first of them. Reads after
// an error return harmless values, so a caller checks once, at the end.
//
// Thread-safety: pure functions; a reader belongs to one thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman::engine {

// Returns INVALID_ARGUMENT. `found` says what the field is or has: "is 3", "is missing".
inline absl::Status InvalidField(std::string_view file, std::string_view field,
                                 std::string_view found, std::string_view expected) {
  return absl::InvalidArgumentError(
      Concat(file, ": field '", field, "' ", found, ", expected ", expected));
}

// Returns UNIMPLEMENTED, for a field that requests what this program does not do.
inline absl::Status UnsupportedField(std::string_view file, std::string_view field,
                                     std::string_view found, std::string_view supported) {
  return absl::UnimplementedError(Concat(file, ": field '", field, "' ", found,
                                         ", which is not supported; supported: ", supported));
}

// The base of the readers of each format, which say what a field holds.
class FieldReader {
 public:
  virtual ~FieldReader() = default;

  const absl::Status& status() const { return status_; }
  std::string_view file() const { return file_; }

  // Records that the field does not hold `expected`.
  void Fail(std::string_view name, std::string_view expected) {
    if (status_.ok()) status_ = InvalidField(file_, name, Found(name), expected);
  }
  // Records that the field requests what this program does not do; `supported` is what it may hold.
  void Unsupported(std::string_view name, std::string_view supported) {
    if (status_.ok()) status_ = UnsupportedField(file_, name, Found(name), supported);
  }

 protected:
  explicit FieldReader(std::string_view file) : file_(file) {}
  FieldReader(const FieldReader&) = default;
  FieldReader& operator=(const FieldReader&) = delete;

 private:
  // Returns "is" and the value, or "is missing".
  virtual std::string Found(std::string_view name) const = 0;

  const std::string_view file_;
  absl::Status status_;
};

}  // namespace dragoman::engine
