// A table of what ICU said of the codes that were asked for last. A list of pairs, or of detected languages, asks for
// the same few codes again and again; codes of clients come here as well, so the table is emptied when it
// is full.
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
  // make(code), or what it returned before. A code that is longer than any is comes back as it is.
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
