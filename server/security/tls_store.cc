#include "server/security/tls_store.h"

#include <chrono>
#include <utility>

namespace dragoman {

TlsStore::WallClock TlsStore::SystemTime() {
  return [] {
    return static_cast<int64_t>(
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  };
}

TlsStore::TlsStore(TlsPaths paths, WallClock now, TlsMaterial first)
    : paths_(std::move(paths)),
      now_(std::move(now)),
      current_(std::make_shared<const TlsMaterial>(std::move(first))) {}

absl::StatusOr<std::unique_ptr<TlsStore>> TlsStore::Open(TlsPaths paths, WallClock now) {
  absl::StatusOr<TlsMaterial> first = ReadTlsFiles(paths, now());
  if (!first.ok()) return first.status();
  return std::unique_ptr<TlsStore>(
      new TlsStore(std::move(paths), std::move(now), *std::move(first)));
}

absl::StatusOr<bool> TlsStore::Reload() {
  absl::StatusOr<TlsMaterial> read = ReadTlsFiles(paths_, now_());
  if (!read.ok()) return read.status();
  const auto next = std::make_shared<const TlsMaterial>(*std::move(read));
  MutexLock lock(&mu_);
  if (next->certificate == current_->certificate && next->key == current_->key &&
      next->client_ca == current_->client_ca) {
    return false;
  }
  current_ = next;
  return true;
}

}  // namespace dragoman
