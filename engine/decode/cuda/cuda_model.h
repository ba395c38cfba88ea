// A network on one GPU: its weights, and its matrix products with their pinned algorithms
// (kernels/ops/linear_cuda.h).
//
// Immutable after Create. The encoder and the decoder share it. Each of them uses its own stream.
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
  int max_rows = 0;            // the largest number of rows in a step
  int64_t encoder_tokens = 0;  // the largest number of source tokens in an encoder pass
  int capability = 0;          // compute capability of the device: 90 is 9.0
  // Whether a product may use different algorithms for different row counts, including our own
  // kernel for few rows. Used only if `options` also allow it.
  bool per_bucket = false;
  CudaOptions options;
};

// A product of a layer, either in the compute type (cuBLASLt, or our kernel for few rows) or in
// int8.
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
  // Copies the image to the device. In `program`, one product may compute K and V of
  // cross-attention for all layers (JoinsCrossLayers). REQUIRES: CheckDeviceShapes(program)
  // returned OK; the image was made for the program; max_rows and encoder_tokens > 0.
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
  // Returns the number of bytes of the weights on the device, int8 copies included.
  int64_t weight_bytes() const { return memory_.bytes() + quantized_memory_.bytes(); }
  // Reports whether the products of the layers are quantized.
  bool quantized_layers() const {
    return config_.options.layer_products != kernels::QuantizedType::kNone;
  }

  // The row counts for which launches of a step, or of an encoder pass, are sized (row_buckets.h).
  std::span<const int> step_buckets() const { return step_buckets_; }
  std::span<const int> encoder_buckets() const { return encoder_buckets_; }

  // Returns the device address of a weight; nullptr for kNoWeight. Elements have the compute type,
  // or float32 if StaysFloat32 returns true for the weight's role.
  const void* weight(WeightId id) const;
  const float* float_weight(WeightId id) const { return static_cast<const float*>(weight(id)); }
  // Returns no bias for kNoWeight.
  kernels::RelativeBias relative_bias(WeightId id) const;

  // Return the product of the operation with index `op` in the encoder or the decoder. REQUIRES:
  // the operation is a ProductOp.
  const LayerProduct& encoder_product(size_t op) const { return encoder_products_[op]; }
  const LayerProduct& decoder_product(size_t op) const { return decoder_products_[op]; }

  // Returns the product that computes the f32 logits, without the bias, of element `output` of
  // Program::outputs(). It takes up to kChunkRows rows. Rows of logits are LogitStride(vocabulary)
  // elements apart.
  const kernels::cuda::Linear& logits(size_t output) const { return *logits_[output]; }
  // fused() returns the fused output layer, or nullptr if there is none. why_not_fused() returns
  // the reason why there is none.
  const kernels::cuda::FusedOutput* fused() const { return fused_.get(); }
  const std::string& why_not_fused() const { return why_not_fused_; }

  // Returns notes for the operator about
  // * products that needed two algorithms, because no algorithm gives a row the same bits in every
  //   row count (Linear::other_bits_from)
  // * a fused output layer that failed its check
  // * parts that `options` turn off
  // * quantized products.
  std::vector<std::string> Notes() const;

 private:
  CudaModel(const CudaModelConfig& config, const Program& program, const WeightImage& image);

  absl::Status Load(const WeightImage& image);
  absl::Status MakeProducts();
  absl::Status MakeLinears();
  // Makes the int8 products of the layers. Fails if the device has no int8 products, or if a kernel
  // for them does not give the result of plain arithmetic.
  absl::Status MakeQuantizedLayers();
  absl::Status CheckQuantizedLayers() const;
  absl::Status RefuseQuantizedLayers(const std::string& why) const;
  // Makes a product by cuBLASLt. If its bits depend on the row count, counts it in
  // products_of_two_classes_.
  absl::StatusOr<std::unique_ptr<kernels::cuda::Linear>> MakeLinear(
      const char* stage, const char* op, const kernels::cuda::LinearOptions& options,
      const void* weight, const void* bias, std::span<const int> buckets);
  // Makes the fused output layer if the device, the type and the options allow it; otherwise sets
  // why_not_fused_.
  absl::Status MakeFused();
  // Compares the results of the fused output layer on random rows with results from materialized
  // logits. If the fused layer is quantized, plain arithmetic on the same numbers computes these
  // logits. If the results differ, removes the fused layer and sets why_not_fused_. Returns errors
  // of the device. If a kernel does not end in time, returns an error, and hung_ keeps the objects
  // alive that the device may still use.
  absl::Status CheckFused();

  const CudaModelConfig config_;
  const Program program_;
  const BufferPlan encoder_buffers_, decoder_buffers_;
  const kernels::ComputeType type_;
  const std::vector<int64_t> offset_;  // by WeightId: bytes from the start of memory_
  std::vector<int> step_buckets_, encoder_buckets_;
  kernels::cuda::DeviceBuffer memory_;
  kernels::cuda::DeviceBuffer quantized_memory_;  // int8 weights and their scales
  std::unique_ptr<kernels::cuda::Blas> blas_;

  // Indexed by the number of the operation; an entry is empty if the operation is not a product.
  std::vector<LayerProduct> encoder_products_, decoder_products_;
  std::vector<std::unique_ptr<kernels::cuda::Linear>> logits_;  // indexed as Program::outputs()
  std::unique_ptr<kernels::cuda::FusedOutput> fused_;
  std::string why_not_fused_;
  bool fused_failed_ = false;   // the fused output layer failed its check
  std::shared_ptr<void> hung_;  // a shared_ptr, because the type is private to the check
  int products_of_two_classes_ = 0;
  int other_bits_from_ = 0;  // Linear::other_bits_from of the last product with two algorithms
};

// Creates the encoder of a model on a GPU: allocates its buffers and runs two passes as a warm-up.
// Returns RESOURCE_EXHAUSTED if memory is lacking. One thread owns and calls the encoder. Encode
// waits for the end of its pass. The encoder's stream has low priority, so a pass gets the
// multiprocessors that the decoder's steps leave free.
absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model);

}  // namespace dragoman::engine
