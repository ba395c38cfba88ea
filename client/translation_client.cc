#include "client/translation_client.h"

#include <grpcpp/alarm.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "client/status_map.h"
#include "dragoman/v1/translation.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace dragoman {
namespace {

using TimePoint = ClientClock::TimePoint;

class RealClock : public ClientClock {
 public:
  TimePoint Now() override { return std::chrono::steady_clock::now(); }
  std::function<void()> RunAfter(std::chrono::nanoseconds delay,
                                 std::function<void()> task) override {
    auto alarm = std::make_shared<grpc::Alarm>();
    grpc::Alarm* const set = alarm.get();
    std::function<void()> hurry = [weak = std::weak_ptr<grpc::Alarm>(alarm)] {
      if (const auto waiting = weak.lock()) waiting->Cancel();
    };
    // The callback holds the alarm until it runs, and lets go of it then: else they would hold each
    // other forever. Before the task, which may be the last that a client waits for.
    set->Set(std::chrono::system_clock::now() +
                 std::chrono::duration_cast<std::chrono::system_clock::duration>(delay),
             [alarm = std::move(alarm), task = std::move(task)](bool) mutable {
               alarm.reset();
               std::exchange(task, nullptr)();
             });
    return hurry;
  }
};

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  // No policy asks gRPC to retry what a server has answered, for such retries would not be counted.
  // What no server has seen it sends again by itself: a call may meet the end of a connection that
  // the server renews. (Without that, one of 80,000 was lost where connections lived for 5 s.)
  arguments.SetLoadBalancingPolicyName("round_robin");
  // A name's addresses change where servers come and go. gRPC asks again when a connection ends, but
  // by default at most every 30 s, in which all the servers that it knows may have gone.
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1'000);
  // Calls to a server that stands still fail as UNAVAILABLE after 10 s, and are sent to another.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // The defaults, up to 120 s, outlast any retry.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  // n-best lists with tokens of 1,024 items exceed the default of 4 MiB.
  arguments.SetMaxReceiveMessageSize(64 << 20);
  return arguments;
}

// Calls take turns over a name's addresses. `watch`: gRPC watches each server's health (gRFC A17), so
// that calls leave a server that says NOT_SERVING, which one does some seconds before it refuses them.
grpc::ChannelArguments Balancing(grpc::ChannelArguments arguments, bool watch) {
  arguments.SetServiceConfigJSON(
      watch
          ? R"({"loadBalancingConfig":[{"round_robin":{}}],"healthCheckConfig":{"serviceName":""}})"
          : R"({"loadBalancingConfig":[{"round_robin":{}}]})");
  return arguments;
}

// Translations go by one channel, and what is asked of a server about itself by another, for that
// is asked of servers that do not serve, too. A channel that is not used does not connect.
struct Link {
  Link(const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
       const grpc::ChannelArguments& arguments, bool watch)
      : channel(grpc::CreateCustomChannel(address, credentials, Balancing(arguments, watch))),
        plain(grpc::CreateCustomChannel(address, credentials, arguments)),
        translation(channel),
        info(plain),
        health(plain) {}
  std::shared_ptr<grpc::Channel> channel;
  std::shared_ptr<grpc::Channel> plain;
  v1::TranslationService::Stub translation;
  v1::TranslationService::Stub info;
  grpc::health::v1::Health::Stub health;
};

}  // namespace

ClientClock* ClientClock::Real() {
  static RealClock* const clock = new RealClock;  // never destroyed: alarms may outlive main
  return clock;
}

class TranslationClient::Core {
 public:
  explicit Core(const ClientOptions& o) : options(o), budget(o.retry) {}

  // The next link in turn; one that is known not to answer only when all are.
  Link& Pick() {
    if (links.size() == 1) return *links[0];
    const uint64_t turn = next_link_.fetch_add(1, std::memory_order_relaxed);
    for (size_t i = 0; i < links.size(); ++i) {
      Link& link = *links[(turn + i) % links.size()];
      if (link.channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) return link;
    }
    return *links[turn % links.size()];
  }

  // Held by a call as long as it has anything of the client or of gRPC. The last reference to a
  // channel must not go on a thread of gRPC's callbacks: the channel joins those threads, itself
  // among them, and frees the queue that they wait on (gRPC 1.51: "assertion failed: prior > 0").
  class InFlight {
   public:
    explicit InFlight(Core* core) : core_(*core) {
      std::lock_guard<std::mutex> lock(core_.mu_);
      ++core_.in_flight_;
    }
    ~InFlight() {
      // Told under the lock, or the waiting thread could end the core before this is done with it.
      std::lock_guard<std::mutex> lock(core_.mu_);
      if (--core_.in_flight_ == 0) core_.idle_.notify_all();
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    Core& core_;
  };

