// Compiles the decision text for the device: the promise that host and device run one text is kept
// by the compiler long before there is a GPU. One block per slot, as the GPU engine will run it.
#include "kernels/decide/ask_row.h"
#include "kernels/decide/beam_step.h"
#include "kernels/decide/plan.h"
#include "kernels/decide/stored_row.h"

namespace dragoman {

// A block as a team.
struct BlockTeam {
  void* scratch;

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void Sync() const { __syncthreads(); }
  template <class T, class Better>
  __device__ T Reduce(T value, Better better) const {
    T* values = static_cast<T*>(scratch);
    values[rank()] = value;
    __syncthreads();
    T best = values[0];
    for (int i = 1; i < size(); ++i) {
      if (better(values[i], best)) best = values[i];
    }
    __syncthreads();
    return best;
  }
  template <class T, class Better>
  __device__ void Sort(T* data, int n, Better better) const {
    __syncthreads();
    if (rank() == 0) HeapSort(data, n, better);
    __syncthreads();
  }
};

__global__ void AskRows(const SlotView* slots, int32_t* wanted, int32_t* masked, int64_t row_masks,
                        RowQuery* queries) {
  const int64_t row = int64_t{blockIdx.x} * kMaxBeam + threadIdx.x;
  const SlotView& slot = slots[blockIdx.x];
  if (static_cast<int>(threadIdx.x) >= slot.state->live) return;
  AskRow(slot, static_cast<int>(threadIdx.x), wanted + row * kMaxWantedIds,
         masked + row * row_masks, queries[row]);
}

__global__ void BeamSteps(const SlotView* slots, const RowQuery* queries, RowFold* folds,
                          int32_t vocabulary, StoredRowWorkspace* stored,
                          BeamStepWorkspace* workspaces) {
  __shared__ Candidate scratch[64];
  const BlockTeam team{scratch};
  const SlotView& slot = slots[blockIdx.x];
  const RowQuery* asked = queries + blockIdx.x * kMaxBeam;
  RowFold* answers = folds + blockIdx.x * kMaxBeam;
  if (slot.state->options.stored_logits()) {
    for (int lane = 0; lane < slot.state->live; ++lane) {
      FoldStoredRow(team, slot, lane, asked[lane], vocabulary, stored[blockIdx.x], answers[lane]);
    }
  }
  BeamStep(team, slot, asked, answers, workspaces[blockIdx.x]);
}

__global__ void Plan(const PlanInput* in, const SlotView* slots, LanePages* lanes, PagePool* pool,
                     PlanOutput* out) {
  const BlockTeam team{nullptr};
  PlanStep(team, *in, slots, *lanes, *pool, *out);
}

}  // namespace dragoman
