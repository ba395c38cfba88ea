#include "server/doors/plugin_dialects.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"
#include "server/doors/absl_view.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/field_reader.h"
#include "server/doors/known_codes.h"
#include "server/doors/languages.h"
#include "server/doors/request_fields.h"
#include "server/doors/short_tag.h"

namespace dragoman {
namespace {

using nlohmann::json;

absl::StatusOr<UnaryAction> TranslateImmersive(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = reader.Texts("text_list"),
                         .source = reader.TextOr("source_lang", kAutoLanguage),
                         .target = reader.Text("target_lang")};
  if (!reader.status().ok()) return reader.status();
  const std::string source = texts.source;
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([source](const v1::TranslateResponse& answer) -> json {
                       json all = json::array();
                       for (const v1::Translation& item : answer.translations()) {
                         all.push_back({{"detected_source_lang", SourceOf(item, source)},
                                        {"text", item.translated_text()}});
                       }
                       return {{"translations", all}};
                     })};
}

absl::StatusOr<UnaryAction> TranslateKiss(const DoorContext& /*context*/, const json& fields) {
  const bool is_list = HasField(fields, "texts");
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = reader.Texts(is_list ? "texts" : "text"),
                         .source = reader.TextOr("from", kAutoLanguage),
                         .target = reader.Text("to")};
  if (!is_list) reader.Text("text");
  if (!reader.status().ok()) return reader.status();
  const std::string from = texts.source;
  const std::string to = texts.target;
  return UnaryAction{
      RequestOf(std::move(texts)), RenderJson([=](const v1::TranslateResponse& answer) -> json {
        json all = json::array();
        for (const v1::Translation& item : answer.translations()) {
          all.push_back({{"text", item.translated_text()}, {"src", SourceOf(item, from)}});
        }
        if (is_list) return {{"translations", all}};
        json one = all.at(0);
        one["from"] = one.at("src");
        one["to"] = to;
        return one;
      })};
}

// "中文(简体)" for "中文（简体）": hcfy writes brackets in half width.
std::string NarrowBrackets(std::string_view name) {
  return absl::StrReplaceAll(View(name), {{"（", "("}, {"）", ")"}});
}

// A language's name in Chinese. Requests are compared with the names of all languages.
std::string ChineseName(std::string_view code) {
  static auto* const known = new KnownCodes();
  return known->Get(code, [](std::string_view asked) {
    return NarrowBrackets(DisplayName(ShortTag(asked), "zh"));
  });
}

// The code of a language that is named in Chinese, or by its code; "" if none is served.
std::string CodeOfName(std::string_view name, const LanguageIndex& served) {
  if (name == "中文(简体)") return "zh-Hans";
  if (name == "中文(繁体)") return "zh-Hant";
  for (const std::string& code : served.codes()) {
    if (ChineseName(code) == name) return code;
  }
  return served.Find(name).value_or("");
}

// One of the destinations, as it was asked for and as a code.
struct Destination {
  std::string name;
  std::string code;
};

absl::StatusOr<Destination> ChooseDestination(const DoorContext& context,
                                              const std::vector<std::string>& names,
                                              std::string_view source, const std::string& text) {
  const auto served = context.languages->Get(context.client);
  std::vector<Destination> found;
  for (const std::string& name : names) {
    std::string code = CodeOfName(name, served->targets_index);
    if (!code.empty()) found.push_back({name, std::move(code)});
  }
  if (found.empty()) {
    return InvalidField("destination", absl::StrCat("found ", names.size(),
                                                    " languages, expected one that is served"));
  }
  if (found.size() == 1) return found[0];
  std::string language(source);
  if (language == kAutoLanguage && context.calls->detector != nullptr) {
    // The text may be in a language that is only translated into.
    const auto detected = context.calls->detector->Detect(text, served->all);
    if (!detected.empty()) language = detected[0].language;
  }
  const bool is_first = BaseLanguage(language) == BaseLanguage(found[0].code);
  return found[is_first ? 1 : 0];
}

