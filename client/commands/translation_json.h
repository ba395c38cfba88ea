// Converts translations to JSON for scripts. Thread-safety: pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

// Returns {"text", "model", "finish_reason"} and, if the message has them, "score", "log_prob",
// "alternatives", "tokens", "warnings" ({"code", "text"}), "sentences", "alignment" (byte ranges,
// as in sentences), "detected" ({"language", "confidence"}) and "seed" (a string, because JSON
// readers keep only 53 bits of a number).
nlohmann::ordered_json ToJson(const v1::Translation& translation);

// Returns {"code", "message", "details"}. "details" has a text for each violation.
nlohmann::ordered_json ErrorToJson(const absl::Status& status);

// Returns the double that JSON prints with the same digits as the float: 0.1, not 0.10000000149.
double JsonNumber(float value);

// Returns the JSON on one line. Invalid UTF-8 becomes U+FFFD.
std::string JsonLine(const nlohmann::ordered_json& json);

// Returns the shortest decimal number that reads back as the same float.
std::string FloatText(float value);

}  // namespace dragoman::client
