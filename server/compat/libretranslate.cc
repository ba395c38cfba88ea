#include "server/compat/libretranslate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "engine/documents/document.h"
#include "server/api/absl_view.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/job_files.h"
#include "server/api/json_body.h"
#include "server/api/languages.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/jobs/job_calls.h"
#include "server/compat/dialect_parts.h"
#include "server/compat/json_dialect.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Converts the two codes that only Argos uses, and that LibreTranslate's page and clients send.
std::string CodeOf(std::string code) {
  return code == "pb" || code == "zt" ? NormalTag(code) : code;
}

// Returns a percentage with one decimal.
json Percent(double confidence) { return std::round(confidence * 1000) / 10; }

json DetectedOf(const v1::Translation& item) {
  if (item.detected_language_code().empty()) return {{"confidence", 0.0}, {"language", "en"}};
  return {{"confidence", Percent(item.detection_confidence())},
          {"language", ShortTag(item.detected_language_code())}};
}

json AlternativesOf(const v1::Translation& item) {
  json texts = json::array();
  std::set<std::string> seen = {item.translated_text()};
  for (const v1::Alternative& other : item.alternatives()) {
    if (seen.insert(other.text()).second) texts.push_back(other.text());
  }
  return texts;
}

// A request of /translate.
struct Wanted {
  std::vector<std::string> texts;
  bool is_list = false;
  bool is_auto = false;
  int64_t alternatives = 0;
};

json AnswerOf(const Wanted& wanted, const v1::TranslateResponse& answer) {
  json body = json::object();
  const auto each = [&](const char* name, auto&& of) {
    json values = json::array();
    for (const v1::Translation& item : answer.translations()) values.push_back(of(item));
    body[name] = wanted.is_list ? std::move(values) : std::move(values.at(0));
  };
  each("translatedText", [](const v1::Translation& item) { return item.translated_text(); });
  if (wanted.is_auto) each("detectedLanguage", DetectedOf);
  if (wanted.alternatives > 0) each("alternatives", AlternativesOf);
  return body;
}

HttpResponse Unchanged(const Wanted& wanted) {
  v1::TranslateResponse same;
  for (const std::string& text : wanted.texts) same.add_translations()->set_translated_text(text);
  return WithCors(JsonResponse(200, AnswerOf(wanted, same)));
}

absl::Status Invalid(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("Invalid request: ", View(what)));
}

// Reads a required text.
absl::Status ReadParameter(const json& fields, const char* name, std::string* out) {
  std::optional<std::string> text;
  const absl::Status read = ReadField(fields, name, &text);
  if (!read.ok()) return read;
  if (!text.has_value() || text->empty()) {
    return Invalid(absl::StrCat("missing ", name, " parameter"));
  }
  *out = *std::move(text);
  return absl::OkStatus();
}

absl::Status ReadTexts(const json& fields, const RequestLimits& limits, Wanted* wanted) {
  std::optional<std::vector<std::string>> texts;
  const absl::Status read = ReadField(fields, "q", &texts);
  if (!read.ok()) return read;
  if (!texts.has_value() || texts->empty()) return Invalid("missing q parameter");
  wanted->is_list = fields.at("q").is_array();
  if (!wanted->is_list && texts->front().empty()) return Invalid("missing q parameter");
  wanted->texts = *std::move(texts);
  if (wanted->texts.size() > static_cast<size_t>(limits.max_items)) {
    return Invalid(absl::StrCat("request (", wanted->texts.size(), ") exceeds batch limit (",
                                limits.max_items, ")"));
  }
  int64_t characters = 0;
  for (const std::string& text : wanted->texts) characters += engine::CountCodePoints(text);
  if (characters > limits.max_code_points) {
    return Invalid(absl::StrCat("request (", characters, ") exceeds text limit (",
                                limits.max_code_points, ")"));
  }
  return absl::OkStatus();
}

