// The context of one load of a model: its memory, its files, and whether to stop it.
//
// Thread-safe. The caller of the load owns it. It must outlive the weights that were read
// (LoadedModel::weights), but not the engine. A nullptr in place of a LoadContext* means a load
// without a limit, a record or a stop, for tools and tests.
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

// Returns CANCELLED if the load is to stop. Long loops call this every few MB or thousand rows.
inline absl::Status CheckGoesOn(const LoadContext* load) {
  if (load == nullptr || !load->is_stopped()) return absl::OkStatus();
  return absl::CancelledError("the load was given up, because the daemon is ending");
}

}  // namespace dragoman::engine
