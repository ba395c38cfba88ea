#include "client/mcp_tools.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/status_map.h"
#include "client/translation_json.h"

namespace dragoman {
namespace {

// NLLB-200 has 40,602 pairs; an assistant that reads them all has no room for anything else.
constexpr size_t kMaxPairs = 200;

McpJson Text(const std::string& description) {
  return {{"type", "string"}, {"description", description}};
}

McpJson Texts(const std::string& description) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", description}};
}

// An object with these members and no others.
McpJson Object(McpJson properties, McpJson required = McpJson::array()) {
  McpJson schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

// The schema of a result, which may have more members.
McpJson Output(const char* name, McpJson item) {
  return {{"type", "object"},
          {"properties", {{name, {{"type", "array"}, {"items", std::move(item)}}}}},
          {"required", {name}}};
}

McpTool TranslateTool() {
  return {.name = "translate",
          .title = "Translate",
          .description =
              "Translates a text, or several, with a machine translation model. Give the target "
              "language where the model has several, and the source language where it has "
              "several; `languages` lists the pairs.",
          .input_schema = Object(
              {{"text", Text("The text to translate.")},
               {"texts", Texts("Several texts instead of `text`; each is translated by itself.")},
               {"to", Text("The target language, as BCP-47 code: en, de, zh-Hans.")},
               {"from", Text("The source language, in the same form.")},
               {"model", Text("The name of a model; by default the first that has the pair.")},
               {"html",
                {{"type", "boolean"},
                 {"description", "The texts are HTML, whose tags stay around their words."}}},
               {"glossary", Text("The name of a glossary; `glossaries` lists them.")},
               {"terms",
                {{"type", "object"},
                 {"additionalProperties", {{"type", "string"}}},
                 {"description", "Phrases of the source, each with its translation."}}},
               {"do_not_translate", Texts("Phrases that stay as they are.")},
               {"alternatives",
                {{"type", "integer"},
                 {"minimum", 1},
                 {"maximum", 64},
                 {"description", "How many translations of each text are returned."}}}}),
          .output_schema = Output("translations", {{"type", "object"},
                                                   {"properties",
                                                    {{"text", {{"type", "string"}}},
                                                     {"model", {{"type", "string"}}},
                                                     {"alternatives", {{"type", "array"}}},
                                                     {"error", {{"type", "object"}}}}}})};
}

McpTool DetectTool() {
  return {.name = "detect",
          .title = "Detect the language",
          .description = "Says which language a text, or each of several, is written in.",
          .input_schema = Object(
              {{"text", Text("The text.")}, {"texts", Texts("Several texts instead of `text`.")}}),
          .output_schema = Output("detections", {{"type", "object"}})};
}

McpTool LanguagesTool() {
  return {.name = "languages",
          .title = "List languages",
          .description =
              absl::StrCat("Lists the pairs of languages that can be translated, at most ",
                           kMaxPairs, " of them: filter by source or target where there are more."),
          .input_schema = Object({{"from", Text("Only pairs with this source language.")},
                                  {"to", Text("Only pairs with this target language.")},
                                  {"model", Text("Only pairs of this model.")}}),
          .output_schema = Output(
              "pairs", {{"type", "object"},
                        {"properties",
                         {{"source", {{"type", "string"}}}, {"target", {{"type", "string"}}}}}})};
}

McpTool GlossariesTool() {
  return {.name = "glossaries",
          .title = "List glossaries",
          .description = "Lists the glossaries that `translate` can be told to use, by model.",
          .input_schema = Object({{"model", Text("Only those of this model.")}}),
          .output_schema = Output(
              "glossaries",
              {{"type", "object"},
               {"properties", {{"name", {{"type", "string"}}}, {"model", {{"type", "string"}}}}}})};
}

// Reads the members of an object; the first that is wrong is kept as an error. Those that are never
// asked for are wrong, too.
class ArgumentReader {
 public:
  explicit ArgumentReader(const McpJson& arguments) : arguments_(arguments) {}

  std::optional<std::string> Text(const char* name) {
    const McpJson* value = Find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) return Wrong(name, *value, "a text"), std::nullopt;
    return value->get<std::string>();
  }

  std::vector<std::string> Texts(const char* name) {
    std::vector<std::string> texts;
    const McpJson* value = Find(name);
    if (value == nullptr) return texts;
    if (!value->is_array()) return Wrong(name, *value, "an array of texts"), texts;
    for (const McpJson& each : *value) {
      if (!each.is_string()) return Wrong(name, each, "an array of texts"), texts;
      texts.push_back(each.get<std::string>());
    }
    return texts;
  }

  bool Bool(const char* name) {
    const McpJson* value = Find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) Wrong(name, *value, "true or false");
    return value->is_boolean() && value->get<bool>();
  }

