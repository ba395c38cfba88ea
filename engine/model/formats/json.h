// Reads JSON from outside, which was parsed under limits (engine/base/limited_json.h), field by field,
// with messages that say what was found and what was expected.
//
// Nothing here throws. Thread-safety: plain values; a JsonFields belongs to one thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/limited_json.h"
#include "engine/model/formats/field_reader.h"

namespace dragoman {

// Describes a value in a message: `"x"`, `12`, `["x",12]`, `an object`; cut off if it is long.
std::string DescribeJson(const nlohmann::json& value);

// Reads the fields of one object. A field that is null counts as absent.
class JsonFields : public FieldReader {
 public:
  // Borrows `object`; REQUIRES: object.is_object().
  JsonFields(std::string_view file, const nlohmann::json& object)
      : FieldReader(file), object_(object) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // nullptr when absent or null.
  const nlohmann::json* Find(std::string_view name) const;

  int64_t Int(std::string_view name, int64_t min, int64_t max);  // required
  std::optional<int64_t> OptionalInt(std::string_view name, int64_t min, int64_t max);
  std::optional<double> OptionalNumber(std::string_view name);
  bool Bool(std::string_view name, bool absent);
  std::string String(std::string_view name, std::string_view absent);

 private:
  std::string Found(std::string_view name) const override;

  const nlohmann::json& object_;
};

}  // namespace dragoman
