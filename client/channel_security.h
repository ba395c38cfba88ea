// How client and server authenticate to each other: TLS, certificates and an API key.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

// Certificates and keys are PEM text, not paths.
struct ChannelSecurity {
  bool tls = false;
  std::string authorities;  // trusted CA certificates; "": those of the machine
  std::string certificate;  // the client's own, with `key`, if the server requires one
  std::string key;
  std::string server_name;  // name in the server's certificate; "": the host of the address
  std::string api_key;      // "": none
  // Allows sending the API key to another machine without TLS.
  bool plaintext_key = false;
};

// INVALID_ARGUMENT: contradicting options, or `address` would get the API key unencrypted.
absl::Status CheckSecurity(const ChannelSecurity& security, const std::string& address);

// REQUIRES: CheckSecurity.
std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ChannelSecurity& security);

// Replaces gRPC's log function: gRPC no longer writes log lines. Keeps the reason of the last
// failed handshake for error messages. Process-wide, so libraries must not call it.
void KeepTlsErrors();
// Returns the reason of the last failed handshake, or "" if none has failed.
std::string LastTlsError();

// Returns a new key with 256 random bits, or "" if the system supplies no random bits.
std::string NewApiKey();
// Returns the hash of a key for the server's --api-keys: "sha256:" and 64 hexadecimal digits.
std::string HashOfApiKey(const std::string& key);
// Reports whether gRPC metadata can carry the text as an API key.
bool IsApiKey(const std::string& key);

}  // namespace dragoman::client
