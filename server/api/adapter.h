// An adapter is one dialect of HTTP in which clients ask for translations: LibreTranslate's, DeepL's,
// Google's, ours. It turns a request into a TranslateRequest and an answer back into its dialect.
//
// An adapter knows no connection and no engine: it is a function of a request and of what is served.
// Everything else (admission, limits, keys, fairness, deadlines, tracing, metrics, logs) belongs to
// the call (server/call) and is the same for every adapter; adapter_handler.h joins the two.
//
// Adapters are immutable and thread-safe; their methods do not block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

// A request that is answered as a whole.
struct UnaryAction {
  v1::TranslateRequest request;
  // Writes the answer. Not called for errors of the call, which are Adapter::Error's; items that
  // failed have Translation.error, and ItemErrorOf (rpc_status.h) is the first such error, for a
  // dialect that has no place for one. A status from 400 on counts as a failed call. Called once,
  // from any thread.
  std::function<HttpResponse(const v1::TranslateResponse& answer)> render;
  // The interface of the request, where its adapter has several; none: Adapter::api.
  std::optional<Api> api = std::nullopt;
  // Bytes that `render` may add to what a translation has, such as tags that it puts back: they are
  // counted before it is called.
  int64_t added_bytes = 0;
};

// Writes an answer that is sent in pieces, such as server-sent events. One for each request; its
// methods are called by one thread at a time. "" adds nothing to what is sent.
class StreamRenderer {
 public:
  virtual ~StreamRenderer() = default;
  // The answer's status, type and headers, sent with the first piece.
  virtual HttpResponse Head() = 0;
  virtual std::string Message(const v1::StreamTranslateResponse& message) = 0;
  // After the last message of a call that has not failed: an error if the answer is one to its
  // client. The call counts as failed then, and End follows with it.
  virtual absl::Status Status() { return absl::OkStatus(); }
  // The last piece. An error comes here once pieces were sent; before that it is Adapter::Error's.
  virtual std::string End(const absl::Status& status) = 0;
};

// A request that is answered in pieces as they come.
struct StreamAction {
  v1::TranslateRequest request;
  std::unique_ptr<StreamRenderer> renderer;
};

// A request for the languages of texts, which are found out at once, with the rights and the rate of
// the client's key.
struct DetectAction {
  v1::DetectLanguageRequest request;
  std::function<HttpResponse(const v1::DetectLanguageResponse& answer)> render;
  std::optional<Api> api = std::nullopt;  // as in UnaryAction
};

// A request for the number of code points that were translated for the key's client since the start,
// over whatever interface; where no key is needed, for all clients together.
struct UsageAction {
  std::function<HttpResponse(int64_t code_points)> render;
};

// A request asks for an answer that is ready (a list of languages, say), for a translation, for the
// languages of texts, or for what was translated so far.
using AdapterAction =
    std::variant<HttpResponse, UnaryAction, StreamAction, DetectAction, UsageAction>;

class Adapter {
 public:
  virtual ~Adapter() = default;

  virtual Api api() const = 0;
  // The interface of a request that is refused, by its fields, where the adapter has several. For a
  // request that is answered its action says it, so that fields are read once.
  virtual Api ApiOf(const HttpRequest& /*request*/) const { return api(); }

  // The API key that the request brings, where the dialect has it: a header, a field, the query.
  // "" = none. `request` may be anything, since keys are looked at first.
  virtual std::string Key(const HttpRequest& request) const = 0;

  // Whether the request's key may be in its body, which has not been read yet; asked where Key finds
  // none in `head`. Otherwise the request is refused before its body is read.
  virtual bool KeyMayBeInBody(const HttpRequest& /*head*/) const { return false; }

  // `client` is that of the request's key; nullptr: calls need no key, or the route is open. An
  // answer shows only what that client sees (client_rights.h). An error names what is wrong and what
  // was expected, and is answered as Error says.
  virtual absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                               const Client* client) const = 0;

  // An error in the dialect's form: of Handle, of the key, of the call. Statuses are those of
  // StatusOfHttp (adapter_errors.h) except where the dialect has its own. Retry-After is added by the
  // caller.
  virtual HttpResponse Error(const HttpRequest& request, const absl::Status& status) const = 0;
};

// The parts of the server that adapters know. Borrowed; outlives them.
struct AdapterContext {
  const CallContext* calls = nullptr;
  const Client* client = nullptr;  // who asks, where a dialect is given this for one request
  bool keys_needed = false;        // calls need an API key
  const LanguageCatalog* languages = nullptr;
  CallBounds bounds;      // of calls over HTTP
  bool has_page = false;  // the page at / is served
  int grpc_port = 0;      // for the page; 0: gRPC has a unix socket
  ListAnswers* lists = nullptr;
};

// An adapter and the requests that are its.
struct AdapterRoute {
  // "*": any but kWebSocketMethod. "GET" takes HEAD as well.
  std::string_view method;
  // The whole path, or with '*' at its end all that begin so.
  std::string_view path;
  const Adapter* adapter = nullptr;
  // The name of such a request in metrics and logs. (A translation that is sent in pieces is
  // kStreamTranslate.)
  RpcMethod rpc = RpcMethod::kTranslate;
  // Needs no API key: a page, a probe.
  bool is_open = false;

  // Whether the answer is a list that may have to be made, which takes a thread of its own.
  bool is_list() const {
    return rpc == RpcMethod::kListLanguages || rpc == RpcMethod::kListModels ||
           rpc == RpcMethod::kListGlossaries || rpc == RpcMethod::kGetGlossary;
  }
};

}  // namespace dragoman::server
