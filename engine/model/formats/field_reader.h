// Makes the errors for fields of configuration files. A FieldReader keeps the first error in
// status(). Reads after an error return harmless values, so a caller needs to check status() only
// once, at the end.
//
// Thread-safety: the functions are pure; a reader belongs to one thread.
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

// Returns UNIMPLEMENTED. Use it for a field whose value requests something that this program does
// not support.
inline absl::Status UnsupportedField(std::string_view file, std::string_view field,
                                     std::string_view found, std::string_view supported) {
  return absl::UnimplementedError(Concat(file, ": field '", field, "' ", found,
                                         ", which is not supported; supported: ", supported));
}

// The base class of the readers for JSON and YAML.
class FieldReader {
 public:
  virtual ~FieldReader() = default;

  const absl::Status& status() const { return status_; }
  std::string_view file() const { return file_; }

  // Records INVALID_ARGUMENT: the field's value is not `expected`.
  void Fail(std::string_view name, std::string_view expected) {
    if (status_.ok()) status_ = InvalidField(file_, name, Found(name), expected);
  }
  // Records UNIMPLEMENTED: this program does not support the field's value. `supported` says which
  // values it supports.
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
