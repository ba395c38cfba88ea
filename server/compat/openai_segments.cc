#include "server/compat/openai_segments.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/base/limited_json.h"
#include "server/api/absl_view.h"
#include "server/api/adapter_errors.h"
#include "server/api/json_body.h"
#include "server/api/languages.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

constexpr engine::JsonLimits kSegmentLimits = {.max_bytes = size_t{64} << 20, .max_depth = 8};

// Reports whether `value` is data, and not a plain text that can be read as JSON. A list of
// numbers, such as "[1]", may be a plain text.
bool IsSegmentData(const json& value) {
  if (value.is_object()) return true;
  return value.is_array() && std::any_of(value.begin(), value.end(), [](const json& element) {
           return element.is_structured() || element.is_string();
         });
}

// Reports whether the text has a tag: "<b>", "</i1>", "<br />".
bool SegmentHasTag(std::string_view text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('/')) rest.remove_prefix(1);
    if (!rest.empty() && absl::ascii_isalpha(static_cast<unsigned char>(rest.front())) &&
        rest.find('>') < rest.find('<')) {
      return true;
    }
  }
  return false;
}

std::optional<SegmentBatch::Form> SegmentFormOf(std::string_view system) {
  if (absl::StripAsciiWhitespace(View(system)).empty()) return SegmentBatch::Form::kJson;
  if (system.find("\"translations\"") != system.npos) return SegmentBatch::Form::kJson;
  if (system.find("<root>") != system.npos) return SegmentBatch::Form::kXml;
  if (system.find("ID | Text") != system.npos) return SegmentBatch::Form::kLines;
  return std::nullopt;
}

absl::Status ReadSegmentGlossary(const json& object, const std::string& field, SegmentBatch* out) {
  const json* const glossary = FindField(object, "glossary");
  if (glossary == nullptr) return absl::OkStatus();
  for (const auto& [source, target] : glossary->items()) {
    if (!glossary->is_object() || !target.is_string()) {
      return InvalidField(field, "found another 'glossary' than {\"source\": \"target\"}");
    }
    out->terms.emplace_back(source, target.get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ReadSegmentTexts(const json& object, const std::string& field, SegmentBatch* out) {
  for (const json& segment : object.at("segments")) {
    std::optional<std::string> text;
    const json* const id = segment.is_object() ? FindField(segment, "id") : nullptr;
    if (id == nullptr || id->is_structured() || !ReadField(segment, "text", &text).ok() ||
        !text.has_value()) {
      return InvalidField(field, absl::StrCat("segments[", out->texts.size(),
                                              "]: found something else, expected {\"id\": 0, "
                                              "\"text\": \"...\"}"));
    }
    out->html = out->html || SegmentHasTag(*text);
    out->ids.push_back(*id);
    out->texts.push_back(*std::move(text));
  }
  if (out->texts.empty()) return InvalidField(field, "segments: found none, expected one or more");
  return absl::OkStatus();
}

std::string EscapedSegment(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

std::string SegmentIdText(const json& id) {
  return id.is_string() ? id.get<std::string>() : id.dump();
}

}  // namespace

absl::StatusOr<std::optional<SegmentBatch>> ReadSegmentBatch(std::string_view system,
                                                             std::string_view content,
                                                             const std::string& field) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(View(content));
  if (stripped.empty() || (stripped.front() != '{' && stripped.front() != '[')) return std::nullopt;
  const absl::StatusOr<json> object =
      engine::ParseJson({stripped.data(), stripped.size()}, "", kSegmentLimits);
  if (!object.ok() || !IsSegmentData(*object)) return std::nullopt;
  if (!object->is_object() || !object->contains("segments") || !object->at("segments").is_array()) {
    return InvalidField(field,
                        "found JSON, expected a text, or KISS Translator's {\"targetLanguage\": "
                        "\"...\", \"segments\": [{\"id\": 0, \"text\": \"...\"}]}");
  }
  const std::optional<SegmentBatch::Form> form = SegmentFormOf(system);
  if (!form.has_value()) {
    return InvalidField("messages[0]",
                        "found a system message that names no form for the answer to segments, "
                        "expected one of KISS Translator's, or none");
  }
  SegmentBatch batch{.form = *form};
  std::optional<std::string> to;
  absl::Status read = ReadField(*object, "targetLanguage", &to);
  if (read.ok()) read = ReadSegmentGlossary(*object, field, &batch);
  if (read.ok()) read = ReadSegmentTexts(*object, field, &batch);
  if (!read.ok()) return read;
  batch.to = to.value_or("");
  return batch;
}

std::string WriteSegmentBatch(const SegmentBatch& batch, const v1::TranslateResponse& answer) {
  json translations = json::array();
  std::string text = batch.form == SegmentBatch::Form::kXml ? "<root>\n" : "";
  for (int i = 0; i < answer.translations_size(); ++i) {
    const v1::Translation& item = answer.translations(i);
    const json& id = batch.ids.at(static_cast<size_t>(i));
    const std::string& translated = item.translated_text();
    const std::string language =
        item.detected_language_code().empty() ? "" : ShortTag(item.detected_language_code());
    if (batch.form == SegmentBatch::Form::kLines) {
      absl::StrAppend(&text, SegmentIdText(id), " | ",
                      absl::StrReplaceAll(translated, {{"\r\n", "<br>"}, {"\n", "<br>"}}), "\n");
    } else if (batch.form == SegmentBatch::Form::kXml) {
      absl::StrAppend(&text, "<t id=\"", EscapedSegment(SegmentIdText(id)), "\" sourceLanguage=\"",
                      language, "\">", batch.html ? translated : EscapedSegment(translated),
                      "</t>\n");
    } else {
      json one = {{"id", id}, {"text", translated}};
      if (!language.empty()) one["sourceLanguage"] = language;
      translations.push_back(std::move(one));
    }
  }
  if (batch.form == SegmentBatch::Form::kJson)
    return DumpJson({{"translations", std::move(translations)}});
  if (batch.form == SegmentBatch::Form::kXml) text += "</root>";
  return text;
}

}  // namespace dragoman::server