absl::Status ReadFormat(const json& fields, bool* html) {
  std::optional<std::string> format;
  const absl::Status read = ReadField(fields, "format", &format);
  if (!read.ok()) return read;
  if (format.has_value() && *format != "" && *format != "text" && *format != "html") {
    return Invalid(absl::StrCat("format: found ", Quoted(*format), ", expected text or html"));
  }
  *html = format == "html";
  return absl::OkStatus();
}

absl::Status ReadAlternatives(const json& fields, int64_t most, int64_t* out) {
  std::optional<int64_t> alternatives;
  const absl::Status read = ReadFormField(fields, "alternatives", &alternatives);
  if (!read.ok()) return read;
  *out = alternatives.value_or(0);
  if (*out < 0 || *out > most) {
    return Invalid(absl::StrCat("alternatives: found ", *out, ", it must be 0 to ", most));
  }
  return absl::OkStatus();
}

int64_t MostAlternatives(const CallContext& calls, const Client* client) {
  int most = 1;
  for (const ModelPtr& model : VisibleModels(calls, client)) {
    most = std::max(most, model->engine->info().max_beam);
  }
  return most - 1;
}

}  // namespace

std::vector<AdapterRoute> LibreTranslateAdapter::Routes() {
  std::vector<AdapterRoute> routes;
  const auto add = [&](const char* method, const char* path, RpcMethod rpc, bool is_open) {
    routes.push_back({.method = method, .path = path, .rpc = rpc, .is_open = is_open});
    routes.push_back({.method = "OPTIONS", .path = path, .rpc = rpc, .is_open = true});
  };
  add("POST", "/detect", RpcMethod::kDetectLanguage, false);
  // Mastodon requests these without its key, which LibreTranslate allows.
  add("GET", "/languages", RpcMethod::kListLanguages, true);
  add("GET", "/frontend/settings", RpcMethod::kQuery, true);
  add("GET", "/health", RpcMethod::kQuery, true);
  add("GET", "/spec", RpcMethod::kQuery, true);
  add("POST", "/translate_file", RpcMethod::kCreateJob, false);
  add("GET", "/download_file/*", RpcMethod::kReadJob, false);
  add("POST", "/suggest", RpcMethod::kQuery, false);
  return routes;
}

std::string LibreTranslateAdapter::Key(const HttpRequest& request) const {
  std::string key = TokenKey(request);  // for clients of MTranServer, which has some of these paths
  return key.empty() ? TextOfField(request, "api_key") : key;
}

absl::StatusOr<AdapterAction> LibreTranslateAdapter::Handle(const HttpRequest& request,
                                                            const Client* client) const {
  if (request.method == "OPTIONS") return CorsPreflight();
  if (request.path == "/languages") return Languages(request, client);
  if (request.path == "/detect") return Detect(request);
  if (request.path == "/frontend/settings") return FrontendSettings();
  if (request.path == "/spec") {
    return context_.lists->Get(request, "LibreTranslate spec", {},
                               [] { return WithCors(JsonResponse(200, LibreTranslateSpec())); });
  }
  if (request.path == "/health") {
    const bool draining = context_.calls->is_draining();
    return WithCors(JsonResponse(draining ? 503 : 200, {{"status", draining ? "draining" : "ok"}}));
  }
  if (request.path == "/suggest") {
    return absl::PermissionDeniedError("Suggestions are disabled on this server.");
  }
  if (context_.calls->jobs == nullptr) {
    return absl::PermissionDeniedError("Files translation are disabled on this server.");
  }
  if (request.path == "/translate_file") return TranslateFile(request, client);
  return DownloadFile(request, client);
}

