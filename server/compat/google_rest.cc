#include "server/compat/google_rest.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/api/absl_view.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/json_body.h"
#include "server/api/languages.h"
#include "server/api/proto_json.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/compat/google_documents.h"
#include "server/compat/google_v3.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kVersion3 = "/v3/";
constexpr std::string_view kGlossariesPart = "/glossaries";
constexpr std::string_view kLanguagesPart = "/supportedLanguages";

// Reports whether `path` is "projects/P" or "projects/P/locations/L".
bool IsParent(std::string_view path) {
  const std::vector<absl::string_view> parts = absl::StrSplit(View(path), '/');
  const bool filled = std::find(parts.begin(), parts.end(), "") == parts.end();
  return filled && parts[0] == "projects" &&
         (parts.size() == 2 || (parts.size() == 4 && parts[2] == "locations"));
}

// Writes the message like Google's servers: without fields that have their default.
HttpResponse AnswerOf(const google::protobuf::Message& message) {
  std::string body;
  if (!google::protobuf::util::MessageToJsonString(message, &body).ok()) {
    return NeutralError(absl::InternalError("the response could not be serialised"));
  }
  return JsonTextResponse(200, std::move(body));
}

template <typename Message>
absl::StatusOr<AdapterAction> AnswerOrError(const absl::StatusOr<Message>& message) {
  if (!message.ok()) return message.status();
  return AnswerOf(*message);
}

// Returns the answer of ListAnswers, which does not cache errors.
template <typename Make>
absl::StatusOr<AdapterAction> Kept(const HttpRequest& request, const std::string& name,
                                   MadeOf made_of, const AdapterContext& context, Make make) {
  absl::Status failed;
  HttpResponse answer = context.lists->Get(request, name, std::move(made_of), [&] {
    const auto message = make();
    if (message.ok()) return AnswerOf(*message);
    failed = message.status();
    return NeutralError(failed);
  });
  if (!failed.ok()) return failed;
  return answer;
}

// Reads the query. UNIMPLEMENTED names fields that are neither system parameters nor `known`.
absl::StatusOr<Form> ReadParameters(const HttpRequest& request,
                                    std::initializer_list<std::string_view> known) {
  absl::StatusOr<Form> query = ReadQuery(request);
  if (!query.ok()) return query;
  std::vector<std::string> unknown;
  for (const FormField& field : query->fields()) {
    const bool fine = IsGoogleSystemParameter(field.name) ||
                      std::find(known.begin(), known.end(), field.name) != known.end();
    if (!fine && unknown.size() < 8) unknown.push_back("the query's " + Quoted(field.name));
  }
  if (!unknown.empty()) return UnimplementedFields(unknown);
  return query;
}

std::string Value(const Form& form, std::string_view name) {
  return std::string(form.Find(name).value_or(""));
}

absl::StatusOr<AdapterAction> ListGlossaries(const HttpRequest& request, std::string_view parent,
                                             const AdapterContext& context, const Client* client) {
  const absl::StatusOr<Form> query = ReadParameters(request, {"pageSize", "pageToken", "filter"});
  if (!query.ok()) return query.status();
  google_v3::ListGlossariesRequest list;
  list.set_parent(std::string(parent));
  list.set_page_token(Value(*query, "pageToken"));
  list.set_filter(Value(*query, "filter"));
  int32_t size = 0;
  const std::string written = Value(*query, "pageSize");
  if (!written.empty() && !absl::SimpleAtoi(written, &size)) {
    return InvalidField("page_size",
                        absl::StrCat("found ", Quoted(written), ", expected a whole number"));
  }
  list.set_page_size(size);
  // The answer is not cached, because it depends on the parent, which clients choose freely.
  return AnswerOrError(ListGoogleV3(list, *context.calls, client));
}

absl::StatusOr<AdapterAction> Translate(const HttpRequest& request, std::string_view parent,
                                        const AdapterContext& context) {
  if (const auto query = ReadParameters(request, {}); !query.ok()) return query.status();
  if (absl::Status type = CheckJsonType(request); !type.ok()) return type;
  google_v3::TranslateTextRequest in;
  if (absl::Status read = ReadProtoJson(request.body, &in); !read.ok()) return read;
  in.set_parent(std::string(parent));
  absl::StatusOr<v1::TranslateRequest> ours = FromGoogleV3(in, context.calls->detector != nullptr);
  if (!ours.ok()) return ours.status();
  return UnaryAction{.request = *std::move(ours),
                     .render = [in = std::move(in)](const v1::TranslateResponse& answer) {
                       const auto out = ToGoogleV3(answer, in);
                       return out.ok() ? AnswerOf(*out) : NeutralError(out.status());
                     }};
}

