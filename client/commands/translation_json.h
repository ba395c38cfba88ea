// Translations as JSON, for scripts. Pure.
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

// Returns {"code", "message"} and "details": one text for each violation.
nlohmann::ordered_json ErrorToJson(const absl::Status& status);

// Returns a double that prints with the digits of the float.
double JsonNumber(float value);

// Returns one line. Invalid UTF-8 becomes U+FFFD.
std::string JsonLine(const nlohmann::ordered_json& json);

// Returns the shortest text that reads back as the same float.
std::string FloatText(float value);

}  // namespace dragoman::client
