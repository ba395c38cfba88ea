// A backend is a model on one device, the CPU or a GPU, with the weights in the form that the
// device reads. It creates the encoders, batches and K/V memory of the model's workers. The CPU has
// any number of workers, a GPU has one.
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
  std::string device_name;   // the GPU's name, or the CPU's instruction set: "avx2"
  std::string compute_type;  // "float32", "int8"
  int64_t weight_bytes = 0;
  std::vector<std::string> notes = {};  // lines for the log about the model on this device
};

// The numbers of K/V pages of one worker.
struct PagePlan {
  int32_t self_pages = 0;
  int32_t cross_pages = 0;
};

// The arguments of PlanPages.
struct PageRequest {
  int max_rows = 0;
  int64_t bytes = 0;           // memory for all pages of one worker; 0: what max_rows usually needs
  int32_t longest_source = 0;  // the number of cross pages of the longest source
  // The largest number of self pages that one segment may need: `widest_segment` with the widest
  // beam, `default_segment` with the default beam. If `bytes` is 0 and `most_bytes` suffices, two
  // such segments, one of each kind, have room at the same time.
  int64_t widest_segment = 0;
  int64_t default_segment = 0;
  // The limit for all pages of one worker if `bytes` is 0. 0: no limit.
  int64_t most_bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendInfo& info() const = 0;

  // Divides the memory into self pages and cross pages. The cross pages suffice for at least two
  // sources of the longest length. The self pages may be too few for a search, or 0; the caller
  // must check this.
  virtual absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const = 0;

  // Returns the size of one page in bytes; 0 if the pages are not in the host's memory.
  virtual int64_t host_page_bytes() const { return 0; }

  // Estimates the bytes of host memory that the encoder and batch of a worker take.
  virtual int64_t HostWorkspaceBytes(const BatchConfig& /*config*/, int /*threads*/) const {
    return 0;
  }

  // The following functions return RESOURCE_EXHAUSTED if the memory cannot be allocated.
  virtual absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const = 0;
  virtual absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int threads) const = 0;
  // `memory` is borrowed as long as the batch exists.
  virtual absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int threads,
                                                             KvMemory* memory) const = 0;
};

// Implements PlanPages for pages of `page_bytes` each. The rule is the same for every device
// (README.md, "The decoding batch").
PagePlan PlanPagesOf(const PageRequest& request, int64_t page_bytes);

// Creates the backend of the CPU, whose workers use DecodingBatch.
std::shared_ptr<const Backend> CreateCpuBackend(std::shared_ptr<const StepModel> model);

}  // namespace dragoman::engine
