#include "engine/model/formats/json.h"

#include <cmath>
#include <limits>

#include "engine/base/concat.h"

namespace dragoman {

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
  // A literal beyond int64 is unsigned to the parser: it is out of any range used here.
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

}  // namespace dragoman
