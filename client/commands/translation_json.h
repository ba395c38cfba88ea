// Translations as JSON, for scripts. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

// {"text", "model", "finish_reason"} and, where the message has them, "score", "log_prob",
// "alternatives", "tokens", "warnings" ({"code", "text"}), "sentences", "alignment" (ranges of bytes,
// as sentences), "detected" ({"language", "confidence"}) and "seed" (a string: readers of JSON keep
// 53 bits of a number).
nlohmann::ordered_json ToJson(const v1::Translation& translation);

// {"code", "message"} and "details": one text for each violation.
nlohmann::ordered_json ErrorToJson(const absl::Status& status);

// A double that prints with the digits of the float.
double JsonNumber(float value);

// One line. Bytes that are not UTF-8 become U+FFFD, as JSON has no other way.
std::string JsonLine(const nlohmann::ordered_json& json);

// The shortest text that reads back as the same float.
std::string FloatText(float value);

}  // namespace dragoman::client
