#include "server/api/adapter_handler.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/utf8.h"
#include "server/api/adapter_call.h"
#include "server/api/adapter_errors.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/call_tracker.h"
#include "server/call/client_rights.h"
#include "server/call/detection.h"
#include "server/call/jobs/job_wait.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

bool FitsMethod(const AdapterRoute& route, std::string_view method) {
  if (route.method == "*") return method != kWebSocketMethod;
  return method == route.method || (method == "HEAD" && route.method == "GET");
}

// Returns the number of leading bytes that a path shares with a route, or 0 unless their first
// parts are equal.
size_t SharedBytes(const AdapterRoute& route, std::string_view path) {
  std::string_view own = route.path;
  if (own.ends_with('*')) own.remove_suffix(1);
  const auto first_part = [](std::string_view of) { return of.substr(0, of.find('/', 1)); };
  if (first_part(own) != first_part(path)) return 0;
  const auto end = std::mismatch(own.begin(), own.end(), path.begin(), path.end()).first;
  const auto shared = static_cast<size_t>(end - own.begin());
  return own.substr(0, shared).ends_with('/') ? shared - 1 : shared;
}

// Parses the header grpc-timeout: at most eight digits and a unit.
absl::StatusOr<engine::Nanos> ParseTimeout(std::string_view text) {
  struct Unit {
    char letter;
    engine::Nanos nanos;
  };
  constexpr Unit kUnits[] = {{'H', 3600 * kNanosPerSecond},
                             {'M', 60 * kNanosPerSecond},
                             {'S', kNanosPerSecond},
                             {'m', kNanosPerMilli},
                             {'u', 1000},
                             {'n', 1}};
  constexpr size_t kMaxDigits = 8;
  int64_t value = 0;
  bool fine = text.size() >= 2 && text.size() <= kMaxDigits + 1;
  for (size_t i = 0; fine && i + 1 < text.size(); ++i) {
    fine = text[i] >= '0' && text[i] <= '9';
    value = value * 10 + (text[i] - '0');
  }
  for (const Unit& unit : kUnits) {
    if (fine && unit.letter == text.back()) {
      return value > engine::kNoDeadline / 2 / unit.nanos ? engine::kNoDeadline / 2
                                                          : value * unit.nanos;
    }
  }
  return InvalidField("", absl::StrCat("the header grpc-timeout: found ", Quoted(text),
                                       ", expected at most 8 digits and one of H, M, S, m, u, n"));
}

absl::StatusOr<std::shared_ptr<Grant>> AccessOf(const ApiKeys* keys, const AdapterRoute& route,
                                                const HttpRequest& request) {
  if (keys == nullptr) return nullptr;
  auto access = keys->AuthenticateKey(route.adapter->Key(request));
  // An open route needs no key, but a client that has one sees its own models.
  if (route.is_open && !access.ok()) return nullptr;
  return access;
}

// Fills a call's head from a request. Returns an error for an invalid deadline.
absl::Status ReadHead(const CallContext& context, const AdapterRoute& route,
                      const HttpRequest& request, CallHead* head) {
  head->started = request.started == 0 ? context.clock->Now() : request.started;
  head->deadline = head->started + context.longest_call;
  head->api = route.adapter->api();
  head->carrier = Carrier::kHttp;
  head->route = absl::StrCat(std::string(request.method), " ", std::string(route.path));
  head->request_id = std::string(request.Header("x-request-id"));
  head->traceparent = std::string(request.Header("traceparent"));
  const std::string_view timeout = request.Header("grpc-timeout");
  if (timeout.empty()) return absl::OkStatus();
  const absl::StatusOr<engine::Nanos> nanos = ParseTimeout(timeout);
  if (nanos.ok()) head->deadline = head->started + *nanos;
  return nanos.status();
}

// Counts an answer that needs no call, as translation_service.cc does over gRPC.
void Count(const CallContext& context, Api api, RpcMethod method, absl::StatusCode code,
           engine::Nanos started) {
  context.metrics->OnRpc(api, method, code, context.clock->Now() - started, "");
  Log(LogLevel::kDebug, "call",
      {{"api", ApiName(api)}, {"method", RpcMethodName(method)}, {"code", CodeName(code)}});
}

