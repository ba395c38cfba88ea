#include "engine/model/formats/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman::engine {

std::string DescribeJson(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= 64 ? text : Concat(text.substr(0, 64), "...");
}

const nlohmann::json* JsonFields::Find(std::string_view name) const {
  const auto found = object_.find(std::string(name));
  if (found == object_.end() || found->is_null()) return nullptr;
  return &*found;
}

std::string JsonFields::Found(std::string_view name) const {
  const nlohmann::json* value = Find(name);
  return value == nullptr ? "is missing" : Concat("is ", DescribeJson(*value));
}

int64_t JsonFields::Int(std::string_view name, int64_t min, int64_t max) {
  if (!Has(name)) {
    Fail(name, Concat("an integer from ", min, " to ", max));
    return min;
  }
  return OptionalInt(name, min, max).value_or(min);
}

std::optional<int64_t> JsonFields::OptionalInt(std::string_view name, int64_t min, int64_t max) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  // The parser stores a number above the range of int64 as unsigned. Such a number exceeds every
  // `max`.
  const bool too_large =
      value->is_number_unsigned() &&
      value->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value->is_number_integer() || too_large || value->get<int64_t>() < min ||
      value->get<int64_t>() > max) {
    Fail(name, Concat("an integer from ", min, " to ", max));
    return std::nullopt;
  }
  return value->get<int64_t>();
}

std::optional<double> JsonFields::OptionalNumber(std::string_view name) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    Fail(name, "a finite number");
    return std::nullopt;
  }
  return value->get<double>();
}

bool JsonFields::Bool(std::string_view name, bool absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return absent;
  if (!value->is_boolean()) {
    Fail(name, "true or false");
    return absent;
  }
  return value->get<bool>();
}

std::string JsonFields::String(std::string_view name, std::string_view absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::string(absent);
  if (!value->is_string()) {
    Fail(name, "a string");
    return std::string(absent);
  }
  return value->get<std::string>();
}

bool HoldsNeutral(const nlohmann::json& value, Neutral neutral) {
  switch (neutral) {
    case Neutral::kFalse:
      return value.is_boolean() && !value.get<bool>();
    case Neutral::kTrue:
      return value.is_boolean() && value.get<bool>();
    case Neutral::kZero:
      return value.is_number() && value.get<double>() == 0.0;
    case Neutral::kOne:
      return value.is_number() && value.get<double>() == 1.0;
    case Neutral::kAbsent:
      return false;
    case Neutral::kEmpty:
      return value.is_structured() && value.empty();
  }
  return false;
}

void RequireNeutral(std::span<const NeutralField> list, JsonFields* fields) {
  // In the order of Neutral.
  constexpr std::string_view kNames[] = {"false", "true", "0", "1", "null", "null or empty"};
  for (const NeutralField& field : list) {
    const nlohmann::json* value = fields->Find(field.name);
    if (value != nullptr && !HoldsNeutral(*value, field.value)) {
      fields->Unsupported(field.name, kNames[static_cast<size_t>(field.value)]);
    }
  }
}

absl::StatusOr<nlohmann::json> ParseJsonObject(std::string_view text, std::string_view file,
                                               const JsonLimits& limits) {
  absl::StatusOr<nlohmann::json> root = ParseJson(text, file, limits);
  if (root.ok() && !root->is_object()) {
    return absl::InvalidArgumentError(
        Concat(file, ": is ", DescribeJson(*root), ", expected an object"));
  }
  return root;
}

absl::StatusOr<nlohmann::json> ParseConfigObject(std::string_view text, std::string_view file) {
  return ParseJsonObject(text, file,
                         {.max_bytes = 1 << 20, .max_depth = 16, .max_values = 1 << 16});
}

std::vector<int> ReadTokenIds(JsonFields* fields, std::string_view name, int vocabulary,
                              size_t max) {
  const nlohmann::json* value = fields->Find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) {
    const std::optional<int64_t> id = fields->OptionalInt(name, 0, vocabulary - 1);
    return id ? std::vector<int>{static_cast<int>(*id)} : std::vector<int>{};
  }
  std::vector<int> ids;
  for (const nlohmann::json& element : *value) {
    if (!element.is_number_unsigned() ||
        element.get<uint64_t>() >= static_cast<uint64_t>(vocabulary)) {
      fields->Fail(name, Concat("token ids from 0 to ", vocabulary - 1));
      return {};
    }
    const int id = static_cast<int>(element.get<uint64_t>());
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    if (ids.size() > max) {
      fields->Unsupported(name, Concat("at most ", max, " token ids"));
      return {};
    }
  }
  return ids;
}

std::optional<int> ReadTokenId(JsonFields* fields, std::string_view name, int vocabulary) {
  const nlohmann::json* value = fields->Find(name);
  if (value != nullptr && value->is_array() && value->size() != 1) {
    fields->Unsupported(name, Concat("one token id from 0 to ", vocabulary - 1));
    return std::nullopt;
  }
  const std::vector<int> ids = ReadTokenIds(fields, name, vocabulary, 1);
  return ids.empty() ? std::nullopt : std::optional<int>(ids.front());
}

}  // namespace dragoman::engine
