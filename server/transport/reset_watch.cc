#include "server/transport/reset_watch.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "nlohmann/json.hpp"
#include "server/base/steady_clock.h"
#include "server/transport/sockets.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Parses and frees a text that channelz returned. Returns JSON null for nullptr.
json Take(char* text) {
  if (text == nullptr) return nullptr;
  json out = json::parse(text, nullptr, /*allow_exceptions=*/false);
  gpr_free(text);
  return out;
}

// Returns a 64-bit count. Protobuf's JSON writes it as a string, and omits a count of 0.
int64_t Count(const json& message, const char* path) {
  const json::json_pointer at(path);
  int64_t value = 0;
  if (!message.contains(at)) return value;
  return absl::SimpleAtoi(message[at].get<std::string>(), &value) ? value : 0;
}

json Servers() {
  json servers = Take(grpc_channelz_get_servers(0));
  return servers.is_object() && servers.contains("server") ? servers["server"] : json::array();
}

// Reads gRPC's own counts (channelz) of the HTTP/2 streams that it has accepted.
class AcceptedStreams {
 public:
  // Returns the counts of all servers of this process. Takes about 20 us.
  static StreamCount All() {
    StreamCount sum;
    for (const json& server : Servers()) {
      sum.started += Count(server, "/data/callsStarted");
      sum.succeeded += Count(server, "/data/callsSucceeded");
      sum.failed += Count(server, "/data/callsFailed");
    }
    return sum;
  }

  // Finds the numbers that channelz has for connections that are new since the last Update.
  void Update() {
    // channelz gives a socket its number shortly before it lists the socket, so some sockets with
    // numbers below last_ may be listed only now.
    constexpr int64_t kOverlap = 256;
    constexpr intptr_t kAll = 1 << 20;
    const int64_t first = std::max<int64_t>(0, last_ - kOverlap);
    for (const json& server : Servers()) {
      const int64_t id = Count(server, "/ref/serverId");
      const json sockets = Take(grpc_channelz_get_server_sockets(id, first, kAll));
      if (!sockets.is_object() || !sockets.contains("socketRef")) continue;
      for (const json& socket : sockets["socketRef"]) {
        const int64_t number = Count(socket, "/socketId");
        last_ = std::max(last_, number);
        // A name is like "chttp2 ipv4:1.2.3.4:5".
        const std::string name = socket.value("name", "");
        const std::string peer = PeerKey(std::string_view(name).substr(name.find(' ') + 1));
        if (!peer.empty()) sockets_[peer] = number;
      }
    }
  }

  // Returns the counts of the connection from `peer` (in PeerOf's notation), or nullopt if gRPC
  // does not know the connection now or did not know it at the last Update. Takes about 20 us.
  std::optional<StreamCount> Of(const std::string& peer) const {
    const auto at = sockets_.find(peer);
    if (at == sockets_.end()) return std::nullopt;
    const json socket = Take(grpc_channelz_get_socket(at->second));
    if (!socket.is_object()) return std::nullopt;
    return StreamCount{Count(socket, "/socket/data/streamsStarted"),
                       Count(socket, "/socket/data/streamsSucceeded"),
                       Count(socket, "/socket/data/streamsFailed")};
  }

  void Forget(const std::string& peer) { sockets_.erase(peer); }

 private:
  // Channelz's socket numbers, by peer; a newer socket has a higher number.
  std::map<std::string, int64_t> sockets_;
  int64_t last_ = 0;
};

// A connection that has wasted at most this many streams is not part of a flood.
constexpr int64_t kFew = 64;
// The part of failing_ that remains after each Look.
constexpr double kKept = 0.96;

}  // namespace

ResetWatch::Counts ResetWatch::RealCounts() {
  const auto streams = std::make_shared<AcceptedStreams>();
  return {.all = AcceptedStreams::All,
          .update = [streams] { streams->Update(); },
          .of = [streams](const std::string& peer) { return streams->Of(peer); },
          .forget = [streams](const std::string& peer) { streams->Forget(peer); }};
}

