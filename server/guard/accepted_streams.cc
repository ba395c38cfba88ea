#include "server/guard/accepted_streams.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/numbers.h"
#include "nlohmann/json.hpp"
#include "server/guard/sockets.h"

namespace dragoman {
namespace {

using nlohmann::json;

// Takes over and parses what channelz returns; null if it returns nothing.
json Take(char* text) {
  if (text == nullptr) return nullptr;
  json out = json::parse(text, nullptr, /*allow_exceptions=*/false);
  gpr_free(text);
  return out;
}

// A count of 64 bits, which is a string in protobuf's JSON; one of 0 is left out.
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

}  // namespace

StreamCount AcceptedStreams::All() const {
  StreamCount sum;
  for (const json& server : Servers()) {
    sum.started += Count(server, "/data/callsStarted");
    sum.succeeded += Count(server, "/data/callsSucceeded");
    sum.failed += Count(server, "/data/callsFailed");
  }
  return sum;
}

void AcceptedStreams::Update() {
  // A socket gets its number a little before it is listed.
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
      // "chttp2 ipv4:1.2.3.4:5"
      const std::string name = socket.value("name", "");
      const std::string peer = PeerKey(std::string_view(name).substr(name.find(' ') + 1));
      if (!peer.empty()) sockets_[peer] = number;
    }
  }
}

std::optional<StreamCount> AcceptedStreams::Of(const std::string& peer) const {
  const auto at = sockets_.find(peer);
  if (at == sockets_.end()) return std::nullopt;
  const json socket = Take(grpc_channelz_get_socket(at->second));
  if (!socket.is_object()) return std::nullopt;
  return StreamCount{Count(socket, "/socket/data/streamsStarted"),
                     Count(socket, "/socket/data/streamsSucceeded"),
                     Count(socket, "/socket/data/streamsFailed")};
}

}  // namespace dragoman