  std::optional<int> Count(const char* name, int most) {
    const McpJson* value = Find(name);
    if (value == nullptr) return std::nullopt;
    const bool fits = value->is_number_unsigned() && value->get<uint64_t>() >= 1 &&
                      value->get<uint64_t>() <= static_cast<uint64_t>(most);
    if (!fits) return Wrong(name, *value, absl::StrCat("a whole number, 1..", most)), std::nullopt;
    return value->get<int>();
  }

  std::vector<std::pair<std::string, std::string>> Pairs(const char* name) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const McpJson* value = Find(name);
    if (value == nullptr) return pairs;
    if (!value->is_object()) return Wrong(name, *value, "an object of texts"), pairs;
    for (const auto& [key, each] : value->items()) {
      if (!each.is_string()) return Wrong(name, each, "an object of texts"), pairs;
      pairs.emplace_back(key, each.get<std::string>());
    }
    return pairs;
  }

  bool Has(const char* name) const { return arguments_.contains(name); }
  void Fail(const std::string& message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(message);
  }

  // OK if all was right, and nothing else was there.
  absl::Status End() {
    for (const auto& [key, value] : arguments_.items()) {
      if (asked_.count(key) != 0) continue;
      Fail(absl::StrCat("found argument '", key, "', expected some of ",
                        absl::StrJoin(asked_, ", ")));
    }
    return status_;
  }

 private:
  // Null counts as absent: models write it for what they leave out.
  const McpJson* Find(const char* name) {
    asked_.insert(name);
    const auto found = arguments_.find(name);
    return found == arguments_.end() || found->is_null() ? nullptr : &*found;
  }
  void Wrong(const char* name, const McpJson& value, const std::string& expected) {
    Fail(absl::StrCat(name, ": found ", value.type_name(), ", expected ", expected));
  }

  const McpJson& arguments_;
  std::set<std::string> asked_;
  absl::Status status_;
};

// Reads the one text or the several.
template <typename Request>
void ReadContents(ArgumentReader* reader, Request* request) {
  const std::optional<std::string> text = reader->Text("text");
  const std::vector<std::string> texts = reader->Texts("texts");
  if (text.has_value() == !texts.empty()) {
    reader->Fail(text.has_value() ? "found text and texts, expected one of them"
                                  : "found neither text nor texts, expected one of them");
  }
  if (text.has_value()) request->add_contents(*text);
  for (const std::string& each : texts) request->add_contents(each);
}

std::string PairText(const v1::LanguagePair& pair) {
  const std::string& source = pair.source_language_code();
  return absl::StrCat(source.empty() ? "any language" : source, " to ",
                      pair.target_language_code());
}

bool IsWanted(const v1::LanguagePair& pair, const McpListArguments& wanted) {
  const std::string& source = pair.source_language_code();
  return (wanted.from.empty() || source.empty() || source == wanted.from) &&
         (wanted.to.empty() || pair.target_language_code() == wanted.to);
}

}  // namespace

std::vector<McpTool> McpTools() {
  return {TranslateTool(), DetectTool(), LanguagesTool(), GlossariesTool()};
}

absl::StatusOr<v1::TranslateRequest> McpTranslateRequest(const McpJson& arguments) {
  ArgumentReader reader(arguments);
  v1::TranslateRequest request;
  ReadContents(&reader, &request);
  request.set_target_language_code(reader.Text("to").value_or(""));
  request.set_source_language_code(reader.Text("from").value_or(""));
  request.set_model(reader.Text("model").value_or(""));
  if (reader.Bool("html")) request.set_mime_type("text/html");
  if (const auto glossary = reader.Text("glossary"); glossary.value_or("") != "") {
    request.mutable_glossary_config()->set_glossary(*glossary);
  }
  for (const auto& [source, target] : reader.Pairs("terms")) {
    v1::Term* term = request.add_terms();
    term->set_source(source);
    term->set_target(target);
  }
  for (const std::string& phrase : reader.Texts("do_not_translate")) {
    request.add_do_not_translate(phrase);
  }
  if (const auto count = reader.Count("alternatives", 64); count.value_or(1) > 1) {
    request.mutable_decoding()->set_num_alternatives(*count);
    // The search finds no more than its beam is wide.
    constexpr int kUsualBeam = 4;
    request.mutable_decoding()->set_beam_size(std::max(*count, kUsualBeam));
  }
  if (absl::Status status = reader.End(); !status.ok()) return status;
  return request;
}