// Holds an exchange whose request waits for a reader. Releases the exchange when its client is
// gone, because the server then no longer counts the memory of the request.
class WaitingExchange {
 public:
  explicit WaitingExchange(std::shared_ptr<HttpExchange> exchange)
      : exchange_(std::move(exchange)) {}

  static std::shared_ptr<WaitingExchange> Make(const std::shared_ptr<HttpExchange>& exchange) {
    auto waiting = std::make_shared<WaitingExchange>(exchange);
    exchange->OnGone([waiting] { waiting->Take(); });
    return waiting;
  }

  // Returns nullptr if the client is gone.
  std::shared_ptr<HttpExchange> Take() {
    engine::MutexLock lock(&mu_);
    return std::exchange(exchange_, nullptr);
  }

 private:
  engine::Mutex mu_;
  std::shared_ptr<HttpExchange> exchange_ ABSL_GUARDED_BY(mu_);
};

// Answers when the job has ended.
void AnswerJob(const CallContext* calls, const CallHead& head, const Adapter* adapter,
               JobAction action, std::shared_ptr<HttpExchange> exchange) {
  // Keeps the call until its answer has been sent.
  struct Call {
    Call(const CallContext* calls, std::shared_ptr<HttpExchange> exchange)
        : ticket(calls->tracker), exchange(std::move(exchange)) {}
    const CallTracker::Ticket ticket;
    const std::shared_ptr<HttpExchange> exchange;
    std::atomic<bool> is_gone{false};
  };
  const auto call = std::make_shared<Call>(calls, std::move(exchange));
  call->exchange->OnGone([weak = std::weak_ptr(call)] {
    if (const auto self = weak.lock()) self->is_gone = true;
  });
  JobWait wait;
  wait.id = action.job.id();
  wait.grant = head.grant;
  wait.deadline = head.deadline;
  wait.is_gone = [call] { return call->is_gone.load(); };
  wait.done = [=, render = std::move(action.render), api = head.api,
               started = head.started](const absl::StatusOr<v1::Job>& job) {
    HttpResponse answer =
        job.ok() ? render(*job) : AdapterError(*adapter, call->exchange->request(), job.status());
    Count(*calls, api, RpcMethod::kCreateJob, CodeOfHttp(answer.status), started);
    SendAnswer(calls, call->exchange, std::move(answer), [call] {});
  };
  WaitForJob(calls, std::move(wait));
}

}  // namespace

AdapterHandler::AdapterHandler(const CallContext* calls, const ApiKeys* keys,
                               std::vector<AdapterRoute> routes, std::vector<std::string> origins)
    : calls_(calls), keys_(keys), routes_(std::move(routes)), cors_(std::move(origins)) {}

bool AdapterHandler::AcceptsWebSocket(const HttpRequest& upgrade) const {
  return std::any_of(routes_.begin(), routes_.end(), [&](const AdapterRoute& route) {
    return route.method == kWebSocketMethod && route.FitsPath(upgrade.path);
  });
}

void AdapterHandler::Handle(std::shared_ptr<HttpExchange> exchange) {
  exchange = cors_.Wrap(std::move(exchange));
  if (auto answer = cors_.Preflight(exchange->request())) {
    AnswerAtOnce(std::move(exchange), *std::move(answer));
    return;
  }
  if (calls_->readers == nullptr) return Read(std::move(exchange));
  const HttpRequest& request = exchange->request();
  const size_t bytes = request.query.size() + request.body.size();
  // The cost of a request whose answer is slow, in addition to its bytes.
  constexpr int64_t kSlowBytes = 4096;
  const AdapterRoute* const route = RouteOf(request);
  const int64_t cost =
      static_cast<int64_t>(bytes) + (route != nullptr && route->is_slow() ? kSlowBytes : 0);
  if (!RequestReaders::IsLarge(cost)) return Read(std::move(exchange));
  calls_->readers->Post(GrantOfHead(request).get(), request.peer, cost,
                        [this, waiting = WaitingExchange::Make(exchange)] {
                          if (auto there = waiting->Take()) Read(std::move(there));
                        });
}

