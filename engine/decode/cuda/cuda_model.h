// A network on one device: its weights and its products with their pinned algorithms.
//
// Immutable after Create. Encoder and decoder of the device share it, each on its own stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/cuda_options.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/decode/step_model.h"
#include "engine/network/buffers.h"
#include "engine/network/program.h"
#include "kernels/base/relative_bias.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/quantized_linear.h"

namespace dragoman::engine {

struct CudaModelConfig {
  int device = 0;
  int max_rows = 0;            // of a step
  int64_t encoder_tokens = 0;  // of a pass
  int capability = 0;          // of the device: 90 is 9.0
  // Whether row counts of a product may have different algorithms, including our own kernel for few
  // rows. `options` may still turn this off.
  bool per_bucket = false;
  CudaOptions options;
};

// A product of a layer: in the compute type (cuBLASLt, or our kernel for few rows) or in int8.
struct LayerProduct {
  std::unique_ptr<kernels::cuda::Linear> linear;
  kernels::cuda::QuantizedProduct quantized;  // used if `linear` is nullptr

  // Runs the product. `workspace` has ProductWorkspaceBytes (memory_plan.h).
  kernels::cuda::Error Run(kernels::cuda::Stream stream, void* workspace, const void* x,
                           int64_t rows, const int32_t* count, void* y) const {
    if (linear != nullptr) return linear->Run(stream, workspace, x, rows, count, y);
    return kernels::cuda::MultiplyQuantized(stream, quantized, x, rows, count, workspace, y);
  }
};

class CudaModel {
 public:
  // Copies the image. The cross-attention K/V of `program` may be joined. REQUIRES:
  // CheckDeviceShapes returned OK; the image is the program's; max_rows and encoder_tokens > 0.
  static absl::StatusOr<std::unique_ptr<CudaModel>> Create(const CudaModelConfig& config,
                                                           const Program& program,
                                                           const WeightImage& image);

  ~CudaModel();
  CudaModel(const CudaModel&) = delete;
  CudaModel& operator=(const CudaModel&) = delete;

  int device() const { return config_.device; }
  const CudaOptions& options() const { return config_.options; }
  kernels::ComputeType type() const { return type_; }
  const Program& program() const { return program_; }
  const BufferPlan& encoder_buffers() const { return encoder_buffers_; }
  const BufferPlan& decoder_buffers() const { return decoder_buffers_; }
  // Includes the weights in int8.
  int64_t weight_bytes() const { return memory_.bytes() + quantized_memory_.bytes(); }
  // Reports whether the products of the layers are quantized.
  bool quantized_layers() const {
    return config_.options.layer_products != kernels::QuantizedType::kNone;
  }

  // Return the row counts of steps and of passes (row_buckets.h).
  std::span<const int> step_buckets() const { return step_buckets_; }
  std::span<const int> encoder_buckets() const { return encoder_buckets_; }

  // Returns the weight on the device, in the compute type or float32 (StaysFloat32), or nullptr.
  const void* weight(WeightId id) const;
  const float* float_weight(WeightId id) const { return static_cast<const float*>(weight(id)); }
  // Returns no bias for kNoWeight.
  kernels::RelativeBias relative_bias(WeightId id) const;

  // Return the product of operation `op` of the stage. REQUIRES: the operation is a product.
  const LayerProduct& encoder_product(size_t op) const { return encoder_products_[op]; }
  const LayerProduct& decoder_product(size_t op) const { return decoder_products_[op]; }

  // Returns the product that makes the f32 logits of output `output` for up to kChunkRows rows,
  // LogitStride(vocabulary) apart, without the bias.
  const kernels::cuda::Linear& logits(size_t output) const { return *logits_[output]; }
  // Return the fused output layer; nullptr if there is none, and the reason.
  const kernels::cuda::FusedOutput* fused() const { return fused_.get(); }
  const std::string& why_not_fused() const { return why_not_fused_; }

  // Returns notes for the operator: products that needed two algorithms, because none gives a row
  // the same bits in every row count (Linear::other_bits_from); a fused output layer that failed
  // its check; the parts that `options` turn off; quantized products.
  std::vector<std::string> Notes() const;

 private:
  CudaModel(const CudaModelConfig& config, const Program& program, const WeightImage& image);

  absl::Status Load(const WeightImage& image);
  absl::Status MakeProducts();
  absl::Status MakeLinears();
  // Makes int8 products. Fails without device support, or if a form differs from plain arithmetic.
  absl::Status MakeQuantizedLayers();
  absl::Status CheckQuantizedLayers() const;
  absl::Status RefuseQuantizedLayers(const std::string& why) const;
  // Makes a product by cuBLASLt, and counts it if its bits depend on the row count.
  absl::StatusOr<std::unique_ptr<kernels::cuda::Linear>> MakeLinear(
      const char* stage, const char* op, const kernels::cuda::LinearOptions& options,
      const void* weight, const void* bias, std::span<const int> buckets);
  // Makes the fused output layer, if there is one.
  absl::Status MakeFused();
  // Compares the fused output layer on random rows with the product and the sweeps, or, if
  // quantized, with plain arithmetic on the same numbers. If they differ, removes the fused layer
  // and sets why_not_fused_. Returns errors of the device. If a fold does not end in time, returns
  // an error and hung_ owns the objects that the device still uses.
  absl::Status CheckFused();

  const CudaModelConfig config_;
  const Program program_;
  const BufferPlan encoder_buffers_, decoder_buffers_;
  const kernels::ComputeType type_;
  const std::vector<int64_t> offset_;  // by WeightId
  std::vector<int> step_buckets_, encoder_buckets_;
  kernels::cuda::DeviceBuffer memory_;
  kernels::cuda::DeviceBuffer quantized_memory_;  // int8 weights and their scales
  std::unique_ptr<kernels::cuda::Blas> blas_;

  // Indexed by operation; empty for one that is not a product.
  std::vector<LayerProduct> encoder_products_, decoder_products_;
  std::vector<std::unique_ptr<kernels::cuda::Linear>> logits_;  // by output
  std::unique_ptr<kernels::cuda::FusedOutput> fused_;
  std::string why_not_fused_;
  bool fused_failed_ = false;   // it failed its check
  std::shared_ptr<void> hung_;  // shared, because its type is private to the check
  int products_of_two_classes_ = 0;
  int other_bits_from_ = 0;  // of one of these products
};

// Creates the encoder of a model on a device, allocates its buffers and runs two first passes. One
// thread owns and calls it. A call waits for the end of its pass. The encoder's stream has low
// priority, so a pass uses what the decoder's steps leave free. Returns RESOURCE_EXHAUSTED if there
// is no memory.
absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model);

}  // namespace dragoman::engine