  // gRPC says of a connection that failed little more than that it did.
  absl::Status Explain(absl::Status status) const {
    constexpr absl::string_view kClosed = "Socket closed";
    if (status.code() != absl::StatusCode::kUnavailable) return status;
    std::string why = options.security.tls ? LastTlsError() : "";
    if (!why.empty()) {
      why = " (TLS: " + why + ")";
    } else if (absl::StrContains(status.message(), kClosed)) {
      why = options.security.tls ? " (the server may speak no TLS, or want another certificate)"
                                 : " (the server may want TLS)";
    }
    absl::Status explained(status.code(), std::string(status.message()) + why);
    status.ForEachPayload([&explained](absl::string_view url, const absl::Cord& value) {
      explained.SetPayload(url, value);
    });
    return explained;
  }

  void WaitUntilIdle() {
    std::unique_lock<std::mutex> lock(mu_);
    idle_.wait(lock, [this] { return in_flight_ == 0; });
  }

  const ClientOptions options;
  std::vector<std::unique_ptr<Link>> links;
  RetryBudget budget;
  std::atomic<uint64_t> calls{0};

 private:
  std::atomic<uint64_t> next_link_{0};
  std::mutex mu_;  // of in_flight_
  std::condition_variable idle_;
  int64_t in_flight_ = 0;
};

namespace {

using Core = TranslationClient::Core;

// One call: its attempts, one after another, and the waits between them. Kept alive by the
// callbacks of the attempt or wait that is under way, and touched by one of them at a time; only
// Cancel comes from any thread.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Core* core, TranslationClient::Timeout timeout, const RetryOptions& retry)
      : in_flight_(core),
        core_(*core),
        deadline_(core_.options.clock->Now() + timeout.value_or(core_.options.timeout)),
        retry_(retry, &core_.budget, core_.calls.fetch_add(1, std::memory_order_relaxed),
               deadline_) {}
  virtual ~Call() = default;

  void Start() {
    const auto left = deadline_ - core_.options.clock->Now();
    if (left <= std::chrono::nanoseconds(0)) {
      return Finish(absl::DeadlineExceededError("the deadline passed before the call was sent"));
    }
    auto context = std::make_shared<grpc::ClientContext>();
    if (!Begin(context)) return Finish(CancelledByCaller());
    context_ = std::move(context);
    context_->set_deadline(std::chrono::system_clock::now() +
                           std::chrono::duration_cast<std::chrono::system_clock::duration>(left));
    // The key is added by hand: gRPC's own credentials send nothing without TLS, not even on the
    // same machine.
    if (!core_.options.security.api_key.empty()) {
      context_->AddMetadata("authorization", "Bearer " + core_.options.security.api_key);
    }
    Attempt(core_.Pick());
  }

  // Ends the attempt or the wait that is under way; the call then ends with CANCELLED.
  void Cancel() {
    std::shared_ptr<grpc::ClientContext> context;
    std::function<void()> hurry;
    {
      std::lock_guard<std::mutex> lock(mu_);
      if (std::exchange(cancelled_, true)) return;
      context = current_;
      hurry = hurry_;
    }
    // One that gRPC has not begun yet ends as soon as it does.
    if (context != nullptr) context->TryCancel();
    if (hurry) hurry();
  }

 protected:
  // Sends the call on `link` with context(); calls Ended when it has.
  virtual void Attempt(Link& link) = 0;
  virtual void Finish(absl::Status status) = 0;

  // `received`: something came back, or this side has cancelled.
  void Ended(const grpc::Status& grpc_status, bool received) {
    if (grpc_status.ok()) {
      core_.budget.Refill();
      return Finish(absl::OkStatus());
    }
    if (IsCancelled()) return Finish(CancelledByCaller());
    std::optional<std::string> pushback;
    const auto& trailers = context_->GetServerTrailingMetadata();
    if (const auto it = trailers.find("grpc-retry-pushback-ms"); it != trailers.end()) {
      pushback.emplace(it->second.data(), it->second.size());
    }
    absl::Status status = FromGrpc(grpc_status, std::move(pushback));
    if (!received && WasNeverTaken(grpc_status)) {
      status = absl::UnavailableError("the server shut down before it took the call");
    }
    status = core_.Explain(std::move(status));
    const auto delay = retry_.AfterFailure(status, core_.options.clock->Now(), received);
    if (!delay.has_value()) return Finish(std::move(status));
    const int64_t attempt = Attempts();
    auto hurry =
        core_.options.clock->RunAfter(*delay, [self = shared_from_this()] { self->Start(); });
    if (IsCancelledAfter(attempt, hurry)) hurry();
  }

