// The parts of the GPU backend that can be turned off one by one: to find out which of them is to
// blame for a wrong translation or an error, and what each is worth. None changes a translation,
// unless it is at fault; each costs time when it is off. And two that can be turned on, which give
// other scores for more speed.
//
// Plain data.
#pragma once

#include "kernels/base/narrow_type.h"

namespace dragoman {

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
  // model does not have it. Rows that go the stored way keep the compute type.
  NarrowType output_products = NarrowType::kNone;
  // The same of the products of all layers, of encoder and decoder: kNone or kInt8. A load fails where
  // the device, the compute type or a shape does not have it.
  NarrowType layer_products = NarrowType::kNone;

  friend bool operator==(const CudaOptions&, const CudaOptions&) = default;
};

}  // namespace dragoman
