// Input: a byte that selects a method of OpenAI's API, and its data. The data are a body, the name
// of a model, a translation to stream, or prompts (a system message and a user's, separated by a
// zero byte; or a prompt for completions). The text extracted from a prompt must occur in the
// prompt, and the pieces of a stream must add up to the translation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/languages.h"
#include "server/compat/openai_prompts.h"
#include "server/compat/openai_stream.h"
#include "tests/fuzz/adapter_server.h"

namespace dragoman {
namespace {

using nlohmann::json;

void AskPost(const AdapterServer& server, const char* path, std::string body) {
  server::HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.body = std::move(body);
  request.headers = {{"content-type", "application/json"}};
  FuzzCheck(server.Ask(request));
}

void CheckPrompt(const absl::StatusOr<server::Prompt>& prompt, std::string_view text,
                 std::string_view system) {
  static const auto* const served =
      new server::LanguageIndex({"de", "en", "zh-Hans"}, server::LanguageIndex::Names::kAll);
  if (!prompt.ok()) {
    FuzzCheck(prompt.status().code() == absl::StatusCode::kInvalidArgument);
    FuzzCheck(!engine::FirstInvalidUtf8(std::string(prompt.status().message())).has_value());
    return;
  }
  FuzzCheck(text.find(prompt->text) != std::string_view::npos);
  for (const std::string& language : {prompt->from, prompt->to}) {
    FuzzCheck(text.find(language) != std::string_view::npos ||
              system.find(language) != std::string_view::npos);
    served->FindName(language);
    served->CanMean(language, "zh-Hans");
  }
}

void RunPrompts(const AdapterServer& server, std::string_view text) {
  if (engine::FirstInvalidUtf8(text).has_value()) return;
  const std::string system(text.substr(0, text.find('\0')));
  const std::string user(system.size() < text.size() ? text.substr(system.size() + 1) : "");
  CheckPrompt(server::ReadChat({{"system", system}, {"user", user}}), user, system);
  CheckPrompt(server::ReadChat({{"user", user}}), user, "");
  CheckPrompt(server::ReadCompletionPrompt(text), text, "");
  const json chat = {
      {"model", "de-en/de/en"},
      {"messages",
       {{{"role", "system"}, {"content", system}}, {{"role", "user"}, {"content", user}}}}};
  AskPost(server, "/v1/chat/completions", chat.dump());
}

// Streams a translation that is split in two segments, which end in either order.
void RunStream(std::string_view text) {
  if (text.size() < 2 || engine::FirstInvalidUtf8(text.substr(2)).has_value()) return;
  const auto cut = static_cast<uint8_t>(text[0]);
  const bool backwards = (static_cast<uint8_t>(text[1]) & 1) != 0;
  const std::string whole(text.substr(2));
  const size_t middle = whole.empty() ? 0 : cut % (whole.size() + 1);
  if (engine::FirstInvalidUtf8(whole.substr(0, middle)).has_value()) return;

  // The source equals the translation, so that its segments have the same ranges.
  auto stream = server::MakeOpenAiStream({.is_chat = true,
                                          .model = "m",
                                          .created = 0,
                                          .with_usage = false,
                                          .sources = {whole},
                                          .error = [](const absl::Status&) { return json(); }});
  std::string pieces;
  const auto send = [&](const v1::StreamTranslateResponse& message) {
    pieces += stream->Message(message);
  };
  std::vector<v1::StreamTranslateResponse> segments(2);
  for (int i = 0; i < 2; ++i) {
    v1::StreamTranslateResponse& segment = segments[static_cast<size_t>(i)];
    const size_t begin = i == 0 ? 0 : middle;
    const size_t end = i == 0 ? middle : whole.size();
    segment.set_segment(i);
    segment.set_source_begin(static_cast<int64_t>(begin));
    segment.set_source_end(static_cast<int64_t>(end));
    segment.set_text(whole.substr(begin, end - begin));
    segment.set_final(true);
  }
  if (backwards) std::swap(segments[0], segments[1]);
  for (const v1::StreamTranslateResponse& segment : segments) send(segment);
  v1::StreamTranslateResponse last;
  last.mutable_translation()->set_translated_text(whole);
  send(last);
  pieces += stream->End(absl::OkStatus());

  std::string joined;
  size_t at = 0;
  bool done = false;
  while (at < pieces.size()) {
    const size_t end = pieces.find("\n\n", at);
    FuzzCheck(end != std::string::npos);
    const std::string data = pieces.substr(at + 6, end - at - 6);
    at = end + 2;
    if (data == "[DONE]") {
      done = true;
      continue;
    }
    const json chunk = json::parse(data, nullptr, false);
    FuzzCheck(!chunk.is_discarded() && !done);
    for (const json& choice : chunk.at("choices")) {
      joined += choice.at("delta").value("content", "");
    }
  }
  FuzzCheck(done && joined == whole);
}

void RunModel(const AdapterServer& server, std::string_view name) {
  server::HttpRequest request;
  request.method = "GET";
  request.path = "/v1/models/" + std::string(name);
  server.Ask(request);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const server = new dragoman::AdapterServer;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      dragoman::AskPost(*server, "/v1/chat/completions", std::string(text));
      break;
    case 1:
      dragoman::AskPost(*server, "/v1/completions", std::string(text));
      break;
    case 2:
      dragoman::RunModel(*server, text);
      break;
    case 3:
      dragoman::RunPrompts(*server, text);
      break;
    default:
      dragoman::RunStream(text);
      break;
  }
  return 0;
}
