#include "server/compat/openai_request.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/api/json_body.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/compat/openai_models.h"
#include "server/compat/openai_prompts.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Fields that request nothing if they have one of these values. Any other value requests a feature
// that is not supported.
struct NeutralField {
  const char* name;
  const char* values;  // a JSON list
};
constexpr NeutralField kNeutral[] = {
    {"presence_penalty", "[0]"},
    {"frequency_penalty", "[0]"},
    {"stop", R"(["", []])"},
    {"logit_bias", "[{}]"},
    {"logprobs", "[false]"},
    {"top_logprobs", "[]"},
    {"tools", "[[]]"},
    {"tool_choice", R"(["none", "auto"])"},
    {"parallel_tool_calls", "[true, false]"},
    {"response_format", R"([{"type": "text"}])"},
    {"modalities", R"([["text"]])"},
    {"store", "[false]"},
    {"service_tier", R"(["auto", "default"])"},
    {"echo", "[false]"},
    {"suffix", R"([""])"},
};

bool IsNeutral(const NeutralField& field, const json& value) {
  if (value.is_null()) return true;
  for (const json& neutral : json::parse(field.values)) {
    if (value == neutral) return true;
  }
  return false;
}

// Returns UNIMPLEMENTED that names the fields that are neither `known` nor neutral.
absl::Status CheckOthers(const json& body, std::initializer_list<std::string_view> known) {
  std::vector<std::string> refused;
  for (const auto& [name, value] : body.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    bool neutral = false;
    for (const NeutralField& field : kNeutral) {
      neutral = neutral || (name == field.name && IsNeutral(field, value));
    }
    constexpr size_t kNamed = 8;
    if (!neutral && refused.size() < kNamed) refused.push_back(Printable(name));
  }
  return refused.empty() ? absl::OkStatus() : UnimplementedFields(refused);
}

absl::Status OutOfRange(const char* field, const std::string& found, const char* expected) {
  return InvalidField(field, absl::StrCat("found ", found, ", expected ", expected));
}

// Reads the options that both methods share.
absl::Status ReadOptions(const json& body, OpenAiRequest* out) {
  std::optional<int64_t> n;
  std::optional<int64_t> max_tokens;
  std::optional<int64_t> max_completion_tokens;
  std::optional<int64_t> seed;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<bool> stream;
  std::optional<std::string> user;
  std::optional<std::string> model;
  for (const absl::Status& status :
       {ReadField(body, "model", &model), ReadField(body, "n", &n),
        ReadField(body, "max_tokens", &max_tokens),
        ReadField(body, "max_completion_tokens", &max_completion_tokens),
        ReadField(body, "seed", &seed), ReadField(body, "temperature", &temperature),
        ReadField(body, "top_p", &top_p), ReadField(body, "stream", &stream),
        ReadField(body, "user", &user)}) {
    if (!status.ok()) return status;
  }
  out->model = model.value_or("");
  v1::DecodingOptions* const decoding = out->request.mutable_decoding();
  constexpr int64_t kMostChoices = 64;
  if (n.value_or(1) < 1 || n.value_or(1) > kMostChoices) {
    return OutOfRange("n", absl::StrCat(*n), "1 to 64");
  }
  out->choices = static_cast<int>(n.value_or(1));
  if (out->choices > 1) decoding->set_num_alternatives(out->choices);
  for (const auto& [name, tokens] :
       {std::pair{"max_tokens", max_tokens}, {"max_completion_tokens", max_completion_tokens}}) {
    constexpr int64_t kMostTokens = 1'000'000;
    if (!tokens.has_value()) continue;
    if (*tokens < 1) return OutOfRange(name, absl::StrCat(*tokens), "1 or more");
    decoding->set_max_output_tokens(static_cast<int32_t>(std::min(*tokens, kMostTokens)));
  }
  if (temperature.has_value()) {
    if (!(*temperature >= 0 && *temperature <= 2)) {
      return OutOfRange("temperature", absl::StrCat(*temperature), "0 to 2");
    }
    if (*temperature > 0) decoding->set_temperature(static_cast<float>(*temperature));
  }
  if (top_p.has_value()) {
    if (!(*top_p > 0 && *top_p <= 1)) {
      return OutOfRange("top_p", absl::StrCat(*top_p), "above 0 and at most 1");
    }
    if (*top_p < 1) {
      decoding->mutable_sampling()->set_top_p(static_cast<float>(*top_p));
      if (seed.has_value()) {
        decoding->mutable_sampling()->set_seed(static_cast<uint64_t>(*seed));
      }
    }
  }
  out->stream = stream.value_or(false);
  if (const auto options = body.find("stream_options"); options != body.end()) {
    std::optional<bool> usage;
    if (!options->is_null() && !options->is_object()) {
      return OutOfRange("stream_options", KindOf(*options), "an object");
    }
    if (options->is_object()) {
      if (absl::Status read = ReadField(*options, "include_usage", &usage); !read.ok()) return read;
      if (absl::Status known = CheckFields(*options, {"include_usage"}); !known.ok()) return known;
    }
    out->stream_usage = usage.value_or(false);
  }
  if (out->stream && out->choices > 1) {
    return InvalidField("n", absl::StrCat("found ", out->choices,
                                          " with stream, expected 1: alternatives are known at the "
                                          "end only"));
  }
  if (user.has_value()) (*out->request.mutable_labels())["user"] = *user;
  if (const auto metadata = body.find("metadata"); metadata != body.end() && !metadata->is_null()) {
    if (!metadata->is_object()) return OutOfRange("metadata", KindOf(*metadata), "an object");
    for (const auto& [key, value] : metadata->items()) {
      if (!value.is_string()) return OutOfRange("metadata", KindOf(value), "strings");
      (*out->request.mutable_labels())[key] = value.get<std::string>();
    }
  }
  out->request.mutable_return_options()->set_tokens(true);  // usage counts them
  return absl::OkStatus();
}