void ResetWatch::Open(int fd, const std::string& peer, engine::Nanos now) {
  Connection& connection = connections_[fd];
  connection = Connection{.peer = peer, .number = ++last_connection_, .seen = now};
}

void ResetWatch::Close(int fd) {
  const auto at = connections_.find(fd);
  if (at == connections_.end()) return;
  counts_.forget(at->second.peer);
  connections_.erase(at);
}

void ResetWatch::Begin(uint64_t call, int fd) {
  const auto at = connections_.find(fd);
  calls_[call] = at == connections_.end() ? Call{} : Call{fd, at->second.number};
}

ResetWatch::Account* ResetWatch::AccountOf(const Call& call) {
  const auto at = connections_.find(call.fd);
  return at != connections_.end() && at->second.number == call.connection ? &at->second.account
                                                                          : nullptr;
}

void ResetWatch::Completed(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end() || std::exchange(at->second.complete, true)) return;
  ++all_.complete;
  if (Account* const account = AccountOf(at->second)) ++account->complete;
}

void ResetWatch::Aborted(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end() || std::exchange(at->second.aborted, true)) return;
  ++aborted_;
}

void ResetWatch::Done(uint64_t call, bool cancelled) {
  const auto at = calls_.find(call);
  if (at == calls_.end()) return;
  const Call done = at->second;
  calls_.erase(at);
  if (done.aborted) --aborted_;
  if (!done.complete) return;
  const auto end = [cancelled](Account* account) {
    --account->complete;
    if (cancelled) ++account->cancelled;
  };
  end(&all_);
  if (Account* const account = AccountOf(done)) end(account);
}

int64_t ResetWatch::Unforgiven(Connection* connection, const StreamCount& count,
                               engine::Nanos now) {
  const int64_t wasted = connection->account.Wasted(count);
  const engine::Nanos passed = now - connection->seen;
  connection->seen = now;
  connection->forgiven += kForgivenPerSecond * (passed / kNanosPerMilli) / 1000;
  // A connection cannot keep forgiveness that it has not used. `wasted` may have fallen, because
  // some of the streams were only waiting for their request.
  connection->forgiven = std::min(connection->forgiven, wasted);
  return wasted - connection->forgiven;
}

ResetWatch::Floods ResetWatch::Look(engine::Nanos now) {
  Floods floods;
  const StreamCount count = counts_.all();
  // gRPC may count a call as failed before Done reports its end to this class. So the calls in
  // progress whose request is complete (all_.complete) are subtracted too.
  const int64_t failed = count.failed - all_.cancelled - all_.complete;
  const int64_t failed_now = failed - std::exchange(failed_, failed);
  failing_ = kKept * failing_ + static_cast<double>(std::max<int64_t>(0, failed_now));
  // `pending` is the number of streams that gRPC has not handed over as calls, plus the number of
  // calls without a complete request.
  const auto calls = static_cast<int64_t>(calls_.size());
  const int64_t open = count.started - count.succeeded - count.failed;
  const int64_t pending = std::max<int64_t>(0, open - (calls - aborted_)) + calls - all_.complete;
  floods.many = pending > limits_.all && failing_ > kWorthALook;
  const int64_t wasted = all_.Wasted(count);
  checked_ = std::min(checked_, wasted);
  if (!floods.many && wasted - checked_ <= kWorthALook) return floods;
  checked_ = wasted;
  counts_.update();
  for (auto& [fd, connection] : connections_) {
    const auto of = counts_.of(connection.peer);
    if (!of) continue;
    const int64_t waste = Unforgiven(&connection, *of, now);
    if (waste > limits_.each || (floods.many && waste > kFew)) floods.connections.push_back(fd);
  }
  for (const int fd : floods.connections) Close(fd);
  return floods;
}

}  // namespace dragoman::server
