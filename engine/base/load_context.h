// The context of one load of a model: counts its memory, records its files, and can stop it.
//
// Thread-safe. The caller of the load owns the context. The context must outlive
// LoadedModel::weights, but not the engine. Tools and tests may pass nullptr instead of a
// LoadContext*. The load then has no memory limit and no record of files, and cannot be stopped.
#pragma once

#include <atomic>

#include "absl/status/status.h"
#include "engine/base/file_record.h"
#include "engine/base/load_memory.h"

namespace dragoman::engine {

class LoadContext {
 public:
  // Borrows `stop`; nullptr: the load is never stopped.
  explicit LoadContext(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}

  LoadMemory& memory() { return memory_; }
  FileRecord& files() { return files_; }

  bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>* const stop_;
  LoadMemory memory_;
  FileRecord files_;
};

// Returns CANCELLED if the load must stop. Long loops call this every few MB or every thousand
// rows.
inline absl::Status CheckGoesOn(const LoadContext* load) {
  if (load == nullptr || !load->is_stopped()) return absl::OkStatus();
  return absl::CancelledError("the load was given up, because the daemon is ending");
}

}  // namespace dragoman::engine