absl::StatusOr<AdapterAction> LibreTranslateAdapter::TranslateFile(const HttpRequest& request,
                                                                   const Client* client) const {
  const absl::StatusOr<Form> form = ReadForm(request);
  if (!form.ok()) return form.status();
  const auto file = std::ranges::find(form->fields(), "file", &FormField::name);
  if (file == form->fields().end()) return Invalid("Invalid request: missing file parameter");
  if (file->file_name.empty()) return Invalid("Invalid request: empty file");
  for (const char* const name : {"source", "target"}) {
    if (form->Find(name).has_value()) continue;
    return Invalid(absl::StrCat("Invalid request: missing ", name, " parameter"));
  }
  v1::CreateJobRequest create;
  v1::TranslateRequest* const options = create.mutable_request();
  options->set_source_language_code(CodeOf(std::string(*form->Find("source"))));
  options->set_target_language_code(CodeOf(std::string(*form->Find("target"))));
  create.set_name(file->file_name);
  absl::StatusOr<v1::Job> job =
      CreateJobWith(*context_.calls, client, std::move(create), file->value);
  if (!job.ok()) return job.status();
  // LibreTranslate names the host by which the client has reached it.
  const std::string url =
      absl::StrCat(context_.has_tls ? "https://" : "http://", std::string(request.Header("host")),
                   "/download_file/", job->id(), ".", job->format());
  JobAction action;
  action.job = *std::move(job);
  action.render = [url](const v1::Job& /*job*/) {
    return WithCors(JsonResponse(200, {{"translatedFileUrl", url}}));
  };
  return action;
}

absl::StatusOr<AdapterAction> LibreTranslateAdapter::DownloadFile(const HttpRequest& request,
                                                                  const Client* client) const {
  constexpr std::string_view kPath = "/download_file/";
  v1::GetJobRequest get;
  get.set_id(request.path.substr(kPath.size()));
  get.set_id(get.id().substr(0, get.id().find('.')));
  const absl::StatusOr<v1::Job> job = GetJob(*context_.calls, client, get);
  if (!job.ok()) return Invalid("Invalid filename");
  absl::StatusOr<HttpResponse> result = ResultOfJob(*context_.calls, client, *job);
  if (!result.ok()) return result.status();
  return WithCors(*std::move(result));
}

HttpResponse LibreTranslateAdapter::Error(const HttpRequest& /*request*/,
                                          const absl::Status& status) const {
  int code = StatusWithoutRetry(status);
  std::string message(status.message());
  if (status.code() == absl::StatusCode::kUnauthenticated) code = 403;
  if (status.code() == absl::StatusCode::kResourceExhausted) message = "Slowdown: " + message;
  return WithCors(JsonResponse(code, {{"error", message}}));
}

absl::StatusOr<AdapterAction> LibreTranslateAdapter::Translate(const json& fields,
                                                               const Client* client) const {
  Wanted wanted;
  TextsToTranslate texts;
  absl::Status read = ReadTexts(fields, context_.calls->limits, &wanted);
  if (read.ok()) read = ReadParameter(fields, "source", &texts.source);
  if (read.ok()) read = ReadParameter(fields, "target", &texts.target);
  if (read.ok()) read = ReadFormat(fields, &texts.html);
  if (read.ok()) {
    read =
        ReadAlternatives(fields, MostAlternatives(*context_.calls, client), &wanted.alternatives);
  }
  if (!read.ok()) return read;
  wanted.is_auto = texts.source == kAutoLanguage;
  texts.source = CodeOf(std::move(texts.source));
  texts.target = CodeOf(std::move(texts.target));
  if (IsOneLanguage(texts.source, texts.target, client)) return Unchanged(wanted);
  texts.texts = std::move(wanted.texts);

  UnaryAction action;
  action.request = RequestOf(std::move(texts));
  if (wanted.alternatives > 0) {
    action.request.mutable_decoding()->set_num_alternatives(
        static_cast<int32_t>(wanted.alternatives + 1));
  }
  action.render = [this, wanted](const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    if (!failed.ok()) return Error({}, failed);
    return WithCors(JsonResponse(200, AnswerOf(wanted, answer)));
  };
  return action;
}

bool LibreTranslateAdapter::IsOneLanguage(const std::string& source, const std::string& target,
                                          const Client* client) const {
  return ShortTag(source) == ShortTag(target) &&
         context_.languages->Get(client)->all_index.Find(source).has_value();
}

