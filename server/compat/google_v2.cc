
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/json_body.h"
#include "server/api/languages.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"
#include "server/compat/google_rest.h"
#include "server/compat/google_v3.h"
#include "server/compat/json_dialect.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

constexpr char kTranslate[] = "/language/translate/v2";
constexpr char kAlias[] = "/google/language/translate/v2";  // MTranServer's path for this API
constexpr char kToken[] = "token";                          // MTranServer's parameter for the key
constexpr char kDetect[] = "/language/translate/v2/detect";
constexpr char kLanguages[] = "/language/translate/v2/languages";

// The parameters of a request, from query, form or JSON.
struct Parameters {
  std::vector<std::string> q;
  std::optional<std::string> source;
  std::optional<std::string> target;
  std::optional<std::string> format;
  std::optional<std::string> model;
};

absl::Status ReadJson(const HttpRequest& request, Parameters* out) {
  const absl::StatusOr<json> body = ParseJsonObject(request);
  if (!body.ok()) return body.status();
  std::optional<std::vector<std::string>> q;
  std::optional<std::vector<std::string>> cid;
  for (const absl::Status& status :
       {ReadField(*body, "q", &q), ReadField(*body, "source", &out->source),
        ReadField(*body, "target", &out->target), ReadField(*body, "format", &out->format),
        ReadField(*body, "model", &out->model), ReadField(*body, "cid", &cid),
        CheckFields(*body, {"q", "source", "target", "format", "model", "cid"})}) {
    if (!status.ok()) return status;
  }
  if (q.has_value()) out->q.insert(out->q.end(), q->begin(), q->end());
  if (cid.has_value() && !cid->empty()) return UnimplementedFields({"cid"});
  return absl::OkStatus();
}

absl::Status ReadFields(const Form& form, bool is_alias, Parameters* out) {
  std::vector<std::string> unknown;
  for (const FormField& field : form.fields()) {
    if (field.name == "q") {
      out->q.push_back(field.value);
    } else if (field.name == "source") {
      out->source = field.value;
    } else if (field.name == "target") {
      out->target = field.value;
    } else if (field.name == "format") {
      out->format = field.value;
    } else if (field.name == "model") {
      out->model = field.value;
    } else if (field.name == "cid" && field.value.empty()) {
      continue;
    } else if (!IsGoogleSystemParameter(field.name) && !(is_alias && field.name == kToken) &&
               unknown.size() < 8) {
      unknown.push_back(Printable(field.name));
    }
  }
  return unknown.empty() ? absl::OkStatus() : UnimplementedFields(unknown);
}