// Reads the content of message number `i`: a text, or a list of parts of type text.
absl::Status ReadContent(const json& message, size_t i, std::string* out) {
  const std::string field = absl::StrCat("messages[", i, "].content");
  const auto content = message.find("content");
  if (content == message.end()) return InvalidField(field, "found none, expected a text");
  if (content->is_string()) {
    *out = content->get<std::string>();
    return absl::OkStatus();
  }
  if (!content->is_array()) {
    return InvalidField(field, absl::StrCat("found ", KindOf(*content), ", expected a text"));
  }
  for (const json& part : *content) {
    const bool is_text = part.is_object() && part.value("type", json()) == "text" &&
                         part.value("text", json()).is_string();
    if (!is_text) {
      return InvalidField(field, "found a part of another type, expected parts of type text");
    }
    out->append(part["text"].get<std::string>());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ChatMessage>> ReadMessages(const json& body) {
  const auto list = body.find("messages");
  if (list == body.end() || !list->is_array()) {
    return InvalidField("messages",
                        absl::StrCat("found ", list == body.end() ? "none" : KindOf(*list),
                                     ", expected a list of messages"));
  }
  std::vector<ChatMessage> messages;
  for (size_t i = 0; i < list->size(); ++i) {
    const json& message = (*list)[i];
    std::optional<std::string> role;
    if (!message.is_object()) {
      return InvalidField(absl::StrCat("messages[", i, "]"),
                          absl::StrCat("found ", KindOf(message), ", expected an object"));
    }
    if (absl::Status read = ReadField(message, "role", &role); !read.ok()) return read;
    ChatMessage read{.role = role.value_or(""), .content = ""};
    if (absl::Status status = ReadContent(message, i, &read.content); !status.ok()) return status;
    messages.push_back(std::move(read));
  }
  return messages;
}

// Finds the languages of a request's prompts. Looks up the model and each spelling only once.
class PairFinder {
 public:
  // The maximum number of spellings in a request. Each one costs a lookup, and a front end uses
  // only one.
  static constexpr size_t kMaxSpellings = 8;

  PairFinder(const AdapterContext& context, const Client* client, std::string model)
      : context_(context), client_(client), model_(std::move(model)) {}

  absl::StatusOr<NamedPair> Find(const Prompt& prompt) {
    const auto at = known_.find({prompt.from, prompt.to});
    if (at != known_.end()) return at->second;
    if (known_.size() == kMaxSpellings) {
      return InvalidField("prompt", absl::StrCat("found languages named in more than ",
                                                 kMaxSpellings, " ways, expected one"));
    }
    if (absl::Status found = FindModel(); !found.ok()) return found;
    absl::StatusOr<NamedPair> pair = WithLanguages(*names_, of_model_, prompt.from, prompt.to);
    if (pair.ok()) known_.emplace(std::pair(prompt.from, prompt.to), *pair);
    return pair;
  }

 private:
  absl::Status FindModel() {
    if (names_ != nullptr) return absl::OkStatus();
    const std::vector<ModelPtr> models = VisibleModels(*context_.calls, client_);
    absl::StatusOr<NamedPair> pair = FindOpenAiModel(models, model_);
    if (!pair.ok()) return pair.status();
    of_model_ = *std::move(pair);
    for (const ModelPtr& model : models) {
      if (model->name == of_model_.model) names_ = context_.languages->NamesOf(model);
    }
    return absl::OkStatus();
  }

  const AdapterContext& context_;
  const Client* const client_;
  const std::string model_;
  NamedPair of_model_;
  std::shared_ptr<const ModelNames> names_;  // the model's languages; null until FindModel
  std::map<std::pair<std::string, std::string>, NamedPair> known_;
};

// Adds a prompt. All prompts of a request must have the same languages.
absl::Status AddPrompt(const AdapterContext& context, const Prompt& prompt, PairFinder* finder,
                       OpenAiRequest* out) {
  const absl::StatusOr<NamedPair> pair = finder->Find(prompt);
  if (!pair.ok()) return pair.status();
  v1::TranslateRequest& request = out->request;
  std::string source = pair->source;
  if (source.empty() && context.calls->detector != nullptr) source = "auto";
  const bool is_first = request.contents_size() == 0;
  if (!is_first && (request.source_language_code() != source ||
                    request.target_language_code() != pair->target)) {
    return InvalidField("prompt", "found prompts of several pairs of languages, expected one pair");
  }
  request.set_model(pair->model);
  request.set_preserve(true);
  request.set_source_language_code(source);
  request.set_target_language_code(pair->target);
  if (out->model.empty()) out->model = pair->id;
  for (const auto& [term, translation] : prompt.terms) {
    if (translation.empty()) {
      request.add_do_not_translate(term);
      continue;
    }
    v1::Term* const added = request.add_terms();
    added->set_source(term);
    added->set_target(translation);
  }
  if (!prompt.batch.has_value()) {
    request.add_contents(prompt.text);
    return absl::OkStatus();
  }
  if (out->stream || out->choices > 1) {
    return InvalidField(out->stream ? "stream" : "n",
                        "found with segments, which are answered as a whole; expected neither "
                        "stream nor n");
  }
  for (const std::string& text : prompt.batch->texts) request.add_contents(text);
  if (prompt.batch->html) request.set_mime_type("text/html");
  out->batch = prompt.batch;
  return absl::OkStatus();
}

absl::StatusOr<json> ReadBody(const HttpRequest& request, const CallContext& calls) {
  if (absl::Status loaded = CheckLoaded(calls); !loaded.ok()) return loaded;
  if (absl::Status type = CheckJsonType(request); !type.ok()) return type;
  return ParseJsonObject(request);
}

}  // namespace

absl::StatusOr<OpenAiRequest> ReadOpenAiChat(const HttpRequest& request,
                                             const AdapterContext& context, const Client* client) {
  const absl::StatusOr<json> body = ReadBody(request, *context.calls);
  if (!body.ok()) return body.status();
  OpenAiRequest out{.is_chat = true};
  absl::Status status =
      CheckOthers(*body, {"model", "messages", "n", "max_tokens", "max_completion_tokens", "seed",
                          "temperature", "top_p", "stream", "stream_options", "user", "metadata"});
  if (status.ok()) status = ReadOptions(*body, &out);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<ChatMessage>> messages = ReadMessages(*body);
  if (!messages.ok()) return messages.status();
  const absl::StatusOr<Prompt> prompt = ReadChat(*messages);
  if (!prompt.ok()) return prompt.status();
  PairFinder finder(context, client, out.model);
  status = AddPrompt(context, *prompt, &finder, &out);
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<OpenAiRequest> ReadOpenAiCompletion(const HttpRequest& request,
                                                   const AdapterContext& context,
                                                   const Client* client) {
  const absl::StatusOr<json> body = ReadBody(request, *context.calls);
  if (!body.ok()) return body.status();
  OpenAiRequest out;
  absl::Status status =
      CheckOthers(*body, {"model", "prompt", "n", "best_of", "max_tokens", "seed", "temperature",
                          "top_p", "stream", "stream_options", "user"});
  if (status.ok()) status = ReadOptions(*body, &out);
  if (!status.ok()) return status;
  std::optional<int64_t> best_of;
  std::optional<std::vector<std::string>> prompts;
  status = ReadField(*body, "best_of", &best_of);
  if (status.ok()) status = ReadField(*body, "prompt", &prompts);
  if (!status.ok()) return status;
  if (best_of.value_or(out.choices) != out.choices) {
    return InvalidField("best_of", absl::StrCat("found ", *best_of, ", expected n, which is ",
                                                out.choices, ": the search keeps its best"));
  }
  if (!prompts.has_value() || prompts->empty()) {
    return InvalidField("prompt", "found none, expected a text or a list of texts");
  }
  // The number is checked before the prompts are compared with the templates.
  if (prompts->size() > static_cast<size_t>(context.calls->limits.max_items)) {
    return InvalidField("prompt",
                        absl::StrCat("found ", prompts->size(), " texts, expected at most ",
                                     context.calls->limits.max_items));
  }
  PairFinder finder(context, client, out.model);
  for (const std::string& text : *prompts) {
    const absl::StatusOr<Prompt> prompt = ReadCompletionPrompt(text);
    if (!prompt.ok()) return prompt.status();
    status = AddPrompt(context, *prompt, &finder, &out);
    if (!status.ok()) return status;
  }
  return out;
}

}  // namespace dragoman::server
