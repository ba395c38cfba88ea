// A cache of ICU's results for language codes. Lists need the same few codes again and again.
// Clients choose some codes, so a full cache is emptied.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/mutex.h"

namespace dragoman::server {

class KnownCodes {
 public:
  // Returns make(code), from the cache if possible. Returns a code of more than 64 bytes unchanged.
  std::string Get(std::string_view code, std::string (*make)(std::string_view)) {
    constexpr size_t kMaxCodeBytes = 64;
    constexpr size_t kMaxKnown = 4096;
    std::string key(code);
    if (code.size() > kMaxCodeBytes) return key;
    {
      engine::MutexLock lock(&mu_);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    std::string made = make(code);
    engine::MutexLock lock(&mu_);
    if (known_.size() >= kMaxKnown) known_.clear();
    return known_.emplace(std::move(key), std::move(made)).first->second;
  }

 private:
  engine::Mutex mu_;
  std::unordered_map<std::string, std::string> known_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
