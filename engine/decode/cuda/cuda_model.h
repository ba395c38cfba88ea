// A network on one device: its weights, and the products over them with their pinned algorithms.
//
// Immutable after Create; shared by the encoder and the decoder of that device, each on a stream of
// its own.
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
  // Whether row counts of a product may differ in their algorithm, our own kernel for a few rows
  // included; `options` may still forbid it.
  bool per_bucket = false;
  CudaOptions options;
};

// A product of a layer: by cuBLASLt, or our own kernel for a few rows, in the compute type; or by our own
// in int8.
struct LayerProduct {
  std::unique_ptr<kernels::cuda::Linear> linear;
  kernels::cuda::QuantizedProduct quantized;  // where there is no linear

  // Both take the same arguments. `workspace` [ProductWorkspaceBytes of quantized_layers.h].
  kernels::cuda::Error Run(kernels::cuda::Stream stream, void* workspace, const void* x,
                           int64_t rows, const int32_t* count, void* y) const {
    if (linear != nullptr) return linear->Run(stream, workspace, x, rows, count, y);
    return kernels::cuda::MultiplyQuantized(stream, quantized, x, rows, count, workspace, y);
  }
};

class CudaModel {
 public:
  // Copies the image. `program` is in the form that is run: its cross-attention K/V joined or not.
  // REQUIRES: CheckDeviceShapes returned OK; the image is the program's; max_rows and encoder_tokens > 0.
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
  // Weights in int8 are among them.
  int64_t weight_bytes() const { return memory_.bytes() + quantized_memory_.bytes(); }
  // Whether the products of the layers are in int8.
  bool quantized_layers() const {
    return config_.options.layer_products != kernels::QuantizedType::kNone;
  }

  // Row counts of steps and of passes (row_buckets.h); the products are made for them.
  std::span<const int> step_buckets() const { return step_buckets_; }
  std::span<const int> encoder_buckets() const { return encoder_buckets_; }

  // On the device; of the compute type, or float32 where StaysFloat32 says so.
  const void* weight(WeightId id) const;
  const float* float_weight(WeightId id) const { return static_cast<const float*>(weight(id)); }
  // None for kNoWeight, as those are nullptr.
  kernels::RelativeBias relative_bias(WeightId id) const;

  // The product of the operation with this index in its stage. REQUIRES: the operation is a
  // product.
  const LayerProduct& encoder_product(size_t op) const { return encoder_products_[op]; }
  const LayerProduct& decoder_product(size_t op) const { return decoder_products_[op]; }

  // f32 logits of up to kChunkRows rows, LogitStride(vocabulary) apart, without the bias; of this
  // one of the program's outputs.
  const kernels::cuda::Linear& logits(size_t output) const { return *logits_[output]; }
  // nullptr where the device, the compute type or an ensemble has none, and why.
  const kernels::cuda::FusedOutput* fused() const { return fused_.get(); }
  const std::string& why_not_fused() const { return why_not_fused_; }

  // Notes for the operator: products for which no algorithm gives a row the same bits in every
  // row count, so that two were pinned (Linear::other_bits_from); a fused output layer that failed
  // its check; what `options` turn off, and quantized products.
  std::vector<std::string> Notes() const;

 private:
  CudaModel(const CudaModelConfig& config, const Program& program, const WeightImage& image);

  absl::Status Load(const WeightImage& image);
  absl::Status MakeProducts();
  absl::Status MakeLinears();
  // The products of the layers in int8; refuses where there are none, and where a form of a shape does not
  // give what plain arithmetic gives.
  absl::Status MakeQuantizedLayers();
  absl::Status CheckQuantizedLayers() const;
  absl::Status RefuseQuantizedLayers(const std::string& why) const;
  // Makes one by cuBLASLt, and notes what it says of bits.
  absl::StatusOr<std::unique_ptr<kernels::cuda::Linear>> MakeLinear(
      const char* stage, const char* op, const kernels::cuda::LinearOptions& options,
      const void* weight, const void* bias, std::span<const int> buckets);
  // The fused output layer, where there is one.
  absl::Status MakeFused();
  // Folds random rows by the fused output layer and by the product and the sweeps; quantized products
  // against plain arithmetic on the same numbers. Where they differ
  // there is no fused layer from then on, and why_not_fused says what differed. Errors are the
  // device's, or that a fold has not ended in its time: then hung_ owns what the device still uses.
  absl::Status CheckFused();

  const CudaModelConfig config_;
  const Program program_;
  const BufferPlan encoder_buffers_, decoder_buffers_;
  const kernels::ComputeType type_;
  const std::vector<int64_t> offset_;  // by WeightId
  std::vector<int> step_buckets_, encoder_buckets_;
  kernels::cuda::DeviceBuffer memory_;
  kernels::cuda::DeviceBuffer quantized_memory_;  // weights in int8 and their scales
  std::unique_ptr<kernels::cuda::Blas> blas_;

  // Indexed by operation; of one that is not a product there is nothing.
  std::vector<LayerProduct> encoder_products_, decoder_products_;
  std::vector<std::unique_ptr<kernels::cuda::Linear>> logits_;  // by output
  std::unique_ptr<kernels::cuda::FusedOutput> fused_;
  std::string why_not_fused_;
  bool fused_failed_ = false;   // its check
  std::shared_ptr<void> hung_;  // shared: its type is the check's own
  int products_of_two_classes_ = 0;
  int other_bits_from_ = 0;  // of one of them
};

// The encoder of a model on a device: packed segments in, cross-attention pages filled. Owned and called
// by one thread, which waits at the end of a pass. Its stream has low priority: it fills what the steps of
// the decoder leave free. All buffers are made here.
//
// `model` is shared with the decoder of the device. Runs a first pass. RESOURCE_EXHAUSTED when
// memory cannot be allocated.
absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model);

}  // namespace dragoman::engine
