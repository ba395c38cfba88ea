#include "client/commands/translation_json.h"

#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "client/status_map.h"

namespace dragoman::client {
namespace {

using json = nlohmann::ordered_json;

json ToJson(const v1::Tokens& tokens) {
  json object = json::object();
  if (tokens.source_size() > 0) object["source"] = tokens.source();
  if (tokens.target_size() > 0) object["target"] = tokens.target();
  if (tokens.target_scores_size() > 0) {
    json scores = json::array();
    for (const float score : tokens.target_scores()) scores.push_back(JsonNumber(score));
    object["target_scores"] = std::move(scores);
  }
  return object;
}

// Adds the fields that a translation and an alternative have in common.
template <typename Message>
void AddScores(const Message& message, json* object) {
  (*object)["finish_reason"] = v1::FinishReason_Name(message.finish_reason());
  if (message.has_score()) (*object)["score"] = JsonNumber(message.score());
  if (message.has_log_prob()) (*object)["log_prob"] = JsonNumber(message.log_prob());
  if (message.has_tokens()) (*object)["tokens"] = ToJson(message.tokens());
}

}  // namespace

std::string FloatText(float value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

json ToJson(const v1::Translation& translation) {
  json object = {{"text", translation.translated_text()}, {"model", translation.model()}};
  AddScores(translation, &object);
  if (translation.alternatives_size() > 0) {
    json alternatives = json::array();
    for (const v1::Alternative& alternative : translation.alternatives()) {
      json& added = alternatives.emplace_back(json{{"text", alternative.text()}});
      AddScores(alternative, &added);
    }
    object["alternatives"] = std::move(alternatives);
  }
  if (translation.warnings_size() > 0) {
    json warnings = json::array();
    for (const v1::Warning& warning : translation.warnings()) {
      warnings.push_back(
          {{"code", v1::Warning::Code_Name(warning.code())}, {"text", warning.text()}});
    }
    object["warnings"] = std::move(warnings);
  }
  if (translation.preserved_size() > 0) object["preserved"] = translation.preserved();
  if (translation.sentences_size() > 0) {
    json sentences = json::array();
    for (const v1::SentenceRange& range : translation.sentences()) {
      sentences.push_back({{"source", {range.source_begin(), range.source_end()}},
                           {"target", {range.target_begin(), range.target_end()}}});
    }
    object["sentences"] = std::move(sentences);
  }
  if (translation.has_alignment()) {
    json links = json::array();
    for (const v1::Alignment::Link& link : translation.alignment().links()) {
      links.push_back({{"source", {link.source_begin(), link.source_end()}},
                       {"target", {link.target_begin(), link.target_end()}}});
    }
    object["alignment"] = std::move(links);
  }
  if (translation.has_pivot()) {
    const v1::PivotPart& pivot = translation.pivot();
    json part = {{"models", {pivot.first_model(), pivot.second_model()}},
                 {"language", pivot.language_code()},
                 {"text", pivot.text()},
                 {"finish_reason", v1::FinishReason_Name(pivot.finish_reason())}};
    if (pivot.has_score()) part["score"] = JsonNumber(pivot.score());
    if (pivot.has_log_prob()) part["log_prob"] = JsonNumber(pivot.log_prob());
    object["pivot"] = std::move(part);
  }
  if (translation.has_detection_confidence()) {
    object["detected"] = {{"language", translation.detected_language_code()},
                          {"confidence", JsonNumber(translation.detection_confidence())}};
  }
  if (translation.has_seed()) object["seed"] = std::to_string(translation.seed());
  return object;
}

double JsonNumber(float value) { return std::strtod(FloatText(value).c_str(), nullptr); }

json ErrorToJson(const absl::Status& status) {
  json object = {{"code", CodeName(status.code())}, {"message", std::string(status.message())}};
  if (const auto details = Violations(status); !details.empty()) object["details"] = details;
  return object;
}

std::string JsonLine(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace dragoman::client
