// The parts of the GPU backend that can be turned off one by one: to find out which of them is to
// blame for a wrong translation or an error, and what each is worth. None changes a translation,
// unless it is at fault; each costs time when it is off. And two that can be turned on, which give
// other scores for more speed.
//
// Plain data and a pure function.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct CudaOptions {
  // The output layer that keeps its logits in registers, where it is; off: a product, and sweeps over
  // its logits in memory.
  bool fused_output = true;
  // Our own kernel for products of up to 16 rows; off: cuBLASLt's for every row count.
  bool few_rows = true;
  // An algorithm of its own for each row count of a product, where its bits are those of the others;
  // off: one for all.
  bool bucket_algorithms = true;
  // A step is a CUDA graph; off: its kernels are launched one by one.
  bool graphs = true;
  // A kernel may take its place while the one before it ends; off: only after that.
  bool early_launch = true;

  // The numbers that the products of the fused output layer multiply, rows and columns with a scale
  // each; kNone: those of the compute type. A load fails where the device, the compute type or the
  // model does not have it. Rows that go the materialized way keep the compute type.
  kernels::QuantizedType output_products = kernels::QuantizedType::kNone;
  // The same of the products of all layers, of encoder and decoder: kNone or kInt8. A load fails where
  // the device, the compute type or a shape does not have it.
  kernels::QuantizedType layer_products = kernels::QuantizedType::kNone;

  friend bool operator==(const CudaOptions&, const CudaOptions&) = default;
};

// The environment variable whose value TurnOff takes, for the programs that read it.
inline constexpr char kCudaOffVariable[] = "DRAGOMAN_CUDA_OFF";

// The name of each part that can be turned off.
struct CudaPart {
  const char* name;
  bool CudaOptions::*member;
};
inline constexpr CudaPart kCudaParts[] = {{"fused-output", &CudaOptions::fused_output},
                                          {"few-rows", &CudaOptions::few_rows},
                                          {"bucket-algorithms", &CudaOptions::bucket_algorithms},
                                          {"graphs", &CudaOptions::graphs},
                                          {"early-launch", &CudaOptions::early_launch}};

// Turns off the parts that `names` lists with commas between; "": none. INVALID_ARGUMENT shows a name that
// is not one of a part, and lists those that are.
absl::Status TurnOff(std::string_view names, CudaOptions* options);

}  // namespace dragoman::engine
