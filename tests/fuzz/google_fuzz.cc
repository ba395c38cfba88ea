// Input: a byte that selects a method of Google's APIs, and its query, body, path or message. REST
// requests are checked by the adapter's answer. Conversions of messages must keep every text, and
// the answer must have a translation for each.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/api/languages.h"
#include "server/compat/google_v3.h"
#include "server/compat/riva.h"
#include "tests/fuzz/adapter_server.h"

namespace dragoman {
namespace {

server::HttpRequest Get(std::string path, std::string_view query) {
  server::HttpRequest request;
  request.method = "GET";
  request.path = std::move(path);
  request.query = query;
  return request;
}

server::HttpRequest Post(std::string path, std::string_view body) {
  server::HttpRequest request;
  request.method = "POST";
  request.path = std::move(path);
  request.body = body;
  request.headers = {{"content-type", "application/json"}};
  return request;
}

v1::TranslateResponse AnswerTo(const v1::TranslateRequest& request) {
  v1::TranslateResponse answer;
  for (const std::string& text : request.contents()) {
    answer.add_translations()->set_translated_text(text);
  }
  return answer;
}

// Checks that the converted request has the same texts in the same order.
template <typename Contents>
void CheckKept(const Contents& texts, const v1::TranslateRequest& ours) {
  FuzzCheck(ours.contents_size() == texts.size());
  for (int i = 0; i < texts.size(); ++i) FuzzCheck(ours.contents(i) == texts.Get(i));
}

void RunGoogleMessage(const std::string& bytes) {
  server::google_v3::TranslateTextRequest in;
  if (!in.ParseFromString(bytes)) return;
  const auto ours = server::FromGoogleV3(in, (bytes.size() & 1) != 0);
  if (!ours.ok()) {
    FuzzCheck(ours.status().code() == absl::StatusCode::kUnimplemented);
    return;
  }
  CheckKept(in.contents(), *ours);
  const auto out = server::ToGoogleV3(AnswerTo(*ours), in);
  FuzzCheck(out.ok() && out->translations_size() == in.contents_size());
  const bool terms = !in.glossary_config().glossary().empty();
  FuzzCheck(out->glossary_translations_size() == (terms ? in.contents_size() : 0));
  server::ReadTranslateRequest(*ours, server::RequestLimits{}, server::CallKind::kUnary);
}

void RunRivaMessage(const std::string& bytes) {
  server::riva::TranslateTextRequest in;
  if (!in.ParseFromString(bytes)) return;
  const auto ours = server::FromRiva(in);
  if (!ours.ok()) {
    FuzzCheck(ours.status().code() == absl::StatusCode::kInvalidArgument);
    for (const server::FieldViolation& violation : server::ViolationsOf(ours.status())) {
      FuzzCheck(!violation.field.empty());
      FuzzCheck(!engine::FirstInvalidUtf8(violation.description).has_value());
    }
    return;
  }
  CheckKept(in.texts(), *ours);
  for (const v1::Term& term : ours->terms()) FuzzCheck(!term.target().empty());
  const auto out = server::ToRiva(AnswerTo(*ours), in);
  FuzzCheck(out.ok() && out->translations_size() == in.texts_size());
  server::ReadTranslateRequest(*ours, server::RequestLimits{}, server::CallKind::kUnary);
}

// Asks for the name of a language, and for names in a language, where `text` is any text of a
// client.
void RunNames(std::string_view text) {
  if (engine::FirstInvalidUtf8(text).has_value()) return;
  const std::string name(text);
  FuzzCheck(!engine::FirstInvalidUtf8(server::DisplayName("de", name)).has_value());
  FuzzCheck(!engine::FirstInvalidUtf8(server::DisplayName(name, "en")).has_value());
  FuzzCheck(!engine::FirstInvalidUtf8(server::BaseLanguage(name)).has_value());
}

void Run(const AdapterServer& server, char method, std::string_view text) {
  constexpr char kParent[] = "/v3/projects/p/locations/global";
  const std::string parent = kParent;
  switch (static_cast<uint8_t>(method) % 14) {
    case 0:
      FuzzCheck(server.Ask(Post(parent + ":translateText", text)));
      break;
    case 1:
      FuzzCheck(server.Ask(Post(parent + ":detectLanguage", text)));
      break;
    case 2:
      FuzzCheck(server.Ask(Get(parent + "/supportedLanguages", text)));
      break;
    case 3:
      FuzzCheck(server.Ask(Get(parent + "/glossaries", text)));
      break;
    case 4:
      server.Ask(Get(parent + "/glossaries/" + std::string(text), ""));
      break;
    case 5:
      server.Ask(Post("/v3/projects/" + std::string(text), "{}"));
      break;
    case 6:
      server.Ask(Get("/v3/projects/" + std::string(text), ""));
      break;
    case 7:
      FuzzCheck(server.Ask(Post("/language/translate/v2", text)));
      break;
    case 8:
      FuzzCheck(server.Ask(Get("/language/translate/v2", text)));
      break;
    case 9:
      FuzzCheck(server.Ask(Post("/language/translate/v2/detect", text)));
      break;
    case 10:
      FuzzCheck(server.Ask(Get("/language/translate/v2/languages", text)));
      break;
    case 11:
      RunGoogleMessage(std::string(text));
      break;
    case 12:
      RunRivaMessage(std::string(text));
      break;
    default:
      RunNames(text);
      break;
  }
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const server = new dragoman::AdapterServer;
  if (size == 0) return 0;
  dragoman::Run(*server, static_cast<char>(data[0]),
                {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