absl::StatusOr<Parameters> ReadParameters(const HttpRequest& request) {
  Parameters out;
  const absl::StatusOr<Form> form = ReadForm(request);
  if (!form.ok()) return form.status();
  absl::Status status = ReadFields(*form, request.path == kAlias, &out);
  if (status.ok() && request.method == "POST" && MediaType(request) == "application/json" &&
      !request.body.empty()) {
    status = ReadJson(request, &out);
  }
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<AdapterAction> Translate(Parameters in, const AdapterContext& context) {
  v1::TranslateRequest request;
  const std::string format = in.format.value_or("html");
  if (!format.empty() && format != "html" && format != "text") {
    return InvalidField("format",
                        absl::StrCat("found ", Quoted(format), ", expected html or text"));
  }
  if (in.q.empty()) return InvalidField("q", "found none, expected a text or several");
  if (in.target.value_or("").empty()) {
    return InvalidField("target", "found none, expected a language code");
  }
  for (std::string& text : in.q) request.add_contents(std::move(text));
  request.set_mime_type(format == "text" ? "text/plain" : "text/html");
  request.set_preserve(true);
  const bool detects = in.source.value_or("").empty();
  request.set_source_language_code(in.source.value_or(""));
  if (detects && context.calls->detector != nullptr) request.set_source_language_code("auto");
  request.set_target_language_code(*in.target);
  request.set_model(ModelOfGoogle(in.model.value_or("")));
  return UnaryAction{
      .request = std::move(request),
      .render = [detects, model = in.model.value_or("")](const v1::TranslateResponse& answer) {
        if (const absl::Status failed = ItemErrorOf(answer); !failed.ok()) {
          return GoogleV2Adapter(AdapterContext{}).Error(HttpRequest{}, failed);
        }
        json translations = json::array();
        for (const v1::Translation& translation : answer.translations()) {
          json one = {{"translatedText", translation.translated_text()}};
          if (detects && !translation.detected_language_code().empty()) {
            one["detectedSourceLanguage"] = translation.detected_language_code();
          }
          if (!model.empty()) one["model"] = model;
          translations.push_back(std::move(one));
        }
        return JsonResponse(200, {{"data", {{"translations", std::move(translations)}}}});
      }};
}

absl::StatusOr<AdapterAction> Detect(Parameters in) {
  if (in.q.empty()) return InvalidField("q", "found none, expected a text or several");
  v1::DetectLanguageRequest request;
  for (std::string& text : in.q) request.add_contents(std::move(text));
  return DetectAction{
      .request = std::move(request), .render = [](const v1::DetectLanguageResponse& answer) {
        json detections = json::array();
        for (const v1::Detection& found : answer.detections()) {
          const bool known = !found.languages().empty();
          const double confidence = known ? found.languages(0).confidence() : 0;
          detections.push_back({{{"language", known ? found.languages(0).language_code() : "und"},
                                 {"confidence", confidence},
                                 {"isReliable", confidence >= 0.5}}});
        }
        return JsonResponse(200, {{"data", {{"detections", std::move(detections)}}}});
      }};
}

absl::StatusOr<AdapterAction> ListLanguages(const HttpRequest& asked, const Parameters& in,
                                            const AdapterContext& context, const Client* client) {
  const std::string name = ModelOfGoogle(in.model.value_or(""));
  const auto models = FindVisibleModels(*context.calls, client, name);
  if (!models.ok()) return models.status();
  const std::string target = NormalTag(in.target.value_or(""));
  if (absl::Status fits = CheckDisplayLanguage("target", target); !fits.ok()) return fits;
  return context.lists->Get(
      asked, absl::StrCat("Google v2 languages ", target), MadeOfModels(*models), [&] {
        const std::shared_ptr<const ServedLanguages> served =
            name.empty() ? context.languages->Get(client)
                         : std::make_shared<const ServedLanguages>(LanguagesOf(*models));
        json languages = json::array();
        for (const std::string& code : served->all) {
          json one = {{"language", code}};
          if (!target.empty()) one["name"] = DisplayName(code, target);
          languages.push_back(std::move(one));
        }
        return JsonResponse(200, {{"data", {{"languages", std::move(languages)}}}});
      });
}

}  // namespace

std::vector<AdapterRoute> GoogleV2Adapter::Routes() {
  std::vector<AdapterRoute> routes;
  for (const char* method : {"GET", "POST"}) {
    routes.push_back({.method = method, .path = kAlias});
  }
  for (const char* method : {"GET", "POST"}) {
    routes.push_back({.method = method, .path = kTranslate});
    routes.push_back({.method = method, .path = kDetect, .rpc = RpcMethod::kDetectLanguage});
    routes.push_back({.method = method, .path = kLanguages, .rpc = RpcMethod::kListLanguages});
  }
  return routes;
}

std::string GoogleV2Adapter::Key(const HttpRequest& request) const {
  if (std::string key = KeyOfGoogle(request); !key.empty()) return key;
  if (request.path == kAlias) return TokenKey(request);
  return MediaType(request) == "application/json" ? "" : TextOfField(request, "key");
}

bool GoogleV2Adapter::KeyMayBeInBody(const HttpRequest& head) const {
  return head.path != kAlias && MediaType(head) != "application/json";
}

absl::StatusOr<AdapterAction> GoogleV2Adapter::Handle(const HttpRequest& request,
                                                      const Client* client) const {
  absl::StatusOr<Parameters> in = ReadParameters(request);
  if (!in.ok()) return in.status();
  if (request.path == kLanguages) return ListLanguages(request, *in, context_, client);
  if (request.path == kDetect) {
    return Detect(*std::move(in));
  }
  return Translate(*std::move(in), context_);
}

HttpResponse GoogleV2Adapter::Error(const HttpRequest& /*request*/,
                                    const absl::Status& status) const {
  const int code = StatusOfHttp(status);
  const std::string message(status.message());
  const char* const reason = code == 401   ? "required"
                             : code == 403 ? "forbidden"
                             : code == 404 ? "notFound"
                             : code == 429 ? "rateLimitExceeded"
                             : code < 500  ? "invalid"
                                           : "backendError";
  return JsonResponse(
      code,
      {{"error",
        {{"code", code},
         {"message", message},
         {"errors",
          json::array({{{"message", message}, {"domain", "global"}, {"reason", reason}}})}}}});
}

}  // namespace dragoman::server
