// Fields of Hugging Face's JSON files that several readers treat alike. Private to engine/model.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/json.h"

namespace dragoman {

// The value that a field must hold because the program does not support others; it may also be absent
// or null.
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

// Records UNIMPLEMENTED for the first field of the list that holds something else.
void RequireNeutral(std::span<const NeutralField> list, JsonFields* fields);

// A token id, which some files write as a list of one. Nothing when absent, null or wrong.
std::optional<int> ReadTokenId(JsonFields* fields, std::string_view name, int vocabulary);

// A token id or a list of them, at most `max`, without repeats in their order. Empty when absent,
// null or wrong.
std::vector<int> ReadTokenIds(JsonFields* fields, std::string_view name, int vocabulary,
                              size_t max);

// Parses a configuration file, which is a JSON object.
absl::StatusOr<nlohmann::json> ParseConfigObject(std::string_view text, std::string_view file);

}  // namespace dragoman
