// One load of a model, as everything that reads or packs for it sees it: what memory it takes,
// which files it reads, and whether it is to be given up.
//
// Thread-safe. Made and owned by the caller of the load; outlives the weights that were read
// (LoadedModel::weights), not the engine. Where a LoadContext* is taken, nullptr stands for a load
// without a limit, which is neither watched nor ended: a tool's, a test's.
#pragma once

#include <atomic>

#include "absl/status/status.h"
#include "engine/base/file_record.h"
#include "engine/base/load_memory.h"

namespace dragoman::engine {

class LoadContext {
 public:
  // `stop` is borrowed; nullptr: the load is never given up.
  explicit LoadContext(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}

  LoadMemory& memory() { return memory_; }
  FileRecord& files() { return files_; }

  bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>* const stop_;
  LoadMemory memory_;
  FileRecord files_;
};

// CANCELLED once the load is to be given up. Loops that take longer than a moment ask again and
// again: every few megabytes, every few thousand rows.
inline absl::Status CheckGoesOn(const LoadContext* load) {
  if (load == nullptr || !load->is_stopped()) return absl::OkStatus();
  return absl::CancelledError("the load was given up, because the daemon is ending");
}

}  // namespace dragoman::engine
