#include "engine/model/formats/neutral_fields.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman {

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

namespace {

std::string_view NeutralName(Neutral neutral) {
  switch (neutral) {
    case Neutral::kFalse:
      return "false";
    case Neutral::kTrue:
      return "true";
    case Neutral::kZero:
      return "0";
    case Neutral::kOne:
      return "1";
    case Neutral::kAbsent:
      return "null";
    case Neutral::kEmpty:
      return "null or empty";
  }
  return "";
}

}  // namespace

void RequireNeutral(std::span<const NeutralField> list, JsonFields* fields) {
  for (const NeutralField& field : list) {
    const nlohmann::json* value = fields->Find(field.name);
    if (value != nullptr && !HoldsNeutral(*value, field.value)) {
      fields->Unsupported(field.name, NeutralName(field.value));
    }
  }
}

absl::StatusOr<nlohmann::json> ParseConfigObject(std::string_view text, std::string_view file) {
  constexpr JsonLimits kLimits = {.max_bytes = 1 << 20, .max_depth = 16, .max_values = 1 << 16};
  absl::StatusOr<nlohmann::json> root = ParseJson(text, file, kLimits);
  if (root.ok() && !root->is_object()) {
    return absl::InvalidArgumentError(
        Concat(file, ": is ", DescribeJson(*root), ", expected an object"));
  }
  return root;
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

}  // namespace dragoman
