// The place where a model runs; makes the encoders, batches and memory of its workers. There is one
// for the CPU, with any number of workers, and one for every GPU, with one worker.
//
// Immutable, shared by all threads. Whatever it makes belongs to one worker, and may outlive it
// unless it is documented as borrowed.
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
  std::string device_name;   // the card's; of the CPU its instruction set: "avx2"
  std::string compute_type;  // "float32", "int8"
  int64_t weight_bytes = 0;
  std::vector<std::string> notes = {};  // what an operator should know of the model here
};

// K/V pages of one worker.
struct PagePlan {
  int32_t self_pages = 0;
  int32_t cross_pages = 0;
};

// The figures that a plan of pages is made from.
struct PageRequest {
  int max_rows = 0;
  int64_t bytes = 0;           // of one worker; 0: what max_rows needs usually
  int32_t longest_source = 0;  // pages of the longest source
  // The most self pages that a segment may need at the longest output: with the widest beam, and
  // with the beam of requests that name none. With bytes 0 there is room for both.
  int64_t widest_segment = 0;
  int64_t default_segment = 0;
  // With bytes 0, one worker takes no more than this, however little that leaves; 0: no bound.
  int64_t most_bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendInfo& info() const = 0;

  // Plans at least two longest sources in cross pages. The rest of `bytes` for self pages may be
  // too little for a search, or nothing: that is for the caller to judge.
  virtual absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const = 0;

  // Bytes of one page; 0 where the pages are not in the host's memory.
  virtual int64_t host_page_bytes() const { return 0; }

  // About the host's memory that a worker's encoder and batch will hold.
  virtual int64_t HostWorkspaceBytes(const BatchConfig& /*config*/, int /*threads*/) const {
    return 0;
  }

  // RESOURCE_EXHAUSTED, each of these, when the memory cannot be allocated.
  virtual absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const = 0;
  virtual absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int threads) const = 0;
  // `memory` is borrowed for the batch's life.
  virtual absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int threads,
                                                             KvMemory* memory) const = 0;
};

// The plan for pages of `page_bytes` each, by the rule that holds for every device (README.md, "The
// decoding batch").
PagePlan PlanPagesOf(const PageRequest& request, int64_t page_bytes);

// A model on the CPU, its steps made by DecodingBatch.
std::shared_ptr<const Backend> CreateCpuBackend(std::shared_ptr<const StepModel> model);

}  // namespace dragoman::engine