  grpc::ClientContext* context() { return context_.get(); }

 private:
  static absl::Status CancelledByCaller() {
    return absl::CancelledError("the caller cancelled the call");
  }
  // Makes `context` the one that Cancel ends. False if the call is cancelled already.
  bool Begin(std::shared_ptr<grpc::ClientContext> context) {
    std::lock_guard<std::mutex> lock(mu_);
    ++attempts_;
    hurry_ = nullptr;
    current_ = std::move(context);
    return !cancelled_;
  }
  bool IsCancelled() {
    std::lock_guard<std::mutex> lock(mu_);
    return cancelled_;
  }
  int64_t Attempts() {
    std::lock_guard<std::mutex> lock(mu_);
    return attempts_;
  }
  // Makes `hurry` what Cancel calls in the wait after this attempt, which may have ended already.
  // True if the call is cancelled, and the caller has to call it.
  bool IsCancelledAfter(int64_t attempt, std::function<void()> hurry) {
    std::lock_guard<std::mutex> lock(mu_);
    if (attempt != attempts_) return false;
    hurry_ = std::move(hurry);
    return cancelled_;
  }

  const Core::InFlight in_flight_;  // the first, so that it ends after all else of the call
  Core& core_;
  const TimePoint deadline_;
  RetryState retry_;
  std::shared_ptr<grpc::ClientContext> context_;  // of the attempt under way

  std::mutex mu_;
  // Guarded by mu_.
  bool cancelled_ = false;
  int64_t attempts_ = 0;
  std::shared_ptr<grpc::ClientContext> current_;  // context_, for Cancel
  std::function<void()> hurry_;                   // cuts short the latest wait
};

// Starts a call. What it returns does not keep the call alive.
TranslationClient::CancelCall Launch(const std::shared_ptr<Call>& call) {
  call->Start();
  return [weak = std::weak_ptr<Call>(call)] {
    if (const auto running = weak.lock()) running->Cancel();
  };
}

// A method of one answer, on the channel that it goes by.
template <typename Request, typename Response>
using Method = void (*)(Link&, grpc::ClientContext*, const Request*, Response*,
                        std::function<void(grpc::Status)>);

template <typename Request, typename Response>
class UnaryCall : public Call {
 public:
  using Done = std::function<void(absl::StatusOr<Response>)>;

  UnaryCall(Core* core, TranslationClient::Timeout timeout, const RetryOptions& retry,
            Method<Request, Response> method, std::shared_ptr<const Request> request, Done done)
      : Call(core, timeout, retry),
        method_(method),
        request_(std::move(request)),
        done_(std::move(done)) {}

 private:
  void Attempt(Link& link) override {
    response_.Clear();
    method_(link, context(), request_.get(), &response_,
            [this, self = shared_from_this()](grpc::Status status) { Ended(status, false); });
  }
  void Finish(absl::Status status) override {
    if (status.ok()) {
      done_(std::move(response_));
    } else {
      done_(std::move(status));
    }
  }

  const Method<Request, Response> method_;
  const std::shared_ptr<const Request> request_;
  const Done done_;
  Response response_;
};

class StreamCall : public Call {
 public:
  StreamCall(Core* core, TranslationClient::Timeout timeout, const RetryOptions& retry,
             std::shared_ptr<const v1::TranslateRequest> request,
             TranslationClient::OnMessage on_message, TranslationClient::StreamDone done)
      : Call(core, timeout, retry),
        request_(std::move(request)),
        on_message_(std::move(on_message)),
        done_(std::move(done)) {}

 private:
  // One attempt; deletes itself when it has ended.
  class Reader : public grpc::ClientReadReactor<v1::StreamTranslateResponse> {
   public:
    explicit Reader(std::shared_ptr<StreamCall> call) : call_(std::move(call)) {}
    void Begin() {
      StartRead(&message_);
      StartCall();
    }
    void OnReadDone(bool ok) override {
      if (!ok) return;
      call_->received_ = true;
      if (!cancelled_ && !call_->on_message_(message_)) {
        cancelled_ = true;
        call_->context()->TryCancel();
      }
      StartRead(&message_);
    }
    void OnDone(const grpc::Status& status) override {
      call_->Ended(status, call_->received_ || cancelled_);
      delete this;
    }

