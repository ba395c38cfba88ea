// Reads the fields of a dialect's request one after the other, and keeps the first error.
//
// One thread. Borrows the fields.
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

  // An error if the field is missing or empty.
  std::string Text(std::string_view name);
  // `otherwise` if it is missing or empty.
  std::string TextOr(std::string_view name, std::string_view otherwise);
  bool Flag(std::string_view name);
  // A list of texts, or one text. An error if the field is missing or empty.
  std::vector<std::string> Texts(std::string_view name);

  // UNIMPLEMENTED if the field is there and says anything: not null, false, "" or empty.
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