absl::StatusOr<UnaryAction> TranslateHcfy(const DoorContext& context, const json& fields) {
  FieldReader reader(fields);
  const std::string text = reader.Text("text");
  const std::vector<std::string> names = reader.Texts("destination");
  const std::string named = reader.TextOr("source", kAutoLanguage);
  if (!reader.status().ok()) return reader.status();
  constexpr size_t kMostDestinations = 2;
  if (names.size() > kMostDestinations) {
    return InvalidField("destination",
                        absl::StrCat("found ", names.size(), " languages, expected one or two"));
  }
  std::string source(kAutoLanguage);
  if (named != kAutoLanguage) {
    source = CodeOfName(named, context.languages->Get(context.client)->all_index);
    if (source.empty()) return InvalidField("source", "found a language that is not served");
  }
  const absl::StatusOr<Destination> destination = ChooseDestination(context, names, source, text);
  if (!destination.ok()) return destination.status();
  return UnaryAction{
      RequestOf({.texts = {text}, .source = source, .target = destination->code}),
      RenderJson(
          [text, named, to = destination->name](const v1::TranslateResponse& answer) -> json {
            const v1::Translation& item = answer.translations(0);
            const std::string& detected = item.detected_language_code();
            const std::string from =
                detected.empty() ? named : NarrowBrackets(DisplayName(ShortTag(detected), "zh"));
            return {{"text", text},
                    {"from", from},
                    {"to", to},
                    {"result", json::array({item.translated_text()})}};
          })};
}

absl::StatusOr<UnaryAction> TranslateDeeplx(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  const std::string tags = reader.TextOr("tag_handling", "");
  TextsToTranslate texts{.texts = {reader.Text("text")},
                         .source = reader.TextOr("source_lang", kAutoLanguage),
                         .target = reader.Text("target_lang"),
                         .html = tags == "html"};
  if (!tags.empty() && tags != "html") {
    reader.Fail(absl::UnimplementedError(absl::StrCat(
        "tag_handling: found ", Quoted(tags), ", expected html here, or xml at /v2/translate")));
  }
  if (!reader.status().ok()) return reader.status();
  if (absl::AsciiStrToLower(texts.source) == kAutoLanguage) texts.source = kAutoLanguage;
  const std::string source = texts.source;
  const std::string target = absl::AsciiStrToUpper(texts.target);
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([=](const v1::TranslateResponse& answer) -> json {
                       const v1::Translation& item = answer.translations(0);
                       return {{"code", 200},
                               {"id", 1},
                               {"data", item.translated_text()},
                               {"alternatives", json::array()},
                               {"source_lang", absl::AsciiStrToUpper(SourceOf(item, source))},
                               {"target_lang", target},
                               {"method", "Free"}};
                     })};
}

absl::StatusOr<UnaryAction> TranslateGooglePage(const DoorContext& /*context*/,
                                                const json& fields) {
  FieldReader reader(fields);
  const std::string text = reader.Text("q");
  const std::string source = reader.TextOr("sl", kAutoLanguage);
  const std::string target = reader.Text("tl");
  const bool with_names = reader.Flag("dj");  // an object in place of nested lists
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{
      RequestOf({.texts = {text}, .source = source, .target = target}),
      RenderJson([=](const v1::TranslateResponse& answer) -> json {
        const v1::Translation& item = answer.translations(0);
        if (with_names) {
          const json sentence = {{"trans", item.translated_text()}, {"orig", text}};
          return {{"sentences", json::array({sentence})}, {"src", SourceOf(item, source)}};
        }
        const json part = {item.translated_text(), text, nullptr, nullptr, 1};
        return json::array({json::array({part}), nullptr, SourceOf(item, source)});
      })};
}

json DeeplxError(int code, const std::string& message) {
  return {{"code", code}, {"message", message}};
}

}  // namespace

JsonDialect ImmersiveDialect() { return {.translate = TranslateImmersive, .error = PlainError}; }

JsonDialect KissDialect() { return {.translate = TranslateKiss, .error = PlainError}; }

JsonDialect HcfyDialect() { return {.translate = TranslateHcfy, .error = PlainError}; }

JsonDialect GooglePageDialect() { return {.translate = TranslateGooglePage, .error = PlainError}; }

JsonDialect DeeplxDialect() {
  return {.claims = [](const json& f) { return HasField(f, "text") && HasField(f, "target_lang"); },
          .translate = TranslateDeeplx,
          .error = DeeplxError};
}

}  // namespace dragoman
