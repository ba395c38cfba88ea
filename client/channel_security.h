// Encryption and authentication between client and server: TLS, certificates and an API key.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

// Certificates and keys are PEM text, not paths.
struct ChannelSecurity {
  bool tls = false;
  std::string authorities;  // trusted CA certificates; "": those that the machine trusts
  std::string certificate;  // the client's certificate, if the server requires one
  std::string key;
  // The name that the server's certificate must have; "": the host in the address.
  std::string server_name;
  std::string api_key;  // "": none
  // Whether the API key may be sent to another machine without TLS.
  bool plaintext_key = false;
};

// Returns INVALID_ARGUMENT if settings contradict each other, or if the API key would be sent to
// another machine unencrypted although plaintext_key is false.
absl::Status CheckSecurity(const ChannelSecurity& security, const std::string& address);

// REQUIRES: CheckSecurity has returned OK.
std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ChannelSecurity& security);

// Replaces gRPC's log function in the whole process. After that, gRPC writes no log lines, and
// LastTlsError knows the reason of the last failed TLS handshake. Only programs may call it, not
// libraries.
void KeepTlsErrors();
// Returns the reason of the last failed TLS handshake, or "" if none has failed.
std::string LastTlsError();

// Returns a new API key with 256 random bits, or "" if the system supplies no random bits.
std::string NewApiKey();
// Returns the hash of an API key for the file of the server's --api-keys: "sha256:" and 64
// hexadecimal digits.
std::string HashOfApiKey(const std::string& key);
// Reports whether the text has only characters that gRPC metadata can carry.
bool IsApiKey(const std::string& key);

}  // namespace dragoman::client
