// Compiles the decision text for the device: the promise that host and device run one text is kept
// by the compiler long before there is a GPU. One block per slot, as the GPU engine will run it.
#include "kernels/decide/beam_step.h"
#include "kernels/decide/plan.h"

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
};

__global__ void BeamSteps(const SlotView* slots, const RowCandidates* rows,
                          BeamStepWorkspace* workspaces) {
  __shared__ beam_step_internal::Offer scratch[64];
  const BlockTeam team{scratch};
  BeamStep(team, slots[blockIdx.x], rows + blockIdx.x * kMaxBeam, workspaces[blockIdx.x]);
}

__global__ void Plan(const PlanInput* in, const SlotView* slots, LanePages* lanes, PagePool* pool,
                     PlanOutput* out) {
  const BlockTeam team{nullptr};
  PlanStep(team, *in, slots, *lanes, *pool, *out);
}

}  // namespace dragoman
