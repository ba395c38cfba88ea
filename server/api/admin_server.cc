#include "server/api/admin_server.h"

#include <google/protobuf/duration.pb.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.grpc.pb.h"
#include "server/api/call_reactor.h"
#include "server/api/status_map.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/task_thread.h"
#include "server/call/request_error.h"
#include "server/call/response_builder.h"
#include "server/call/wire_check.h"
#include "server/transport/port_settings.h"

namespace dragoman::server {
namespace {

using Work = std::function<absl::Status()>;

// Small limits suffice, because the largest request is the settings of a model, which have some
// hundred bytes.
constexpr PortLimits kPortLimits = {
    .name = "admin", .quota_bytes = 8 << 20, .max_streams = 64, .max_message_bytes = 1 << 20};

// The maximum time limit of a drain: one day. Its nanoseconds do not overflow.
constexpr int64_t kLongestDrainSeconds = 86'400;

// Returns the time limit of a request. A google.protobuf.Duration may be invalid or as long as
// 10,000 years.
absl::StatusOr<std::chrono::nanoseconds> DrainLimitOf(const google::protobuf::Duration& limit) {
  const int64_t seconds = limit.seconds();
  const int32_t nanos = limit.nanos();
  const bool in_range =
      seconds >= 0 && nanos >= 0 && nanos < 1'000'000'000 &&
      (seconds < kLongestDrainSeconds || (seconds == kLongestDrainSeconds && nanos == 0));
  if (!in_range) {
    return InvalidField("limit", absl::StrCat("found ", seconds, " s and ", nanos,
                                              " ns, expected 0 to ", kLongestDrainSeconds, " s"));
  }
  return std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos);
}

v1::ModelChange::Kind WireKind(ModelChange::Kind kind) {
  switch (kind) {
    case ModelChange::Kind::kUnchanged:
      return v1::ModelChange::UNCHANGED;
    case ModelChange::Kind::kLoaded:
      return v1::ModelChange::LOADED;
    case ModelChange::Kind::kReloaded:
      return v1::ModelChange::RELOADED;
    case ModelChange::Kind::kUnloaded:
      return v1::ModelChange::UNLOADED;
    case ModelChange::Kind::kFailed:
      return v1::ModelChange::FAILED;
  }
  return v1::ModelChange::KIND_UNSPECIFIED;
}

void FillChange(const ModelChange& change, v1::ModelChange* out) {
  out->set_name(change.name);
  out->set_kind(WireKind(change.kind));
  out->set_version(change.version);
  if (!change.status.ok()) out->set_error(std::string(change.status.message()));
}

// While this object exists, new files are private, so that other users can never open the socket.
class PrivateFiles {
 public:
  PrivateFiles() : before_(umask(S_IRWXG | S_IRWXO | S_IXUSR)) {}
  ~PrivateFiles() { umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  const mode_t before_;
};

}  // namespace

// Refuses all methods that AdminService lacks. Most are those of TranslationService, called at the
// wrong address.
class AdminServer::OtherMethods final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* rpc) override {
    return new RefusingReactor(ToGrpcStatus(absl::UnimplementedError(
        absl::StrCat("method ", Quoted(rpc->method()),
                     ": this address (--admin-listen) has AdminService only; translations are at "
                     "the daemon's --listen"))));
  }
};

class AdminServer::Service final : public v1::AdminService::CallbackService {
 public:
  explicit Service(const AdminHooks& hooks) : hooks_(hooks) { drains_.Start(); }

  // Waits for the drain in progress. No other drain starts.
  void StopDrains() { drains_.Stop(); }

