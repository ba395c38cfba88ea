// Options of the GPU backend. Five optimizations can be turned off one by one, to find the cause of
// an error or to measure the time that each saves. They do not change translations. Two kinds of
// quantization can be turned on. They save time and change scores.
//
// Plain data and a pure function.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct CudaOptions {
  // Uses the fused output layer, which keeps logits in registers, if the device and model have one.
  // Off: a matrix product writes the logits to memory, and other kernels read them there.
  bool fused_output = true;
  // Uses our own kernel for matrix products of up to 16 rows. Off: cuBLASLt for every row count.
  bool few_rows = true;
  // Lets each row count of a matrix product use its own algorithm if all algorithms give
  // bit-identical results. Off: one algorithm for all row counts.
  bool bucket_algorithms = true;
  // Runs a step as a CUDA graph. Off: launches its kernels one by one.
  bool graphs = true;
  // Lets a kernel start before the previous one has ended completely. Off: a kernel starts after
  // the complete end of the previous one.
  bool early_launch = true;

  // The type of the operands that the fused output layer multiplies. Each row and each column has a
  // scale. kNone: the compute type. The load fails if the device, the compute type or the model
  // does not support the chosen type. Rows with materialized logits keep the compute type.
  kernels::QuantizedType output_products = kernels::QuantizedType::kNone;
  // The type of the operands that all encoder and decoder layers multiply: kNone or kInt8. The load
  // fails if the device, the compute type or a shape does not support it.
  kernels::QuantizedType layer_products = kernels::QuantizedType::kNone;

  friend bool operator==(const CudaOptions&, const CudaOptions&) = default;
};

// The environment variable whose value a program passes to TurnOff, if the program supports it.
inline constexpr char kCudaOffVariable[] = "DRAGOMAN_CUDA_OFF";

// One of the five optimizations that can be turned off.
struct CudaPart {
  const char* name;
  bool CudaOptions::*member;
};
inline constexpr CudaPart kCudaParts[] = {{"fused-output", &CudaOptions::fused_output},
                                          {"few-rows", &CudaOptions::few_rows},
                                          {"bucket-algorithms", &CudaOptions::bucket_algorithms},
                                          {"graphs", &CudaOptions::graphs},
                                          {"early-launch", &CudaOptions::early_launch}};

// Turns off the optimizations in `names`, a list separated by commas; "": none. If a name is
// unknown, returns INVALID_ARGUMENT with the known names. The optimizations listed before the
// unknown name are then off.
absl::Status TurnOff(std::string_view names, CudaOptions* options);

}  // namespace dragoman::engine