   private:
    const std::shared_ptr<StreamCall> call_;
    v1::StreamTranslateResponse message_;
    bool cancelled_ = false;
  };

  void Attempt(Link& link) override {
    auto* reader = new Reader(std::static_pointer_cast<StreamCall>(shared_from_this()));
    link.translation.async()->StreamTranslate(context(), request_.get(), reader);
    reader->Begin();
  }
  void Finish(absl::Status status) override { done_(std::move(status)); }

  const std::shared_ptr<const v1::TranslateRequest> request_;
  const TranslationClient::OnMessage on_message_;
  const TranslationClient::StreamDone done_;
  bool received_ = false;
};

// Begins a call of a method of one answer.
template <typename Request, typename Response>
TranslationClient::CancelCall StartUnary(Core* core, TranslationClient::Timeout timeout,
                                         const RetryOptions& retry,
                                         Method<Request, Response> method,
                                         std::shared_ptr<const Request> request,
                                         std::function<void(absl::StatusOr<Response>)> done) {
  return Launch(std::make_shared<UnaryCall<Request, Response>>(
      core, timeout, retry, method, std::move(request), std::move(done)));
}

// The same, and waits for its end.
template <typename Request, typename Response>
absl::StatusOr<Response> Wait(Core* core, TranslationClient::Timeout timeout,
                              const RetryOptions& retry, Method<Request, Response> method,
                              Request request) {
  // Shared with the callback, which may still be leaving set_value when the waiter is gone.
  auto answer = std::make_shared<std::promise<absl::StatusOr<Response>>>();
  StartUnary<Request, Response>(
      core, timeout, retry, method, std::make_shared<const Request>(std::move(request)),
      [answer](absl::StatusOr<Response> result) { answer->set_value(std::move(result)); });
  return answer->get_future().get();
}

using OnEnd = std::function<void(grpc::Status)>;

void AskTranslate(Link& link, grpc::ClientContext* context, const v1::TranslateRequest* request,
                  v1::TranslateResponse* response, OnEnd ended) {
  link.translation.async()->Translate(context, request, response, std::move(ended));
}

void AskDetectLanguage(Link& link, grpc::ClientContext* context,
                       const v1::DetectLanguageRequest* request,
                       v1::DetectLanguageResponse* response, OnEnd ended) {
  link.translation.async()->DetectLanguage(context, request, response, std::move(ended));
}

void AskListLanguages(Link& link, grpc::ClientContext* context,
                      const v1::ListLanguagesRequest* request, v1::ListLanguagesResponse* response,
                      OnEnd ended) {
  link.info.async()->ListLanguages(context, request, response, std::move(ended));
}

void AskListModels(Link& link, grpc::ClientContext* context, const v1::ListModelsRequest* request,
                   v1::ListModelsResponse* response, OnEnd ended) {
  link.info.async()->ListModels(context, request, response, std::move(ended));
}

void AskGetServerInfo(Link& link, grpc::ClientContext* context,
                      const v1::GetServerInfoRequest* request, v1::GetServerInfoResponse* response,
                      OnEnd ended) {
  link.info.async()->GetServerInfo(context, request, response, std::move(ended));
}

void AskHealth(Link& link, grpc::ClientContext* context,
               const grpc::health::v1::HealthCheckRequest* request,
               grpc::health::v1::HealthCheckResponse* response, OnEnd ended) {
  link.health.async()->Check(context, request, response, std::move(ended));
}

v1::ListLanguagesRequest LanguagesOf(const std::string& model) {
  v1::ListLanguagesRequest request;
  request.set_model(model);
  return request;
}

}  // namespace

TranslationClient::TranslationClient(std::unique_ptr<Core> core) : core_(std::move(core)) {}

TranslationClient::~TranslationClient() { core_->WaitUntilIdle(); }

