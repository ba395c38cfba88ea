// A Transformer's weights on one device, and the products over them with their pinned algorithms.
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
#include "engine/decode/cuda/weight_image.h"
#include "engine/model/model_spec.h"
#include "kernels/base/kv_pages.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman {

struct CudaNorm {
  const float* gamma = nullptr;
  const float* beta = nullptr;
};

struct CudaSelfAttention {
  std::unique_ptr<cuda::Linear> query_key_value;
  std::unique_ptr<cuda::Linear> output;
  CudaNorm norm;
};

struct CudaCrossAttention {
  std::unique_ptr<cuda::Linear> query;
  std::unique_ptr<cuda::Linear> output;
  CudaNorm norm;
};

struct CudaFeedForward {
  std::unique_ptr<cuda::Linear> up;  // with the activation
  std::unique_ptr<cuda::Linear> down;
  CudaNorm norm;
};

struct CudaEncoderLayer {
  CudaSelfAttention self;
  CudaFeedForward ffn;
};

struct CudaDecoderLayer {
  CudaSelfAttention self;
  CudaCrossAttention cross;
  CudaFeedForward ffn;
};

struct CudaModelConfig {
  int device = 0;
  int max_rows = 0;            // of a step
  int64_t encoder_tokens = 0;  // of a pass
  int cross_layers = 1;        // decoder layers of one product of cross-attention K/V: 1, or all
};

class CudaModel {
 public:
  // The shapes that the device's operations take. UNIMPLEMENTED, naming what does not fit.
  static absl::Status CheckShape(const ModelSpec& spec);

  // Copies the image. REQUIRES: CheckShape said yes; max_rows and encoder_tokens > 0.
  static absl::StatusOr<std::unique_ptr<CudaModel>> Create(const CudaModelConfig& config,
                                                           const ModelSpec& spec,
                                                           const WeightImage& image);

  ~CudaModel();
  CudaModel(const CudaModel&) = delete;
  CudaModel& operator=(const CudaModel&) = delete;

  int device() const { return config_.device; }
  ComputeType type() const { return type_; }
  const ModelSpec& spec() const { return spec_; }
  KvLayout kv_layout() const;
  int64_t weight_bytes() const { return memory_.bytes(); }

  // Row counts of steps and of passes (row_buckets.h); the products are made for them.
  std::span<const int> step_buckets() const { return step_buckets_; }
  std::span<const int> encoder_buckets() const { return encoder_buckets_; }

  const void* source_embedding() const { return source_embedding_; }
  const void* target_embedding() const { return target_embedding_; }
  const float* encoder_positions() const { return encoder_positions_; }
  const float* decoder_positions() const { return decoder_positions_; }
  std::span<const CudaEncoderLayer> encoder() const { return encoder_; }
  std::span<const CudaDecoderLayer> decoder() const { return decoder_; }

  // Cross-attention K/V, [cross_layers() * 2 d, d] each: product i is of the layers from
  // i * cross_layers() on.
  std::span<const std::unique_ptr<cuda::Linear>> cross_key_value() const {
    return cross_key_value_;
  }
  int cross_layers() const { return config_.cross_layers; }

  // f32 logits of up to kChunkRows rows, LogitStride(vocabulary) apart, without the bias.
  const cuda::Linear& logits() const { return *logits_; }
  const float* output_bias() const { return output_bias_; }
  // nullptr where the device or the compute type has none, and why.
  const cuda::FusedOutput* fused() const { return fused_.get(); }
  const std::string& why_not_fused() const { return why_not_fused_; }

 private:
  CudaModel(const CudaModelConfig& config, const ModelSpec& spec, ComputeType type);

  const void* At(int64_t place) const;
  CudaNorm Norm(const NormPlace& place) const;
  absl::Status Load(const WeightImage& image);
  absl::Status MakeProducts(const WeightImage& image);

  const CudaModelConfig config_;
  const ModelSpec spec_;
  const ComputeType type_;
  std::vector<int> step_buckets_, encoder_buckets_;
  cuda::DeviceBuffer memory_;
  std::unique_ptr<cuda::Blas> blas_;

  const void* source_embedding_ = nullptr;
  const void* target_embedding_ = nullptr;
  const float* encoder_positions_ = nullptr;
  const float* decoder_positions_ = nullptr;
  const float* output_bias_ = nullptr;
  std::vector<CudaEncoderLayer> encoder_;
  std::vector<CudaDecoderLayer> decoder_;
  std::vector<std::unique_ptr<cuda::Linear>> cross_key_value_;
  std::unique_ptr<cuda::Linear> logits_;
  std::unique_ptr<cuda::FusedOutput> fused_;
  std::string why_not_fused_;
};

}  // namespace dragoman