HttpAdmission AdapterHandler::Admit(const HttpRequest& head) {
  HttpAdmission admission{{.name = ClientName(nullptr, head.peer)}, std::nullopt};
  const AdapterRoute* const route = keys_ == nullptr ? nullptr : RouteOf(head);
  // Requests without a route are refused later, without reading the body. A WebSocket without a
  // valid key is admitted here, and its client gets the error as a message.
  if (route == nullptr || route->is_open) return admission;
  const std::string key = route->adapter->Key(head);
  if (key.empty() && route->adapter->KeyMayBeInBody(head)) return admission;
  const absl::StatusOr<std::shared_ptr<Grant>> access = keys_->AuthenticateKey(key);
  if (access.ok()) {
    admission.client = {.name = ClientName(access->get(), head.peer), .has_key = true};
  } else if (head.method != kWebSocketMethod) {
    calls_->metrics->OnRejected(engine::RejectReason::kDenied);
    Count(*calls_, route->adapter->ApiOf(head), route->rpc, access.status().code(), head.started);
    admission.refusal = AdapterError(*route->adapter, head, access.status());
    admission.refusal->headers.emplace_back("X-Request-Id", NewId());
    cors_.Allow(head, &*admission.refusal);
  }
  return admission;
}

const AdapterRoute* AdapterHandler::RouteOf(const HttpRequest& request) const {
  const auto route =
      std::find_if(routes_.begin(), routes_.end(), [&](const AdapterRoute& candidate) {
        return FitsMethod(candidate, request.method) && candidate.FitsPath(request.path);
      });
  return route == routes_.end() ? nullptr : &*route;
}

std::shared_ptr<Grant> AdapterHandler::GrantOfHead(const HttpRequest& request) const {
  const AdapterRoute* const route = keys_ == nullptr ? nullptr : RouteOf(request);
  if (route == nullptr) return nullptr;
  HttpRequest head;
  head.method = request.method;
  head.path = request.path;
  head.query = request.query;
  head.headers = request.headers;
  absl::StatusOr<std::shared_ptr<Grant>> access = AccessOf(keys_, *route, head);
  return access.ok() ? *std::move(access) : nullptr;
}

void AdapterHandler::Read(std::shared_ptr<HttpExchange> exchange) {
  const HttpRequest& request = exchange->request();
  const AdapterRoute* const route = RouteOf(request);
  if (route == nullptr || engine::FirstInvalidUtf8(request.path).has_value()) {
    RefuseUnknown(std::move(exchange));
    return;
  }
  const Adapter* const adapter = route->adapter;
  CallHead head;
  absl::Status refused = ReadHead(*calls_, *route, request, &head);
  const absl::StatusOr<std::shared_ptr<Grant>> access = AccessOf(keys_, *route, request);
  if (access.ok()) {
    head.grant = *access;
  } else {
    refused = access.status();
  }
  head.client = ClientName(head.grant.get(), request.peer);
  exchange->SetClient({.name = head.client, .has_key = head.grant != nullptr});

  Client* const client = head.grant == nullptr ? nullptr : &head.grant->client();
  AdapterAction action = HttpResponse{};
  if (refused.ok()) {
    absl::StatusOr<AdapterAction> asked = adapter->Handle(request, client);
    if (asked.ok()) {
      action = *std::move(asked);
    } else {
      refused = asked.status();
    }
  }
  if (const auto* const usage = std::get_if<UsageAction>(&action); refused.ok() && usage) {
    HttpResponse answer = usage->render(TranslatedCodePoints(*calls_, client));
    action = std::move(answer);
  }
  if (const auto* const detect = std::get_if<DetectAction>(&action); refused.ok() && detect) {
    head.api = detect->api.value_or(head.api);
    const auto found = DetectLanguages(*calls_, client, detect->request);
    if (found.ok()) {
      HttpResponse answer = detect->render(*found);
      action = std::move(answer);
    } else {
      refused = found.status();
    }
  }
  if (!refused.ok()) {
    head.api = adapter->ApiOf(request);
    std::make_shared<AdapterUnaryCall>(calls_, route->rpc, std::move(head), adapter, exchange)
        ->Refuse(std::move(refused));
  } else if (auto* const unary = std::get_if<UnaryAction>(&action)) {
    head.api = unary->api.value_or(head.api);
    std::make_shared<AdapterUnaryCall>(calls_, route->rpc, std::move(head), adapter, exchange)
        ->Start(std::move(*unary));
  } else if (auto* const stream = std::get_if<StreamAction>(&action)) {
    std::make_shared<AdapterStreamCall>(calls_, std::move(head), adapter, exchange)
        ->Start(std::move(*stream));
  } else if (auto* const job = std::get_if<JobAction>(&action)) {
    AnswerJob(calls_, head, adapter, std::move(*job), exchange);
  } else {
    auto& answer = std::get<HttpResponse>(action);
    Count(*calls_, head.api, route->rpc, CodeOfHttp(answer.status), head.started);
    AnswerAtOnce(std::move(exchange), std::move(answer));
  }
}

