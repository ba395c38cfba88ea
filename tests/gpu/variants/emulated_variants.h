// The launchers of this folder for the host (tests/kernels/cuda_emulation), under names of their
// own: cuda::EmulatedX does what cuda::X does, in host memory.
#pragma once

#include "tests/gpu/variants/host_bans.h"
#include "tests/gpu/variants/materialized_sweeps.h"
#include "tests/gpu/variants/own_kv.h"

namespace dragoman::kernels::cuda {

decltype(GatherOwnKv) EmulatedGatherOwnKv;
decltype(OwnCrossAttention) EmulatedOwnCrossAttention;
decltype(OwnSelfAttention) EmulatedOwnSelfAttention;
decltype(PlaceBans) EmulatedPlaceBans;
decltype(SeparateSweeps) EmulatedSeparateSweeps;

}  // namespace dragoman::kernels::cuda
