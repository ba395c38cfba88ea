#include "engine/decode/cuda/cuda_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/stream.h"

namespace dragoman {
namespace {

constexpr int kElements = 8;  // that a thread loads at once: 16 bytes of the narrow types
constexpr int kMaxHeadDim = 128;
constexpr int kMaxWidth = 4096;

absl::Status Unfit(const char* what, int found, const std::string& expected) {
  return absl::UnimplementedError(absl::StrCat("the CUDA operations do not take this model: ", what,
                                               " is ", found, ", expected ", expected));
}

// Makes products of one row-bucket list; the first failure stays.
class ProductMaker {
 public:
  ProductMaker(int device, const cuda::Blas* blas, const uint8_t* base, ComputeType type,
               std::span<const int> buckets)
      : device_(device), blas_(blas), base_(base), type_(type), buckets_(buckets) {}

  const absl::Status& status() const { return status_; }

  std::unique_ptr<cuda::Linear> Make(const std::string& name, const LinearPlace& place,
                                     Activation activation = Activation::kNone) {
    cuda::LinearOptions options;
    options.in = place.in;
    options.out = place.out;
    options.type = type_;
    options.activation = activation;
    return Make(name, options, base_ + place.weight, base_ + place.bias);
  }

  std::unique_ptr<cuda::Linear> Make(const std::string& name, const cuda::LinearOptions& options,
                                     const void* weight, const void* bias) {
    if (!status_.ok()) return nullptr;
    std::string why;
    std::unique_ptr<cuda::Linear> linear =
        cuda::Linear::Create(blas_, options, weight, bias, buckets_, &why);
    if (linear == nullptr) {
      status_ = absl::InternalError(absl::StrCat(CudaDeviceName(device_), ": ", name, " [",
                                                 options.out, ", ", options.in, "]: ", why));
    }
    return linear;
  }

