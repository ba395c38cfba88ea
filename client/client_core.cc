#include "client/client_core.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/channel_security.h"

namespace dragoman::client {
namespace {

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  // No retry policy is set. With one, gRPC would retry calls that a server has answered, and
  // RetryBudget would not count these retries. gRPC's transparent retries stay enabled: gRPC
  // resends calls that no server has seen, such as calls on a connection that the server closes to
  // renew it. With transparent retries disabled and connections renewed every 5 s, one of 80,000
  // calls was lost.
  arguments.SetLoadBalancingPolicyName("round_robin");
  // The addresses of a name change when servers start and stop. When a connection ends, gRPC
  // resolves the name again, but by default at most once in 30 s. By then, all known servers may
  // have stopped.
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1'000);
  // With these keepalive settings, calls to a server that hangs fail with UNAVAILABLE after 10 s.
  // The client then retries them on another server.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  // gRPC 1.51 has no constant for this option. Newer versions wait a minute for the answer to their
  // own bandwidth pings, and send no keepalive pings meanwhile.
  arguments.SetInt("grpc.http2.ping_timeout_ms", 5'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // gRPC's default is to wait up to 120 s before it connects again. This is longer than the
  // client's waits between retries.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  // A response with n-best lists and tokens of 1,024 items can exceed gRPC's default limit of 4
  // MiB.
  arguments.SetMaxReceiveMessageSize(64 << 20);
  return arguments;
}

// Adds the setting that distributes calls over all addresses of a name. With `watch`, gRPC watches
// each server's health (gRFC A17) and sends no calls to a server that is NOT_SERVING. A server is
// NOT_SERVING some seconds before it refuses calls.
grpc::ChannelArguments Balancing(grpc::ChannelArguments arguments, bool watch, bool one_server) {
  if (one_server) {
    arguments.SetServiceConfigJSON(R"({"loadBalancingConfig":[{"pick_first":{}}]})");
    return arguments;
  }
  arguments.SetServiceConfigJSON(
      watch
          ? R"({"loadBalancingConfig":[{"round_robin":{}}],"healthCheckConfig":{"serviceName":""}})"
          : R"({"loadBalancingConfig":[{"round_robin":{}}]})");
  return arguments;
}

std::unique_ptr<Link> MakeLink(const std::string& address,
                               const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                               const grpc::ChannelArguments& arguments, bool watch,
                               bool one_server) {
  return std::make_unique<Link>(
      grpc::CreateCustomChannel(address, credentials, Balancing(arguments, watch, one_server)),
      grpc::CreateCustomChannel(address, credentials, arguments));
}

bool IsRefused(const absl::Status& status) {
  return absl::IsUnavailable(status) && absl::StrContains(status.message(), "Connection refused");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClientCore>> ClientCore::Create(const ClientOptions& options) {
  std::unique_ptr<ClientCore> core(new ClientCore(options));
  const std::vector<std::string> addresses = absl::StrSplit(options.server, ',');
  for (const std::string& address : addresses) {
    if (address.empty()) {
      return absl::InvalidArgumentError("the server address '" + options.server +
                                        "' has an empty part, expected host:port");
    }
    for (const char* const scheme : {"http://", "https://", "grpc://", "grpcs://", "tcp://"}) {
      if (!absl::StartsWith(address, scheme)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the server address '", address,
                       "' has a scheme, expected host:port alone, those of the daemon's --listen: "
                       "this client speaks gRPC; --tls is for TLS"));
    }
    if (absl::Status status = CheckSecurity(options.security, address); !status.ok()) return status;
    for (int i = 0; i < options.connections; ++i) {
      grpc::ChannelArguments arguments = Arguments();
      if (!options.security.server_name.empty()) {
        arguments.SetSslTargetNameOverride(options.security.server_name);
      }
      // Without this, all channels to one address would share one connection.
      if (options.connections > 1) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      const bool watch = addresses.size() > 1 || absl::StartsWith(address, "dns:");
      core->links_.push_back(MakeLink(address, MakeCredentials(options.security), arguments, watch,
                                      options.one_server));
    }
  }
  return core;
}

Link& ClientCore::Pick() {
  if (links_.size() == 1) return *links_[0];
  const uint64_t turn = options.one_server ? 0 : next_link_.fetch_add(1, std::memory_order_relaxed);
  for (size_t i = 0; i < links_.size(); ++i) {
    Link& link = *links_[(turn + i) % links_.size()];
    if (link.channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) return link;
  }
  return *links_[turn % links_.size()];
}

absl::Status ClientCore::Explain(absl::Status status) const {
  constexpr absl::string_view kClosed = "Socket closed";
  if (status.code() != absl::StatusCode::kUnavailable) return status;
  if (IsRefused(status)) {
    return absl::UnavailableError(absl::StrCat("no server answers at ", options.server,
                                               " (connection refused): start dragomand there, or "
                                               "name another address"));
  }
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

bool ClientCore::NobodyIsThere(const absl::Status& status) const {
  return links_.size() == 1 && !budget.answered() && IsRefused(status);
}

ClientCore::InFlight::InFlight(ClientCore* core) : core_(*core) {
  std::lock_guard<std::mutex> lock(core_.mu_);
  ++core_.in_flight_;
}

ClientCore::InFlight::~InFlight() {
  // Notify while the lock is held. Otherwise the thread that waits for idle_ could destroy the core
  // before notify_all returns.
  std::lock_guard<std::mutex> lock(core_.mu_);
  if (--core_.in_flight_ == 0) core_.idle_.notify_all();
}

void ClientCore::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mu_);
  idle_.wait(lock, [this] { return in_flight_ == 0; });
}

}  // namespace dragoman::client