void AdapterHandler::AnswerAtOnce(std::shared_ptr<HttpExchange> exchange,
                                  HttpResponse answer) const {
  const std::string id(exchange->request().Header("x-request-id"));
  answer.headers.emplace_back("X-Request-Id", IsValidRequestId(id) ? id : NewId());
  // The ticket makes a drain wait until the answer is sent.
  SendAnswer(calls_, exchange, std::move(answer),
             [ticket = std::make_shared<CallTracker::Ticket>(calls_->tracker)] {});
}

void AdapterHandler::RefuseUnknown(std::shared_ptr<HttpExchange> exchange) const {
  const HttpRequest& request = exchange->request();
  std::set<std::string> allowed;
  for (const AdapterRoute& route : routes_) {
    if (!route.FitsPath(request.path) || route.method == kWebSocketMethod) continue;
    allowed.emplace(route.method);
    if (route.method == "GET") allowed.emplace("HEAD");
  }
  const bool is_utf8 = !engine::FirstInvalidUtf8(request.path).has_value();
  const Adapter* const owner = is_utf8 ? OwnerOf(request) : nullptr;
  HttpResponse answer;
  if (!allowed.empty() && is_utf8) {
    const std::string methods = absl::StrJoin(allowed, ", ");
    answer = ErrorOf(owner, request,
                     HttpError(405, absl::StrCat("method: found ", Quoted(request.method),
                                                 " for this path, expected ", methods)));
    answer.headers.emplace_back("Allow", methods);
  } else {
    answer = ErrorOf(owner, request,
                     HttpError(404, absl::StrCat("path: found ", Quoted(request.path),
                                                 ", which no interface of this server has")));
  }
  AnswerAtOnce(std::move(exchange), std::move(answer));
}

HttpResponse AdapterHandler::Refused(const HttpRequest& head, const Refusal& refusal) {
  if (head.path.empty() || engine::FirstInvalidUtf8(head.path).has_value())
    return PlainRefusal(refusal);
  absl::Status status = HttpError(refusal.status, refusal.why);
  if (refusal.status == 503) status = WithRetryAfter(std::move(status), kNanosPerSecond);
  HttpResponse answer = ErrorOf(OwnerOf(head), head, status);
  cors_.Allow(head, &answer);
  return answer;
}

const Adapter* AdapterHandler::OwnerOf(const HttpRequest& request) const {
  const Adapter* owner = nullptr;
  size_t most = 0;
  for (const AdapterRoute& route : routes_) {
    if (route.FitsPath(request.path)) {
      if (FitsMethod(route, request.method)) return route.adapter;
      if (most < std::string_view::npos) owner = route.adapter;
      most = std::string_view::npos;
    } else if (const size_t shared = SharedBytes(route, request.path); shared > most) {
      owner = route.adapter;
      most = shared;
    }
  }
  return owner;
}

HttpResponse AdapterHandler::ErrorOf(const Adapter* owner, const HttpRequest& request,
                                     const absl::Status& status) const {
  const engine::Nanos started = request.started == 0 ? calls_->clock->Now() : request.started;
  Count(*calls_, owner == nullptr ? Api::kDragoman : owner->api(), RpcMethod::kUnknown,
        status.code(), started);
  return owner == nullptr ? NeutralError(status) : AdapterError(*owner, request, status);
}

}  // namespace dragoman::server