  grpc::ServerUnaryReactor* LoadModel(grpc::CallbackServerContext* rpc,
                                      const v1::LoadModelRequest* in,
                                      v1::LoadModelResponse* out) override {
    return Later(RpcMethod::kLoadModel, rpc, *in, [this, in, out] {
      const std::map<std::string, std::string> settings(in->settings().begin(),
                                                        in->settings().end());
      const absl::StatusOr<ModelPtr> model =
          hooks_.manager->Load(in->name(), in->directory(), settings);
      if (!model.ok()) return model.status();
      *out->mutable_model() = BuildModel(**model, false);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* rpc,
                                       const v1::ListModelsRequest* in,
                                       v1::ListModelsResponse* out) override {
    const engine::Nanos begun = hooks_.clock->Now();
    const absl::Status status = CheckFields(*in);
    if (status.ok()) *out = BuildModels(hooks_.models->Entries());
    grpc::ServerUnaryReactor* const reactor = rpc->DefaultReactor();
    Finish(RpcMethod::kListModels, begun, status, reactor);
    return reactor;
  }

  grpc::ServerUnaryReactor* ReloadModel(grpc::CallbackServerContext* rpc,
                                        const v1::ReloadModelRequest* in,
                                        v1::ReloadModelResponse* out) override {
    return Later(RpcMethod::kReloadModel, rpc, *in, [this, in, out] {
      const absl::StatusOr<ModelManager::Reloaded> model =
          hooks_.manager->Reload(in->name(), in->only_if_changed());
      if (!model.ok()) return model.status();
      *out->mutable_model() = BuildModel(*model->model, false);
      out->set_reloaded(model->changed);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* ReloadAll(grpc::CallbackServerContext* rpc,
                                      const v1::ReloadAllRequest* in,
                                      v1::ReloadAllResponse* out) override {
    return Later(RpcMethod::kReloadAll, rpc, *in, [this, out] {
      const absl::StatusOr<ReloadReport> report = hooks_.reload_all();
      if (!report.ok()) return report.status();
      for (const ModelChange& change : report->models) FillChange(change, out->add_models());
      for (const std::string& name : report->at_next_start) out->add_settings_at_next_start(name);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* UnloadModel(grpc::CallbackServerContext* rpc,
                                        const v1::UnloadModelRequest* in,
                                        v1::UnloadModelResponse* out) override {
    return Later(RpcMethod::kUnloadModel, rpc, *in, [this, in, out] {
      const absl::StatusOr<int64_t> calls = hooks_.manager->Unload(in->name());
      if (!calls.ok()) return calls.status();
      out->set_calls_left(*calls);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* rpc, const v1::DrainRequest* in,
                                  v1::DrainResponse* out) override {
    return Later(RpcMethod::kDrain, rpc, *in, [this, in, out] {
      std::chrono::nanoseconds limit = hooks_.drain_limit;
      if (in->has_limit()) {
        const absl::StatusOr<std::chrono::nanoseconds> asked = DrainLimitOf(in->limit());
        if (!asked.ok()) return asked.status();
        limit = *asked;
      }
      out->set_cancelled(hooks_.drain(limit));
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* SetLogLevel(grpc::CallbackServerContext* rpc,
                                        const v1::SetLogLevelRequest* in,
                                        v1::SetLogLevelResponse* out) override {
    const engine::Nanos begun = hooks_.clock->Now();
    absl::Status status = CheckFields(*in);
    const auto level = ParseLogLevel(in->level());
    if (status.ok() && !level.has_value()) {
      status = InvalidField("level", absl::StrCat("found ", Quoted(in->level()),
                                                  ", expected trace, debug, info, warn, error or "
                                                  "off"));
    }
    if (status.ok()) {
      out->set_previous(LogLevelName(dragoman::server::SetLogLevel(*level)));
    }
    grpc::ServerUnaryReactor* const reactor = rpc->DefaultReactor();
    Finish(RpcMethod::kSetLogLevel, begun, status, reactor);
    return reactor;
  }

 private:
  template <typename Request>
  static absl::Status CheckFields(const Request& in) {
    const auto unknown = UnknownFields(in);
    return unknown.empty() ? absl::OkStatus() : UnimplementedFields(unknown);
  }

  // Runs `work` on the manager's thread or on the thread for drains, then answers. gRPC keeps the
  // messages until the answer.
  template <typename Request>
  grpc::ServerUnaryReactor* Later(RpcMethod method, grpc::CallbackServerContext* rpc,
                                  const Request& in, Work work) {
    grpc::ServerUnaryReactor* const reactor = rpc->DefaultReactor();
    const engine::Nanos begun = hooks_.clock->Now();
    absl::Status status = CheckFields(in);
    if (status.ok()) {
      const bool drains = method == RpcMethod::kDrain;
      TaskThread::Task task = [this, method, begun, reactor, drains,
                               work = std::move(work)](bool go_on) {
        absl::Status done = absl::UnavailableError("the server is draining");
        if (go_on && (drains || !hooks_.draining())) done = work();
        Finish(method, begun, done, reactor);
      };
      // A drain does not wait for a model that is being loaded.
      status = drains ? drains_.Post(std::move(task)) : hooks_.manager->Post(std::move(task));
      if (status.ok()) return reactor;
    }
    Finish(method, begun, status, reactor);
    return reactor;
  }

  void Finish(RpcMethod method, engine::Nanos begun, const absl::Status& status,
              grpc::ServerUnaryReactor* reactor) {
    const engine::Nanos duration = hooks_.clock->Now() - begun;
    hooks_.metrics->OnRpc(Api::kDragoman, method, status.code(), duration, "");
    LogFields fields = {{"method", RpcMethodName(method)},
                        {"code", CodeName(status.code())},
                        {"duration_ms", static_cast<double>(duration) * 1e-6}};
    if (!status.ok()) fields["error"] = std::string(status.message());
    Log(LogLevel::kInfo, "admin", fields);
    reactor->Finish(ToGrpcStatus(status));
  }

  static constexpr size_t kMaxDrains = 4;

  const AdminHooks hooks_;
  TaskThread drains_{"drains", kMaxDrains};
};

AdminServer::AdminServer(const AdminHooks& hooks)
    : service_(std::make_unique<Service>(hooks)), others_(std::make_unique<OtherMethods>()) {}

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(const Address& address,
                                                                const AdminHooks& hooks,
                                                                const TlsStore* tls) {
  std::unique_ptr<AdminServer> out(new AdminServer(hooks));
  grpc::ServerBuilder builder;
  SetUpPort(kPortLimits, &builder);
  int port = 0;
  out->credentials_ = tls == nullptr ? grpc::InsecureServerCredentials() : MakeTlsCredentials(tls);
  builder.AddListeningPort(AddressText(address), out->credentials_, &port);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(out->service_.get());
  builder.RegisterCallbackGenericService(out->others_.get());
  {
    const PrivateFiles socket;
    out->server_ = builder.BuildAndStart();
  }
  if (out->server_ == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("--admin-listen: cannot listen on ", AddressText(address),
                     ": it is taken, or this machine has no such address"));
  }
  Address bound = address;
  if (address.unix_path.empty()) bound.port = port;
  out->address_ = AddressText(bound);
  return out;
}

AdminServer::~AdminServer() {
  service_->StopDrains();
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

}  // namespace dragoman::server
