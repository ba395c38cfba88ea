// A place where a model runs. Creates the encoders, batches and memory of its workers. A backend of
// the CPU has any number of workers, a backend of a GPU has one.
//
// Immutable and thread-safe. Each created object belongs to one worker and may outlive the backend.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/batch.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"

namespace dragoman::engine {

struct BackendInfo {
  std::string device;        // "cpu", "cuda:0"
  std::string device_name;   // the card's name, or the instruction set of the CPU: "avx2"
  std::string compute_type;  // "float32", "int8"
  int64_t weight_bytes = 0;
  std::vector<std::string> notes = {};  // notes for the operator about the model on this device
};

// The K/V pages of one worker.
struct PagePlan {
  int32_t self_pages = 0;
  int32_t cross_pages = 0;
};

// The numbers from which PlanPages plans.
struct PageRequest {
  int max_rows = 0;
  int64_t bytes = 0;           // of one worker; 0: what max_rows usually needs
  int32_t longest_source = 0;  // pages of the longest source
  // The most self pages that a segment of the longest output may need: with the widest beam, and
  // with the default beam. If `bytes` is 0, the plan has room for both.
  int64_t widest_segment = 0;
  int64_t default_segment = 0;
  // The limit of one worker if `bytes` is 0; 0: no limit.
  int64_t most_bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendInfo& info() const = 0;

  // Plans at least two longest sources of cross pages. The rest are self pages. They may be too few
  // for a search, or none, which the caller must check.
  virtual absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const = 0;

  // Returns the bytes of one page; 0 if the pages are not in the host's memory.
  virtual int64_t host_page_bytes() const { return 0; }

  // Estimates the host's memory of a worker's encoder and batch.
  virtual int64_t HostWorkspaceBytes(const BatchConfig& /*config*/, int /*threads*/) const {
    return 0;
  }

  // Each of these returns RESOURCE_EXHAUSTED if the memory cannot be allocated.
  virtual absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const = 0;
  virtual absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int threads) const = 0;
  // Borrows `memory` for the batch's life.
  virtual absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int threads,
                                                             KvMemory* memory) const = 0;
};

// Returns the plan for pages of `page_bytes` each. The rule is the same for every device
// (README.md, "The decoding batch").
PagePlan PlanPagesOf(const PageRequest& request, int64_t page_bytes);

// Creates the backend of the CPU, whose workers use DecodingBatch.
std::shared_ptr<const Backend> CreateCpuBackend(std::shared_ptr<const StepModel> model);

}  // namespace dragoman::engine
