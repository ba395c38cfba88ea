#include "server/compat/deepl_request.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/api/field_reader.h"
#include "server/api/json_body.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

// The maximum number of names in one list of tags. Documents have some dozens.
constexpr size_t kMostTagNames = 1000;

using nlohmann::json;
using Split = DeeplRequest::Split;
using Tags = DeeplRequest::Tags;

// Parameters that no model of this server supports.
struct RefusedField {
  const char* name;
  const char* why;
};
constexpr std::array<RefusedField, 5> kRefused = {{
    {"context", "no model here reads a context"},
    {"style_id", "this server has no style rules"},
    {"translation_memory_id", "this server has no translation memories"},
    {"translation_memory_threshold", "this server has no translation memories"},
    {"custom_instructions", "no model here follows instructions"},
}};

void AppendView(std::string* out, std::string_view text) { *out += text; }

// Reads one of `values`; "" if the field is missing. The first value is the default.
std::string OneOf(const char* name, std::initializer_list<std::string_view> values,
                  FieldReader* reader) {
  std::string value = reader->TextOr(name, "");
  if (value.empty()) return value;
  for (const std::string_view one : values) {
    if (value == one) return value;
  }
  reader->Fail(InvalidField(name, absl::StrCat("found ", Quoted(value), ", expected ",
                                               absl::StrJoin(values, ", ", AppendView))));
  return "";
}

void ReadSplit(const json& fields, DeeplRequest* out, FieldReader* reader) {
  // Some clients send split_sentences as a number.
  json text = fields;
  if (HasField(fields, "split_sentences") && fields["split_sentences"].is_number_integer()) {
    text["split_sentences"] = fields["split_sentences"].dump();
  }
  FieldReader split_reader(text);
  const std::string split = OneOf("split_sentences", {"1", "0", "nonewlines"}, &split_reader);
  reader->Fail(split_reader.status());
  const bool html = out->tags == Tags::kHtml;
  if (split == "0") {
    out->split = Split::kNone;
  } else if (split == "nonewlines" || (split.empty() && html)) {
    out->split = Split::kSentences;
  } else if (html) {
    reader->Fail(absl::UnimplementedError(
        "split_sentences: found \"1\" with tag_handling html, where line ends are white space; "
        "expected nonewlines, the default there"));
  }
  out->xml.line_ends_split = out->split == Split::kSentencesAndLines;
}

void ReadTagNames(const json& fields, const char* name, const DeeplRequest& request,
                  std::set<std::string, std::less<>>* out, FieldReader* reader) {
  std::optional<std::vector<std::string>> names;
  reader->Fail(ReadCommaList(fields, name, &names));
  if (!names.has_value() || names->empty()) return;
  if (request.tags == Tags::kHtml) {
    reader->Fail(absl::UnimplementedError(absl::StrCat(
        name, ": expected with tag_handling xml; in html, translate=\"no\" keeps what it is on")));
  }
  if (names->size() > kMostTagNames) {
    reader->Fail(InvalidField(
        name, absl::StrCat("found ", names->size(), " names, expected at most ", kMostTagNames)));
    return;
  }
  out->insert(names->begin(), names->end());
}

void ReadTags(const json& fields, DeeplRequest* out, FieldReader* reader) {
  const std::string tags = OneOf("tag_handling", {"xml", "html"}, reader);
  if (tags == "xml") out->tags = Tags::kXml;
  if (tags == "html") out->tags = Tags::kHtml;
  OneOf("tag_handling_version", {"v1", "v2"}, reader);
  std::optional<bool> outline;
  reader->Fail(ReadFormField(fields, "outline_detection", &outline));
  out->xml.outline = outline.value_or(true);
  ReadTagNames(fields, "splitting_tags", *out, &out->xml.splitting, reader);
  ReadTagNames(fields, "non_splitting_tags", *out, &out->xml.non_splitting, reader);
  ReadTagNames(fields, "ignore_tags", *out, &out->xml.ignored, reader);
}

void CheckFormality(FieldReader* reader) {
  const std::string formality =
      OneOf("formality", {"default", "more", "less", "prefer_more", "prefer_less"}, reader);
  if (formality != "more" && formality != "less") return;
  reader->Fail(InvalidField("formality",
                            absl::StrCat("found ", Quoted(formality),
                                         ", which no model here has for 'target_lang'; expected "
                                         "default, prefer_more or prefer_less")));
}

// Reads glossary_id, or glossary_ids with one id.
std::string ReadGlossaryId(const json& fields, FieldReader* reader) {
  std::string id = reader->TextOr("glossary_id", "");
  std::optional<std::vector<std::string>> ids;
  reader->Fail(ReadCommaList(fields, "glossary_ids", &ids));
  if (!ids.has_value() || ids->empty()) return id;
  if (ids->size() > 1 || !id.empty()) {
    reader->Fail(absl::UnimplementedError(
        absl::StrCat("glossary_ids: found ", ids->size() + (id.empty() ? 0 : 1),
                     " glossaries, expected one: this server uses one for a text")));
    return id;
  }
  return ids->front();
}

void CheckModelType(DeeplRequest* out, FieldReader* reader) {
  const std::string type = OneOf(
      "model_type", {"latency_optimized", "prefer_quality_optimized", "quality_optimized"}, reader);
  out->show_model_type = !type.empty();
  if (type != "quality_optimized") return;
  reader->Fail(InvalidField("model_type",
                            "found \"quality_optimized\", and there is one model for a pair of "
                            "languages; expected latency_optimized or prefer_quality_optimized"));
}

}  // namespace

absl::StatusOr<DeeplRequest> ReadDeeplRequest(const json& fields) {
  const absl::Status known = CheckFields(fields, {"text",
                                                  "target_lang",
                                                  "source_lang",
                                                  "context",
                                                  "show_billed_characters",
                                                  "split_sentences",
                                                  "preserve_formatting",
                                                  "formality",
                                                  "model_type",
                                                  "glossary_id",
                                                  "glossary_ids",
                                                  "style_id",
                                                  "translation_memory_id",
                                                  "translation_memory_threshold",
                                                  "custom_instructions",
                                                  "tag_handling",
                                                  "tag_handling_version",
                                                  "outline_detection",
                                                  "splitting_tags",
                                                  "non_splitting_tags",
                                                  "ignore_tags",
                                                  "enable_beta_languages",
                                                  "auth_key"});
  if (!known.ok()) return known;
  FieldReader reader(fields);
  for (const RefusedField& one : kRefused) reader.Refuse(one.name, one.why);
  DeeplRequest out;
  out.texts = reader.Texts("text");
  out.target = reader.Text("target_lang");
  out.source = reader.TextOr("source_lang", "");
  out.glossary_id = ReadGlossaryId(fields, &reader);
  out.show_characters = reader.Flag("show_billed_characters");
  // These fields have no effect, because the output is never corrected and there are no beta
  // languages.
  reader.Flag("preserve_formatting");
  reader.Flag("enable_beta_languages");
  ReadTags(fields, &out, &reader);
  ReadSplit(fields, &out, &reader);
  CheckFormality(&reader);
  CheckModelType(&out, &reader);
  if (!out.glossary_id.empty() && out.source.empty()) {
    reader.Fail(InvalidField("source_lang", "found nothing, expected a language with glossary_id"));
  }
  if (!reader.status().ok()) return reader.status();
  return out;
}

}  // namespace dragoman::server