absl::StatusOr<AdapterAction> LibreTranslateAdapter::Detect(const HttpRequest& request) const {
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  Wanted wanted;
  const absl::Status read = ReadTexts(*fields, context_.calls->limits, &wanted);
  if (!read.ok()) return read;
  DetectAction action;
  for (std::string& text : wanted.texts) action.request.add_contents(std::move(text));
  action.render = [is_list = wanted.is_list](const v1::DetectLanguageResponse& answer) {
    json all = json::array();
    for (const v1::Detection& detection : answer.detections()) {
      json found = json::array();
      for (const v1::DetectedLanguage& one : detection.languages()) {
        found.push_back({{"confidence", Percent(one.confidence())},
                         {"language", ShortTag(one.language_code())}});
      }
      if (found.empty()) found.push_back({{"confidence", 0.0}, {"language", "en"}});
      all.push_back(std::move(found));
    }
    return WithCors(JsonResponse(200, is_list ? all : all.at(0)));
  };
  return action;
}

HttpResponse LibreTranslateAdapter::Languages(const HttpRequest& request,
                                              const Client* client) const {
  return context_.lists->Get(
      request, "LibreTranslate languages", MadeOfModels(VisibleModels(*context_.calls, client)),
      [&] { return WithCors(MakeLanguages(*context_.languages->Get(client))); });
}

HttpResponse LibreTranslateAdapter::MakeLanguages(const ServedLanguages& languages) {
  std::map<std::string, std::set<std::string>> targets_of;
  for (const auto& [source, targets] : languages.targets_of) {
    std::set<std::string>& all = targets_of[source.empty() ? "" : ShortTag(source)];
    for (const std::string& target : targets) all.insert(ShortTag(target));
  }
  if (const auto any = targets_of.find(""); any != targets_of.end()) {
    const std::set<std::string> targets = std::move(any->second);
    targets_of.erase(any);
    for (const std::string& language : languages.all) {
      targets_of[ShortTag(language)].insert(targets.begin(), targets.end());
    }
  }
  // Every language has itself as a target, as in LibreTranslate. Clients use the codes for both.
  for (const std::string& language : languages.all) {
    const std::string code = ShortTag(language);
    targets_of[code].insert(code);
  }
  json list = json::array();
  for (const auto& [source, targets] : targets_of) {
    list.push_back({{"code", source}, {"name", DisplayName(source, "en")}, {"targets", targets}});
  }
  return JsonResponse(200, list);
}

HttpResponse LibreTranslateAdapter::FrontendSettings() const {
  // The route needs no key, so it shows no language if calls need one.
  const auto served = context_.keys_needed ? std::make_shared<const ServedLanguages>()
                                           : context_.languages->Get(nullptr);
  const auto named = [](const std::string& code) -> json {
    return {{"code", code}, {"name", DisplayName(code, "en")}};
  };
  const json detected = {{"code", kAutoLanguage}, {"name", "Auto Detect"}};
  json formats = json::array();
  if (context_.calls->jobs != nullptr) {
    for (const engine::DocumentFormat& format : engine::DocumentFormats()) {
      formats.push_back(absl::StrCat(".", std::string(format.name)));
    }
  }
  const bool detects = context_.calls->detector != nullptr || served->sources.empty();
  const json source = detects ? detected : named(ShortTag(served->sources.front()));
  const std::string target = served->targets.empty() ? "en" : ShortTag(served->targets.front());
  return WithCors(
      JsonResponse(200, {{"charLimit", context_.calls->limits.max_code_points},
                         {"frontendTimeout", 500},
                         {"apiKeys", context_.keys_needed},
                         {"keyRequired", context_.keys_needed},
                         {"suggestions", false},
                         {"filesTranslation", !formats.empty()},
                         {"supportedFilesFormat", formats},
                         {"language", {{"source", source}, {"target", named(target)}}}}));
}

}  // namespace dragoman::server
