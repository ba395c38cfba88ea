// Reads the fields of JSON that was parsed under limits (engine/base/limited_json.h). Error
// messages say what was found and what was expected.
//
// Nothing here throws. Thread-safety: the functions are pure; a JsonFields belongs to one thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/limited_json.h"
#include "engine/model/formats/field_reader.h"

namespace dragoman::engine {

// Returns a description of the value for an error message: `"x"`, `12`, `["x",12]`, `an object`.
// Cuts off a long description.
std::string DescribeJson(const nlohmann::json& value);

// Reads the fields of one object. A field that is null counts as absent.
class JsonFields : public FieldReader {
 public:
  // Borrows `object`; REQUIRES: object.is_object().
  JsonFields(std::string_view file, const nlohmann::json& object)
      : FieldReader(file), object_(object) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // Returns nullptr if the field is absent or null.
  const nlohmann::json* Find(std::string_view name) const;

  int64_t Int(std::string_view name, int64_t min, int64_t max);  // the field is required
  std::optional<int64_t> OptionalInt(std::string_view name, int64_t min, int64_t max);
  std::optional<double> OptionalNumber(std::string_view name);
  bool Bool(std::string_view name, bool absent);
  std::string String(std::string_view name, std::string_view absent);

 private:
  std::string Found(std::string_view name) const override;

  const nlohmann::json& object_;
};

// The only supported value of a field. The field may also be absent or null.
enum class Neutral {
  kFalse,
  kTrue,
  kZero,
  kOne,
  kAbsent,
  kEmpty,  // [] or {}
};

struct NeutralField {
  std::string_view name;
  Neutral value;
};

bool HoldsNeutral(const nlohmann::json& value, Neutral neutral);

// Records UNIMPLEMENTED for the first field of the list that is present with another value.
void RequireNeutral(std::span<const NeutralField> list, JsonFields* fields);

// Reads a field that is a token id below `vocabulary`, or a list with one such id. Returns nullopt
// if the field is absent or null. If the field is wrong, records an error in `fields` and returns
// nullopt.
std::optional<int> ReadTokenId(JsonFields* fields, std::string_view name, int vocabulary);

// Reads a field that is a token id or a list of at most `max` ids. Removes repeated ids and keeps
// the order. Returns an empty list if the field is absent, null or wrong.
std::vector<int> ReadTokenIds(JsonFields* fields, std::string_view name, int vocabulary,
                              size_t max);

// Like ParseJson, but returns INVALID_ARGUMENT if the text is not a JSON object.
absl::StatusOr<nlohmann::json> ParseJsonObject(std::string_view text, std::string_view file,
                                               const JsonLimits& limits);
// Parses a configuration file.
absl::StatusOr<nlohmann::json> ParseConfigObject(std::string_view text, std::string_view file);

}  // namespace dragoman::engine