 private:
  const int device_;
  const cuda::Blas* const blas_;
  const uint8_t* const base_;
  const ComputeType type_;
  const std::span<const int> buckets_;
  absl::Status status_;
};

}  // namespace

absl::Status CudaModel::CheckShape(const ModelSpec& spec) {
  const ModelShape& s = spec.shape;
  if (s.d_model % kElements != 0 || s.d_model > kMaxWidth) {
    return Unfit("d_model", s.d_model, "a multiple of 8 up to 4096");
  }
  for (const auto& [name, heads] : {std::pair{"encoder_attention_heads", s.encoder_heads},
                                    std::pair{"decoder_attention_heads", s.decoder_heads}}) {
    if (heads <= 0 || heads > kMaxAttentionHeads || s.d_model % heads != 0) {
      return Unfit(name, heads,
                   absl::StrCat("a divisor of d_model ", s.d_model, " up to ", kMaxAttentionHeads));
    }
    const int head_dim = s.d_model / heads;
    if (head_dim % kElements != 0 || head_dim > kMaxHeadDim) {
      return Unfit("the width of an attention head", head_dim, "a multiple of 8 up to 128");
    }
  }
  for (const auto& [name, ffn] :
       {std::pair{"encoder_ffn_dim", s.encoder_ffn}, std::pair{"decoder_ffn_dim", s.decoder_ffn}}) {
    if (ffn % kElements != 0) return Unfit(name, ffn, "a multiple of 8");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<CudaModel>> CudaModel::Create(const CudaModelConfig& config,
                                                             const ModelSpec& spec,
                                                             const WeightImage& image) {
  std::unique_ptr<CudaModel> model(new CudaModel(config, spec, image.type));
  absl::Status status = model->Load(image);
  if (status.ok()) status = model->MakeProducts(image);
  if (!status.ok()) return status;
  return model;
}

CudaModel::CudaModel(const CudaModelConfig& config, const ModelSpec& spec, ComputeType type)
    : config_(config),
      spec_(spec),
      type_(type),
      step_buckets_(StepBuckets(config.max_rows)),
      encoder_buckets_(EncoderBuckets(config.encoder_tokens)) {}

// What goes after this body is freed on the device that is current then.
CudaModel::~CudaModel() { static_cast<void>(cuda::SetDevice(config_.device)); }

KvLayout CudaModel::kv_layout() const {
  const ModelShape& s = spec_.shape;
  return {s.decoder_layers, s.decoder_heads, s.d_model / s.decoder_heads};
}

const void* CudaModel::At(int64_t place) const {
  return static_cast<const uint8_t*>(memory_.data()) + place;
}

CudaNorm CudaModel::Norm(const NormPlace& place) const {
  return {static_cast<const float*>(At(place.gamma)), static_cast<const float*>(At(place.beta))};
}

absl::Status CudaModel::Load(const WeightImage& image) {
  if (const cuda::Error error = cuda::SetDevice(config_.device); error != cuda::Error::kNone) {
    return CudaStatus(config_.device, "selecting the device", error);
  }
  const auto bytes = static_cast<int64_t>(image.bytes.size());
  if (const cuda::Error error = memory_.Allocate(bytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(config_.device, "weights", bytes, error);
  }
  cuda::OwnedStream stream;
  cuda::Error error = stream.Create(cuda::StreamPriority::kLow);
  if (error == cuda::Error::kNone) {
    error = cuda::Copy(stream.get(), memory_.data(), image.bytes.data(), bytes);
  }
  if (error == cuda::Error::kNone) error = stream.Wait();
  if (error != cuda::Error::kNone) return CudaStatus(config_.device, "copying weights", error);

  source_embedding_ = At(image.source_embedding);
  target_embedding_ = At(image.target_embedding);
  encoder_positions_ = static_cast<const float*>(At(image.encoder_positions));
  decoder_positions_ = static_cast<const float*>(At(image.decoder_positions));
  return absl::OkStatus();
}

absl::Status CudaModel::MakeProducts(const WeightImage& image) {
  std::string why;
  blas_ = cuda::Blas::Create(&why);
  if (blas_ == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(CudaDeviceName(config_.device), ": cuBLASLt: ", why));
  }
  const auto* base = static_cast<const uint8_t*>(memory_.data());
  const int device = config_.device;

  ProductMaker pass(device, blas_.get(), base, type_, encoder_buckets_);
  for (const EncoderLayerPlace& place : image.encoder) {
    CudaEncoderLayer layer;
    layer.self.query_key_value = pass.Make("encoder query, key, value", place.self.query_key_value);
    layer.self.output = pass.Make("encoder attention output", place.self.output);
    layer.self.norm = Norm(place.self.norm);
    layer.ffn.up = pass.Make("encoder feed-forward up", place.ffn.up, spec_.activation);
    layer.ffn.down = pass.Make("encoder feed-forward down", place.ffn.down);
    layer.ffn.norm = Norm(place.ffn.norm);
    encoder_.push_back(std::move(layer));
  }
  const int parts = spec_.shape.decoder_layers / config_.cross_layers;
  for (int i = 0; i < parts; ++i) {
    cross_key_value_.push_back(
        pass.Make("cross-attention key, value", PartOf(image.cross_key_value, parts, i, type_)));
  }
  if (!pass.status().ok()) return pass.status();

  const std::vector<int> steps = ProductBuckets(config_.max_rows);
  ProductMaker step(device, blas_.get(), base, type_, steps);
  for (const DecoderLayerPlace& place : image.decoder) {
    CudaDecoderLayer layer;
    layer.self.query_key_value = step.Make("decoder query, key, value", place.self.query_key_value);
    layer.self.output = step.Make("decoder attention output", place.self.output);
    layer.self.norm = Norm(place.self.norm);
    layer.cross.query = step.Make("cross-attention query", place.cross.query);
    layer.cross.output = step.Make("cross-attention output", place.cross.output);
    layer.cross.norm = Norm(place.cross.norm);
    layer.ffn.up = step.Make("decoder feed-forward up", place.ffn.up, spec_.activation);
    layer.ffn.down = step.Make("decoder feed-forward down", place.ffn.down);
    layer.ffn.norm = Norm(place.ffn.norm);
    decoder_.push_back(std::move(layer));
  }
  if (!step.status().ok()) return step.status();

  const std::vector<int> chunks = ChunkBuckets(steps, cuda::kChunkRows);
  ProductMaker chunk(device, blas_.get(), base, type_, chunks);
  cuda::LinearOptions options;
  options.in = image.output.in;
  options.out = image.output.out;
  options.type = type_;
  options.float_output = true;
  options.y_stride = LogitStride(image.output.out);
  options.tune_rows = cuda::kChunkRows;
  logits_ = chunk.Make("output layer", options, At(image.output.weight), nullptr);
  if (!chunk.status().ok()) return chunk.status();

  output_bias_ = static_cast<const float*>(At(image.output.bias));
  fused_ = cuda::FusedOutput::Create(type_, At(image.output.weight), output_bias_, image.output.in,
                                     image.output.out, &why_not_fused_);
  return absl::OkStatus();
}

}  // namespace dragoman
