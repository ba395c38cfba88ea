// What connections are asked and told beside gRPC, which owns them. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

// The client's address: "1.2.3.4:5", "[::1]:5". Other families are "". The scope of a link-local
// address is left out.
std::string PeerOf(int fd);
// Without the port, and of IPv6 the first 64 bits, which is what one client is given at least:
// "1.2.3.4", "2001:db8:0:1::". "" as above.
std::string NetworkOf(int fd);
// The same as PeerOf of gRPC's way to write it: "ipv4:1.2.3.4:5", "ipv6:%5B::1%5D:5".
std::string PeerKey(std::string_view grpc_peer);

// Bytes since the connection's start; -1 if that cannot be told.
int64_t ReceivedBy(int fd);

// Bytes that were received and nobody has read yet; 0 if that cannot be told.
int64_t UnreadOf(int fd);

// Throws away what was received and not read yet, which gRPC would read and serve first.
void DiscardReceived(int fd);
// Closes both directions too.
void EndAtOnce(int fd);

}  // namespace dragoman