McpResult McpTranslateResult(const std::vector<v1::Translation>& translations) {
  McpResult result;
  McpJson list = McpJson::array();
  size_t failed = 0;
  for (const v1::Translation& translation : translations) {
    if (translation.has_error()) {
      const absl::Status status = FromItem(translation.error());
      result.texts.push_back("This text was not translated: " + ForPeople(status));
      list.push_back({{"error", ErrorToJson(status)}});
      ++failed;
      continue;
    }
    result.texts.push_back(translation.translated_text());
    for (const v1::Alternative& alternative : translation.alternatives()) {
      result.texts.back() += "\n" + alternative.text();
    }
    list.push_back(ToJson(translation));
  }
  result.structured = {{"translations", std::move(list)}};
  result.is_error = failed == translations.size();
  return result;
}

absl::StatusOr<v1::DetectLanguageRequest> McpDetectRequest(const McpJson& arguments) {
  ArgumentReader reader(arguments);
  v1::DetectLanguageRequest request;
  ReadContents(&reader, &request);
  if (absl::Status status = reader.End(); !status.ok()) return status;
  return request;
}

McpResult McpDetectResult(const v1::DetectLanguageResponse& response) {
  McpResult result;
  McpJson detections = McpJson::array();
  for (const v1::Detection& detection : response.detections()) {
    McpJson languages = McpJson::array();
    for (const v1::DetectedLanguage& found : detection.languages()) {
      languages.push_back(
          {{"language", found.language_code()}, {"confidence", JsonNumber(found.confidence())}});
    }
    result.texts.push_back(detection.languages().empty() ? "unknown"
                                                         : detection.languages(0).language_code());
    detections.push_back({{"languages", std::move(languages)}});
  }
  result.structured = {{"detections", std::move(detections)}};
  return result;
}

absl::StatusOr<McpListArguments> McpLanguagesArguments(const McpJson& arguments) {
  ArgumentReader reader(arguments);
  McpListArguments wanted{.model = reader.Text("model").value_or(""),
                          .from = reader.Text("from").value_or(""),
                          .to = reader.Text("to").value_or("")};
  if (absl::Status status = reader.End(); !status.ok()) return status;
  return wanted;
}

absl::StatusOr<McpListArguments> McpGlossariesArguments(const McpJson& arguments) {
  ArgumentReader reader(arguments);
  McpListArguments wanted{.model = reader.Text("model").value_or(""), .from = "", .to = ""};
  if (absl::Status status = reader.End(); !status.ok()) return status;
  return wanted;
}

McpResult McpLanguagesResult(const v1::ListLanguagesResponse& response,
                             const McpListArguments& wanted) {
  McpJson pairs = McpJson::array();
  std::vector<std::string> lines;
  size_t count = 0;
  for (const v1::LanguagePair& pair : response.pairs()) {
    if (!IsWanted(pair, wanted)) continue;
    if (++count > kMaxPairs) continue;
    lines.push_back(PairText(pair));
    pairs.push_back(
        {{"source", pair.source_language_code()}, {"target", pair.target_language_code()}});
  }
  if (count > kMaxPairs) {
    lines.push_back(absl::StrCat("and ", count - kMaxPairs,
                                 " more pairs: ask for those of one language, with from or to"));
  }
  if (lines.empty()) lines.emplace_back("There is no such pair of languages.");
  return {.texts = {absl::StrJoin(lines, "\n")},
          .structured = {{"pairs", std::move(pairs)}, {"pair_count", count}},
          .is_error = false};
}

McpResult McpGlossariesResult(const v1::ListModelsResponse& response, const std::string& model) {
  McpJson list = McpJson::array();
  std::vector<std::string> lines;
  std::vector<std::string> models;
  bool found = false;
  for (const v1::Model& each : response.models()) {
    // Models that are coming or going take no calls.
    if (each.state() != v1::Model::SERVING && each.state() != v1::Model::STATE_UNSPECIFIED)
      continue;
    models.push_back(each.name());
    if (!model.empty() && each.name() != model) continue;
    found = true;
    for (const std::string& glossary : each.glossaries()) {
      list.push_back({{"name", glossary}, {"model", each.name()}});
      lines.push_back(absl::StrCat(glossary, " (model ", each.name(), ")"));
    }
  }
  if (!model.empty() && !found) {
    return McpError(absl::NotFoundError(
        absl::StrCat("model: found '", model, "', expected one of ", absl::StrJoin(models, ", "))));
  }
  if (lines.empty()) lines.emplace_back("The server has no glossaries.");
  return {.texts = {absl::StrJoin(lines, "\n")},
          .structured = {{"glossaries", std::move(list)}},
          .is_error = false};
}

McpResult McpError(const absl::Status& status) {
  return {.texts = {ForPeople(status)}, .structured = {}, .is_error = true};
}

}  // namespace dragoman
