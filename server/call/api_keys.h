// The API keys of clients, stored as hashes, and the rights of each client.
//
// A file lists clients and the SHA-256 of each of their keys. A key is 256 random bits, so that a
// fast hash without a salt cannot be reversed. See server/SECURITY.md.
//
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/call/token_bucket.h"

namespace dragoman::server {

// The maximum of ClientEntry::share. If two clients of the same priority wait, one of them gets at
// most kMaxShare times as much of the machine as the other. A sentence of a new client then waits
// for at most kMaxShare sentences of the other client.
inline constexpr int kMaxShare = 16;
// The maximum number of keys in a file. The key of each call is compared with all of them.
inline constexpr size_t kMaxApiKeys = 1024;

using KeyHash = std::array<uint8_t, 32>;

// A client's entry in the file.
struct ClientEntry {
  std::string name;
  std::vector<KeyHash> hashes;        // more than one while keys are rotated
  std::vector<std::string> models;    // "*" means every model
  int64_t characters_per_minute = 0;  // code points; 0: no limit
  int share = 1;  // of the queue and the machine, relative to the shares of other clients
};

// Parses the text of a file: {"clients": [{"name": "web", "keys": ["sha256:HEX"], ...}, ...]}.
// INVALID_ARGUMENT names the faulty place, what was found there and what was expected.
absl::StatusOr<std::vector<ClientEntry>> ParseApiKeys(std::string_view text);

// Returns "sha256:" and 64 hexadecimal digits, the form that files use.
std::string HashOfKey(std::string_view key);

// A client that may make calls. Its calls share the object.
class Client {
 public:
  explicit Client(const ClientEntry& entry);

  const std::string& name() const { return name_; }
  int share() const;
  bool MayUse(std::string_view model) const;

  // Takes `characters` code points from the client's rate limit and returns 0. If the rate limit
  // does not allow that many now, takes none and returns the time until it does.
  engine::Nanos Take(int64_t characters, engine::Nanos now);
  void GiveBack(int64_t characters);

  // The number of code points in all texts translated for the client since the daemon started.
  int64_t translated() const { return translated_.load(); }
  void AddTranslated(int64_t code_points) { translated_.fetch_add(code_points); }

  // Sets models, share and rate limit to those of `entry`, which is the client's entry after the
  // file was read again.
  void Update(const ClientEntry& entry);

 private:
  const std::string name_;
  std::atomic<int64_t> translated_{0};

  mutable engine::Mutex mu_;
  std::vector<std::string> models_ ABSL_GUARDED_BY(mu_);
  int share_ ABSL_GUARDED_BY(mu_) = 1;
  TokenBucket bucket_ ABSL_GUARDED_BY(mu_);
};

// A valid key with its client, until the key is revoked. Shared by all calls that use the key.
class Grant {
 public:
  explicit Grant(std::shared_ptr<Client> client) : client_(std::move(client)) {}

  Client& client() const { return *client_; }

  // Calls `end` once, without locks, when the key is revoked, or at once if it is already revoked.
  // Returns a number to pass to Forget. After Forget, `end` no longer starts, but it may still be
  // running.
  uint64_t OnRevoked(std::function<void()> end);
  void Forget(uint64_t number);

  void Revoke();

 private:
  const std::shared_ptr<Client> client_;

  engine::Mutex mu_;
  bool revoked_ ABSL_GUARDED_BY(mu_) = false;
  uint64_t last_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<uint64_t, std::function<void()>> ends_ ABSL_GUARDED_BY(mu_);
};

class ApiKeys {
 public:
  // Reads the file. INVALID_ARGUMENT names the file and the problem.
  static absl::StatusOr<std::unique_ptr<ApiKeys>> Open(std::string path);

  // Reads the file again. Clients keep what is left of their rate limits. Keys that are no longer
  // in the file are revoked. After an error, nothing has changed.
  absl::Status Reload();

  // Returns the grant of the key in the header `authorization` ("Bearer KEY"). UNAUTHENTICATED
  // names the problem and never quotes the header.
  absl::StatusOr<std::shared_ptr<Grant>> Authenticate(std::string_view authorization) const;
  // Returns the grant of `key`, which comes from another part of the request than the header
  // `authorization`. "" means that the request has no key.
  absl::StatusOr<std::shared_ptr<Grant>> AuthenticateKey(std::string_view key) const;

  // Returns the grant of a key of the client, or nullptr if no key in the file is this client's.
  std::shared_ptr<Grant> GrantOf(std::string_view client) const;

  const std::string& path() const { return path_; }
  size_t clients() const;
  size_t keys() const;

 private:
  explicit ApiKeys(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<std::shared_ptr<Grant>> Find(std::string_view key) const;

  struct Key {
    KeyHash hash;
    std::shared_ptr<Grant> grant;
  };

  const std::string path_;

  mutable engine::Mutex mu_;
  std::map<std::string, std::shared_ptr<Client>> clients_ ABSL_GUARDED_BY(mu_);
  // A call copies the pointer and searches the list without the lock.
  std::shared_ptr<const std::vector<Key>> keys_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