absl::StatusOr<std::unique_ptr<TranslationClient>> TranslationClient::Create(
    const ClientOptions& options) {
  auto core = std::make_unique<Core>(options);
  const std::vector<std::string> addresses = absl::StrSplit(options.server, ',');
  for (const std::string& address : addresses) {
    if (address.empty()) {
      return absl::InvalidArgumentError("the server address '" + options.server +
                                        "' has an empty part, expected host:port");
    }
    if (absl::Status status = CheckSecurity(options.security, address); !status.ok()) return status;
    for (int i = 0; i < options.connections; ++i) {
      grpc::ChannelArguments arguments = Arguments();
      if (!options.security.server_name.empty()) {
        arguments.SetSslTargetNameOverride(options.security.server_name);
      }
      // Else channels to one address share one connection.
      if (options.connections > 1) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      const bool watch = addresses.size() > 1 || absl::StartsWith(address, "dns:");
      core->links.push_back(
          std::make_unique<Link>(address, MakeCredentials(options.security), arguments, watch));
    }
  }
  return std::unique_ptr<TranslationClient>(new TranslationClient(std::move(core)));
}

TranslationClient::CancelCall TranslationClient::TranslateAsync(
    std::shared_ptr<const v1::TranslateRequest> request, TranslateDone done, Timeout timeout) {
  return StartUnary<v1::TranslateRequest, v1::TranslateResponse>(
      core_.get(), timeout, core_->options.retry, AskTranslate, std::move(request),
      std::move(done));
}

TranslationClient::CancelCall TranslationClient::StreamTranslateAsync(
    std::shared_ptr<const v1::TranslateRequest> request, OnMessage on_message, StreamDone done,
    Timeout timeout) {
  return Launch(std::make_shared<StreamCall>(core_.get(), timeout, core_->options.retry,
                                             std::move(request), std::move(on_message),
                                             std::move(done)));
}

TranslationClient::CancelCall TranslationClient::DetectLanguageAsync(
    const v1::DetectLanguageRequest& request,
    std::function<void(absl::StatusOr<v1::DetectLanguageResponse>)> done, Timeout timeout) {
  return StartUnary<v1::DetectLanguageRequest, v1::DetectLanguageResponse>(
      core_.get(), timeout, core_->options.retry, AskDetectLanguage,
      std::make_shared<v1::DetectLanguageRequest>(request), std::move(done));
}

TranslationClient::CancelCall TranslationClient::ListLanguagesAsync(
    const std::string& model, std::function<void(absl::StatusOr<v1::ListLanguagesResponse>)> done,
    Timeout timeout) {
  return StartUnary<v1::ListLanguagesRequest, v1::ListLanguagesResponse>(
      core_.get(), timeout, core_->options.retry, AskListLanguages,
      std::make_shared<v1::ListLanguagesRequest>(LanguagesOf(model)), std::move(done));
}

TranslationClient::CancelCall TranslationClient::ListModelsAsync(
    std::function<void(absl::StatusOr<v1::ListModelsResponse>)> done, Timeout timeout) {
  return StartUnary<v1::ListModelsRequest, v1::ListModelsResponse>(
      core_.get(), timeout, core_->options.retry, AskListModels,
      std::make_shared<v1::ListModelsRequest>(), std::move(done));
}

absl::StatusOr<v1::TranslateResponse> TranslationClient::Translate(
    const v1::TranslateRequest& request, Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskTranslate, request);
}

absl::Status TranslationClient::StreamTranslate(const v1::TranslateRequest& request,
                                                OnMessage on_message, Timeout timeout) {
  auto answer = std::make_shared<std::promise<absl::Status>>();
  StreamTranslateAsync(
      std::make_shared<v1::TranslateRequest>(request), std::move(on_message),
      [answer](absl::Status status) { answer->set_value(std::move(status)); }, timeout);
  return answer->get_future().get();
}

absl::StatusOr<v1::DetectLanguageResponse> TranslationClient::DetectLanguage(
    const v1::DetectLanguageRequest& request, Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskDetectLanguage, request);
}

absl::StatusOr<v1::ListLanguagesResponse> TranslationClient::ListLanguages(const std::string& model,
                                                                           Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskListLanguages, LanguagesOf(model));
}

absl::StatusOr<v1::ListModelsResponse> TranslationClient::ListModels(Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskListModels, v1::ListModelsRequest());
}

absl::StatusOr<v1::GetServerInfoResponse> TranslationClient::GetServerInfo(Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskGetServerInfo,
              v1::GetServerInfoRequest());
}

absl::StatusOr<bool> TranslationClient::Healthy(const std::string& service, Timeout timeout) {
  static const RetryOptions kOnce{.max_attempts = 1};
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const auto response = Wait(core_.get(), timeout, kOnce, AskHealth, request);
  if (!response.ok()) return response.status();
  return response->status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

}  // namespace dragoman
