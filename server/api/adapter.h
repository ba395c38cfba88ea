// An adapter serves one HTTP API in which clients ask for translations (a dialect):
// LibreTranslate's, DeepL's, Google's, ours. It turns a request into a TranslateRequest, and writes
// the answer in the form of this API.
//
// An adapter's results depend only on the request and on the served models. The code in server/call
// does everything else in the same way for all adapters: admission, limits, keys, fairness,
// deadlines, tracing, metrics, logs. adapter_handler.h joins the two.
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
  // writes the answer instead. An item that failed has Translation.error. If the dialect has no
  // errors of items, `render` uses ItemErrorOf (rpc_status.h), which returns the first such error.
  // If the HTTP status is 400 or higher, the call counts as failed.
  std::function<HttpResponse(const v1::TranslateResponse& answer)> render;
  // The API that metrics count the request under, if the adapter serves several APIs. nullopt:
  // Adapter::api.
  std::optional<Api> api = std::nullopt;
  // The maximum number of bytes that `render` adds to the texts, such as tags. They are
  // reserved before `render` is called.
  int64_t added_bytes = 0;
};

// Writes an answer that is sent in pieces, such as server-sent events. Used for one request, by one
// thread at a time. Message and End may return "" to send nothing.
class StreamRenderer {
 public:
  virtual ~StreamRenderer() = default;
  // Returns status, type and headers of the answer, which are sent with the first piece.
  virtual HttpResponse Head() = 0;
  virtual std::string Message(const v1::StreamTranslateResponse& message) = 0;
  // Called after the last message of a call that has not failed. May return an error if the
  // client's API reports such an answer as an error. The call then counts as failed, and End gets
  // the error.
  virtual absl::Status Status() { return absl::OkStatus(); }
  // Returns the last piece. If the call fails before its first piece, Adapter::Error writes the
  // answer, and End is not called.
  virtual std::string End(const absl::Status& status) = 0;
};

// A request whose answer is sent in pieces.
struct StreamAction {
  v1::TranslateRequest request;
  std::unique_ptr<StreamRenderer> renderer;
};

// A request to detect the languages of texts. It is answered at once. The rights and the rate limit
// of the client apply.
struct DetectAction {
  v1::DetectLanguageRequest request;
  std::function<HttpResponse(const v1::DetectLanguageResponse& answer)> render;
  std::optional<Api> api = std::nullopt;  // as in UnaryAction
};

// A request for the number of code points that were translated since the start, over all
// interfaces. These are the code points of the key's client, or those of all clients if no key is
// needed.
struct UsageAction {
  std::function<HttpResponse(int64_t code_points)> render;
};

// The action that a request asks for. An HttpResponse is an answer that needs no call, such as a
// list of languages.
using AdapterAction =
    std::variant<HttpResponse, UnaryAction, StreamAction, DetectAction, UsageAction>;

class Adapter {
 public:
  virtual ~Adapter() = default;

  virtual Api api() const = 0;
  // Returns the API that metrics count a refused request under, if the adapter serves several APIs.
  // Reads the request's fields. For other requests, the action has the API, so that the fields are
  // read only once.
  virtual Api ApiOf(const HttpRequest& /*request*/) const { return api(); }

  // Returns the API key of the request, from the dialect's header, field or query parameter.
  // Returns "" if there is none. `request` may have any content, because keys are checked first.
  virtual std::string Key(const HttpRequest& request) const = 0;

  // Reports whether the key may be in the body, which has not been read yet. Called if Key finds no
  // key in `head`. If KeyMayBeInBody returns false, the server refuses the request without reading
  // its body.
  virtual bool KeyMayBeInBody(const HttpRequest& /*head*/) const { return false; }

  // Returns the action that the request asks for. `client` is the client of the request's key, or
  // nullptr if calls need no key or the route is open. The answer shows only what this client sees
  // (client_rights.h). An error names the problem and what was expected. Error then writes the
  // answer.
  virtual absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                               const Client* client) const = 0;

  // Writes an error of Handle, of the key or of the call in the dialect's form. The HTTP status is
  // the result of StatusOfHttp (adapter_errors.h), or one that the dialect defines. The caller adds
  // Retry-After.
  virtual HttpResponse Error(const HttpRequest& request, const absl::Status& status) const = 0;
};

// The parts of the server that adapters use. Borrowed; they outlive the adapters.
struct AdapterContext {
  const CallContext* calls = nullptr;
  // The client of the request. Set only for a JsonDialect (server/compat).
  const Client* client = nullptr;
  bool keys_needed = false;  // calls need an API key
  const LanguageCatalog* languages = nullptr;
  CallBounds bounds;      // limits of calls over HTTP
  bool has_page = false;  // the page at / is served
  int grpc_port = 0;      // 0: gRPC listens on a Unix socket, which has no port
  ListAnswers* lists = nullptr;
};

// A kind of request and the adapter that answers it.
struct AdapterRoute {
  // "*" is any method except kWebSocketMethod. "GET" includes HEAD.
  std::string_view method;
  // A complete path, or a prefix of paths if it ends with '*'.
  std::string_view path;
  const Adapter* adapter = nullptr;
  // The name of the method in metrics and logs. A translation that is sent in pieces counts as
  // kStreamTranslate instead.
  RpcMethod rpc = RpcMethod::kTranslate;
  // If true, no API key is needed, as for a page or a probe.
  bool is_open = false;

  // Reports whether the answer is a list. Building it may take long, so another thread does it.
  bool is_list() const {
    return rpc == RpcMethod::kListLanguages || rpc == RpcMethod::kListModels ||
           rpc == RpcMethod::kListGlossaries || rpc == RpcMethod::kGetGlossary;
  }
};

}  // namespace dragoman::server