absl::StatusOr<AdapterAction> TranslateDocument(const HttpRequest& request, std::string_view parent,
                                                const CallContext* calls, const Client* client) {
  if (const auto query = ReadParameters(request, {}); !query.ok()) return query.status();
  if (absl::Status type = CheckJsonType(request); !type.ok()) return type;
  google_v3::TranslateDocumentRequest in;
  if (absl::Status read = ReadProtoJson(request.body, &in); !read.ok()) return read;
  in.set_parent(std::string(parent));
  absl::StatusOr<v1::Job> job = CreateGoogleDocument(*calls, client, in);
  if (!job.ok()) return job.status();
  in.mutable_document_input_config()->clear_content();
  JobAction action;
  action.job = *std::move(job);
  action.render = [calls, client, in = std::move(in)](const v1::Job& ended) {
    const auto out = TakeGoogleDocument(*calls, client, ended, in);
    return out.ok() ? AnswerOf(*out) : NeutralError(out.status());
  };
  return action;
}

absl::StatusOr<AdapterAction> Detect(const HttpRequest& request, std::string_view parent) {
  if (const auto query = ReadParameters(request, {}); !query.ok()) return query.status();
  if (absl::Status type = CheckJsonType(request); !type.ok()) return type;
  google_v3::DetectLanguageRequest in;
  if (absl::Status read = ReadProtoJson(request.body, &in); !read.ok()) return read;
  in.set_parent(std::string(parent));
  absl::StatusOr<v1::DetectLanguageRequest> ours = DetectFromGoogleV3(in);
  if (!ours.ok()) return ours.status();
  return DetectAction{.request = *std::move(ours),
                      .render = [](const v1::DetectLanguageResponse& answer) {
                        return AnswerOf(DetectToGoogleV3(answer));
                      }};
}

}  // namespace

std::string KeyOfGoogle(const HttpRequest& request) {
  if (const auto header = request.Header("x-goog-api-key"); !header.empty()) {
    return std::string(header);
  }
  if (std::string key = AuthorizationKey(request, "Bearer"); !key.empty()) return key;
  const absl::StatusOr<Form> query = ReadQuery(request);
  return query.ok() ? std::string(query->Find("key").value_or("")) : "";
}

bool IsGoogleSystemParameter(std::string_view name) {
  constexpr std::string_view kNames[] = {"$alt",         "alt",       "key",
                                         "prettyPrint",  "quotaUser", "userIp",
                                         "access_token", "$.xgafv",   "uploadType"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<AdapterRoute> GoogleRestAdapter::Routes() {
  return {
      {.method = "POST", .path = "/v3/projects/*:translateDocument", .rpc = RpcMethod::kCreateJob},
      {.method = "POST", .path = "/v3/projects/*"},
      {.method = "GET", .path = "/v3/projects/*", .rpc = RpcMethod::kListLanguages}};
}

std::string GoogleRestAdapter::Key(const HttpRequest& request) const {
  return KeyOfGoogle(request);
}

absl::StatusOr<AdapterAction> GoogleRestAdapter::Handle(const HttpRequest& request,
                                                        const Client* client) const {
  const std::string_view name = std::string_view(request.path).substr(kVersion3.size());
  const auto unknown = [&] {
    return absl::UnimplementedError(
        absl::StrCat("method ", Quoted(absl::StrCat(request.method, " ", request.path)),
                     ": this server does not have it"));
  };
  if (request.method == "POST") {
    const size_t colon = std::min(name.rfind(':'), name.size());
    const std::string_view parent = name.substr(0, colon);
    const std::string_view verb = name.substr(std::min(colon + 1, name.size()));
    if (!IsParent(parent)) return unknown();
    if (verb == "translateText") return Translate(request, parent, context_);
    if (verb == "detectLanguage") return Detect(request, parent);
    if (verb == "translateDocument") {
      return TranslateDocument(request, parent, context_.calls, client);
    }
    return unknown();
  }
  if (name.ends_with(kLanguagesPart) &&
      IsParent(name.substr(0, name.size() - kLanguagesPart.size()))) {
    const absl::StatusOr<Form> query = ReadParameters(request, {"displayLanguageCode", "model"});
    if (!query.ok()) return query.status();
    google_v3::GetSupportedLanguagesRequest in;
    in.set_display_language_code(Value(*query, "displayLanguageCode"));
    in.set_model(Value(*query, "model"));
    return Kept(request,
                absl::StrCat("Google v3 languages ", in.model(), " ",
                             NormalTag(in.display_language_code())),
                MadeOfModels(VisibleModels(*context_.calls, client)), context_, [&] {
                  return SupportedGoogleV3(in, *context_.calls, client, *context_.languages);
                });
  }
  const size_t glossaries = name.rfind(kGlossariesPart);
  if (glossaries == std::string_view::npos || !IsParent(name.substr(0, glossaries))) {
    return unknown();
  }
  const std::string_view rest = name.substr(glossaries + kGlossariesPart.size());
  if (rest.empty()) return ListGlossaries(request, name.substr(0, glossaries), context_, client);
  if (rest[0] != '/' || rest.find('/', 1) != std::string_view::npos) return unknown();
  if (const auto query = ReadParameters(request, {}); !query.ok()) return query.status();
  google_v3::GetGlossaryRequest in;
  in.set_name(std::string(name));
  return AnswerOrError(GetGoogleV3(in, *context_.calls, client));
}

HttpResponse GoogleRestAdapter::Error(const HttpRequest& /*request*/,
                                      const absl::Status& status) const {
  return NeutralError(status);
}

}  // namespace dragoman::server
