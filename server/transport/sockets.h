// Queries connections and ends them without gRPC, which owns them. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::server {

// The client's address: "1.2.3.4:5", "[::1]:5". Other families are "". The scope of a link-local
// address is left out.
std::string PeerOf(int fd);
// The client's address without the port, and of IPv6 only the first 64 bits, which is the least
// that one client is given: "1.2.3.4", "2001:db8:0:1::". Other families are "".
std::string NetworkOf(int fd);
// Converts gRPC's form of an address ("ipv4:1.2.3.4:5", "ipv6:%5B::1%5D:5") to PeerOf's.
std::string PeerKey(std::string_view grpc_peer);

// Bytes received since the connection's start; -1 if that is not known.
int64_t ReceivedBy(int fd);

// Bytes that were received and not read yet; 0 if that is not known.
int64_t UnreadOf(int fd);

// Throws away what was received and not read yet, which gRPC would read and serve first.
void DiscardReceived(int fd);
// Discards likewise, and closes both directions.
void EndAtOnce(int fd);

}  // namespace dragoman::server
