// The launchers of this folder compiled for the host (tests/kernels/cuda_emulation), under other
// names: cuda::EmulatedX does in host memory what cuda::X does.
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
