// API keys, by their hashes, and what the client of each may do.
//
// A file names clients and the SHA-256 of their keys. A key is 256 random bits, so that its hash
// cannot be guessed backwards however fast the hash is, and a slow one would only make every call
// slow; for the same reason it needs no salt. See server/SECURITY.md.
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

// The largest share: while two clients of the same priority wait, one has at most so much of the
// machine against the other's 1, and a new client's sentence waits for so many of it.
inline constexpr int kMaxShare = 16;
// The most keys of a file: each call is compared with all of them.
inline constexpr size_t kMaxApiKeys = 1024;

using KeyHash = std::array<uint8_t, 32>;

// A client as it stands in the file.
struct ClientEntry {
  std::string name;
  std::vector<KeyHash> hashes;        // of its keys; more than one while they are exchanged
  std::vector<std::string> models;    // "*" among them: every model
  int64_t characters_per_minute = 0;  // code points; 0: no limit
  int share = 1;                      // of the queue and the machine, relative to others'
};

// A file's text: {"clients": [{"name": "web", "keys": ["sha256:HEX"], ...}, ...]}. INVALID_ARGUMENT
// names what is wrong with it, what was found and what was expected.
absl::StatusOr<std::vector<ClientEntry>> ParseApiKeys(std::string_view text);

// "sha256:" and 64 hexadecimal digits, as in files.
std::string HashOfKey(std::string_view key);

// A client in service. Shared by the calls that it has.
class Client {
 public:
  explicit Client(const ClientEntry& entry);

  const std::string& name() const { return name_; }
  int share() const;
  bool MayUse(std::string_view model) const;

  // Takes these characters from the client's rate and returns 0; or takes none, and returns the
  // time after which it may.
  engine::Nanos Take(int64_t characters, engine::Nanos now);
  void GiveBack(int64_t characters);

  // Code points of the texts that were translated for the client since the daemon's start.
  int64_t translated() const { return translated_.load(); }
  void AddTranslated(int64_t code_points) { translated_.fetch_add(code_points); }

  // The file was read again.
  void Update(const ClientEntry& entry);

 private:
  const std::string name_;
  std::atomic<int64_t> translated_{0};

  mutable engine::Mutex mu_;
  std::vector<std::string> models_ ABSL_GUARDED_BY(mu_);
  int share_ ABSL_GUARDED_BY(mu_) = 1;
  TokenBucket bucket_ ABSL_GUARDED_BY(mu_);
};

// A key in service: its client, and whether it still is. Shared by the calls made with it.
class Grant {
 public:
  explicit Grant(std::shared_ptr<Client> client) : client_(std::move(client)) {}

  Client& client() const { return *client_; }

  // Calls `end` once, without locks, when the key is revoked, or at once if it was. Returns a
  // number for Forget, after which `end` is not called any more (it may be running).
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
  // Reads the file; INVALID_ARGUMENT names it and what is wrong.
  static absl::StatusOr<std::unique_ptr<ApiKeys>> Open(std::string path);

  // Reads it again: clients keep what is left of their rates, and keys that are not in it any more
  // are revoked. With an error all stays as it is.
  absl::Status Reload();

  // The grant of the key in the header `authorization` ("Bearer KEY"). UNAUTHENTICATED says what is
  // wrong with the header, never what it was.
  absl::StatusOr<std::shared_ptr<Grant>> Authenticate(std::string_view authorization) const;
  // The grant of a key that came in another way; "": none came.
  absl::StatusOr<std::shared_ptr<Grant>> AuthenticateKey(std::string_view key) const;

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
  // Shared, so that calls look through it without the lock.
  std::shared_ptr<const std::vector<Key>> keys_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
