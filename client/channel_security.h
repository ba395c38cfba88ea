// How a client proves itself to the server, and the server to it: TLS, certificates, an API key.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace dragoman::client {

// Certificates and keys are PEM text, not paths.
struct ChannelSecurity {
  bool tls = false;
  std::string authorities;  // whom to trust; "": the machine's
  std::string certificate;  // the client's own, with its key, where the server asks for one
  std::string key;
  std::string server_name;  // in the server's certificate, where it is not the address's; "": it is
  std::string api_key;      // "": none
  // Lets the API key travel without TLS to another machine.
  bool plaintext_key = false;
};

// INVALID_ARGUMENT where these contradict each other, or where the key would go to `address`
// unencrypted.
absl::Status CheckSecurity(const ChannelSecurity& security, const std::string& address);

// REQUIRES: CheckSecurity.
std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ChannelSecurity& security);

// From now on gRPC writes no lines of its own about failed handshakes; the reason of the last one is
// kept, for error messages. Process-wide: for programs, not for libraries.
void KeepTlsErrors();
// "" if there was none.
std::string LastTlsError();

// A key as `dragoman key` makes it: 256 random bits.
std::string NewApiKey();
// The hash of a key in the form that the server's --api-keys has: "sha256:" and 64 hexadecimal
// digits.
std::string HashOfApiKey(const std::string& key);
// Whether the text can travel in metadata as an API key.
bool IsApiKey(const std::string& key);

}  // namespace dragoman::client
