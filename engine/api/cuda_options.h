// Options of the GPU backend. Five parts can be turned off one by one, to find the cause of an
// error or to measure what a part gains. A part that works does not change translations, and it
// saves time. Two quantizations can be turned on. They change scores and save time.
//
// Plain data and a pure function.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct CudaOptions {
  // Uses an output layer that keeps its logits in registers, if there is one. Off: a product, and
  // sweeps over materialized logits.
  bool fused_output = true;
  // Uses our own kernel for products of up to 16 rows. Off: cuBLASLt for every row count.
  bool few_rows = true;
  // Lets each row count of a product have its own algorithm if the bits are equal. Off: one only.
  bool bucket_algorithms = true;
  // Runs a step as a CUDA graph. Off: launches its kernels one by one.
  bool graphs = true;
  // Lets a kernel start while the one before it ends. Off: only after its end.
  bool early_launch = true;

  // The operand type of the products of the fused output layer. Each row and each column has a
  // scale. kNone: the compute type. The load fails if the device, the compute type or the model
  // does not support this type. Rows with materialized logits keep the compute type.
  kernels::QuantizedType output_products = kernels::QuantizedType::kNone;
  // The same for the products of all encoder and decoder layers: kNone or kInt8. The load fails if
  // the device, the compute type or a shape does not support it.
  kernels::QuantizedType layer_products = kernels::QuantizedType::kNone;

  friend bool operator==(const CudaOptions&, const CudaOptions&) = default;
};

// The environment variable for the programs that pass its value to TurnOff.
inline constexpr char kCudaOffVariable[] = "DRAGOMAN_CUDA_OFF";

// A part that can be turned off.
struct CudaPart {
  const char* name;
  bool CudaOptions::*member;
};
inline constexpr CudaPart kCudaParts[] = {{"fused-output", &CudaOptions::fused_output},
                                          {"few-rows", &CudaOptions::few_rows},
                                          {"bucket-algorithms", &CudaOptions::bucket_algorithms},
                                          {"graphs", &CudaOptions::graphs},
                                          {"early-launch", &CudaOptions::early_launch}};

// Turns off the parts in `names`, a list separated by commas; "": none. Returns INVALID_ARGUMENT
// with the known names for an unknown one. The parts before that name are then off.
absl::Status TurnOff(std::string_view names, CudaOptions* options);

}  // namespace dragoman::engine
