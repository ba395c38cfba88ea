// An adapter serves one HTTP dialect in which clients ask for translations: LibreTranslate's,
// DeepL's, Google's, ours. It turns a request into a TranslateRequest, and the answer back into its
// dialect.
//
// An adapter's results depend only on the request and on the served models. The call (server/call)
// does everything else (admission, limits, keys, fairness, deadlines, tracing, metrics, logs) in
// the same way for all adapters. adapter_handler.h joins the two.
//
// Adapters are immutable and thread-safe. Their methods do not block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/language_catalog.h"
#include "server/api/list_answers.h"
#include "server/call/call_context.h"
#include "server/call/server_info.h"
#include "server/observe/rpc_method.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// A request with one answer.
struct UnaryAction {
  v1::TranslateRequest request;
  // Writes the answer. Called at most once, from any thread. If the call fails, Adapter::Error
  // writes the answer instead. Items that failed have Translation.error; ItemErrorOf (rpc_status.h)
  // returns the first such error, for dialects that have no errors of items. The call counts as
  // failed if the HTTP status is 400 or higher.
  std::function<HttpResponse(const v1::TranslateResponse& answer)> render;
  // The interface of the request for metrics, if the adapter serves several. nullopt: Adapter::api.
  std::optional<Api> api = std::nullopt;
  // The maximum number of bytes that `render` adds, such as tags. Reserved before the call.
  int64_t added_bytes = 0;
};

// Writes an answer that is sent in pieces, such as server-sent events. Used for one request, by one
// thread at a time. If Message or End returns "", nothing is sent.
class StreamRenderer {
 public:
  virtual ~StreamRenderer() = default;
  // Returns status, type and headers of the answer, which are sent with the first piece.
  virtual HttpResponse Head() = 0;
  virtual std::string Message(const v1::StreamTranslateResponse& message) = 0;
  // Called after the last message of a call that has not failed. Returns an error if the answer is
  // an error for its client: the call then counts as failed, and End gets that error.
  virtual absl::Status Status() { return absl::OkStatus(); }
  // Returns the last piece. Not called if the call fails before its first piece: Adapter::Error
  // writes the answer then.
  virtual std::string End(const absl::Status& status) = 0;
};

// A request whose answer is sent in pieces.
struct StreamAction {
  v1::TranslateRequest request;
  std::unique_ptr<StreamRenderer> renderer;
};

// A request to detect the languages of texts. It is answered at once, with the rights and rate of
// the client.
struct DetectAction {
  v1::DetectLanguageRequest request;
  std::function<HttpResponse(const v1::DetectLanguageResponse& answer)> render;
  std::optional<Api> api = std::nullopt;  // as in UnaryAction
};

// A request for the number of code points translated since the start, over all interfaces: for the
// key's client, or for all clients if no key is needed.
struct UsageAction {
  std::function<HttpResponse(int64_t code_points)> render;
};

// A request for a document that is answered when its job has ended. If it does not end before the
// call's deadline, or the client is gone, the job is deleted.
struct JobAction {
  v1::Job job;
  // Writes the answer. The job is DONE. If it has failed, Adapter::Error writes the answer instead.
  std::function<HttpResponse(const v1::Job& job)> render;
};

// The action that a request asks for. HttpResponse is an answer that is ready, such as a list of
// languages.
using AdapterAction =
    std::variant<HttpResponse, UnaryAction, StreamAction, DetectAction, UsageAction, JobAction>;

class Adapter {
 public:
  virtual ~Adapter() = default;

  virtual Api api() const = 0;
  // Returns the interface of a refused request by its fields, if the adapter serves several. Other
  // requests have it in their action, so that fields are read only once.
  virtual Api ApiOf(const HttpRequest& /*request*/) const { return api(); }

  // Returns the API key of the request, from the header, field or query of the dialect; "" if there
  // is none. `request` may be anything, because keys are checked first.
  virtual std::string Key(const HttpRequest& request) const = 0;

  // Reports whether the key may be in the body, which was not read yet. Called if Key finds no key
  // in `head`. If the result is false, the request is refused before its body is read.
  virtual bool KeyMayBeInBody(const HttpRequest& /*head*/) const { return false; }

  // Returns what the request asks for. `client` is that of the request's key; nullptr if calls need
  // no key or the route is open. The answer shows only what that client sees (client_rights.h). An
  // error names the problem and what was expected; Error then writes the answer.
  virtual absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                               const Client* client) const = 0;

  // Writes an error of Handle, of the key or of the call in the dialect's form. The HTTP status is
  // that of StatusOfHttp (adapter_errors.h) or the dialect's own. The caller adds Retry-After.
  virtual HttpResponse Error(const HttpRequest& request, const absl::Status& status) const = 0;
};

// The parts of the server that adapters use. Borrowed; they outlive the adapters.
struct AdapterContext {
  const CallContext* calls = nullptr;
  bool keys_needed = false;  // calls need an API key
  const LanguageCatalog* languages = nullptr;
  CallBounds bounds;      // limits of calls over HTTP
  bool has_page = false;  // the page at / is served
  bool has_tls = false;   // the HTTP port speaks TLS
  int grpc_port = 0;      // 0: gRPC has a unix socket
  ListAnswers* lists = nullptr;
};

// A kind of request and the adapter that answers it.
struct AdapterRoute {
  // "*" is any method except kWebSocketMethod. "GET" includes HEAD.
  std::string_view method;
  // A complete path, or the beginning and the end of paths, with '*' between. The first route that
  // fits is taken.
  std::string_view path;
  const Adapter* adapter = nullptr;
  // The name in metrics and logs. A translation that is sent in pieces is kStreamTranslate instead.
  RpcMethod rpc = RpcMethod::kTranslate;
  // If true, no API key is needed, as for a page or a probe.
  bool is_open = false;

  bool FitsPath(std::string_view asked) const {
    const size_t any = path.find('*');
    if (any == std::string_view::npos) return asked == path;
    const std::string_view end = path.substr(any + 1);
    return asked.size() >= any + end.size() && asked.starts_with(path.substr(0, any)) &&
           asked.ends_with(end);
  }

  // Reports whether the answer may take long, so that another thread makes it: a list that has to be
  // built, or a job, which waits for the disk.
  bool is_slow() const {
    return rpc == RpcMethod::kListLanguages || rpc == RpcMethod::kListModels ||
           rpc == RpcMethod::kListGlossaries || rpc == RpcMethod::kGetGlossary ||
           rpc == RpcMethod::kCreateJob || rpc == RpcMethod::kAppendToJob ||
           rpc == RpcMethod::kDeleteJob;
  }
};

}  // namespace dragoman::server
