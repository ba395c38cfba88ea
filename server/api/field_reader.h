// Reads the fields of a dialect's request and keeps the first error.
//
// Not thread-safe. Borrows the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::server {

class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& fields) : fields_(fields) {}

  // Reads a text. It is an error if the field is missing or empty.
  std::string Text(std::string_view name);
  // Reads a text. Returns `otherwise` if the field is missing or empty.
  std::string TextOr(std::string_view name, std::string_view otherwise);
  bool Flag(std::string_view name);
  // Reports whether the field exists and is not null.
  bool Has(std::string_view name) const;
  // Reads a list of texts, or one text. It is an error if the field is missing or empty.
  std::vector<std::string> Texts(std::string_view name);

  // Fails with UNIMPLEMENTED if the field has a value other than null, false, "" or an empty list.
  void Refuse(std::string_view name, std::string_view why);

  void Fail(absl::Status status);
  const absl::Status& status() const { return status_; }

 private:
  template <typename T>
  std::optional<T> Read(std::string_view name);

  const nlohmann::json& fields_;
  absl::Status status_;
};

}  // namespace dragoman::server
