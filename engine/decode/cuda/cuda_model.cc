#include "engine/decode/cuda/cuda_model.h"
#include "engine/api/devices.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/stream.h"

namespace dragoman::engine {

absl::StatusOr<std::unique_ptr<CudaModel>> CudaModel::Create(const CudaModelConfig& config,
                                                             const Program& program,
                                                             const WeightImage& image) {
  std::unique_ptr<CudaModel> model(new CudaModel(config, program, image));
  absl::Status status = model->Load(image);
  if (status.ok()) status = model->MakeProducts();
  if (status.ok()) status = model->CheckFused();
  if (model->hung_ != nullptr) {
    // The kernel that hangs still reads the weights. Freeing them would wait for this kernel, so
    // they are never freed.
    GiveUpDevice(config.device, std::string(status.message()),
                 std::shared_ptr<CudaModel>(std::move(model)));
  }
  if (!status.ok()) return status;
  return model;
}

CudaModel::CudaModel(const CudaModelConfig& config, const Program& program,
                     const WeightImage& image)
    : config_(config),
      program_(program),
      encoder_buffers_(PlanBuffers(program.encoder)),
      decoder_buffers_(PlanBuffers(program.decoder)),
      type_(image.type),
      offset_(image.offset),
      step_buckets_(StepBuckets(config.max_rows)),
      encoder_buckets_(EncoderBuckets(config.encoder_tokens)) {}

// The destructors of the members run after this body, on the device that is then current.
CudaModel::~CudaModel() { static_cast<void>(cuda::SetDevice(config_.device)); }

const void* CudaModel::weight(WeightId id) const {
  if (id == kNoWeight) return nullptr;
  return static_cast<const uint8_t*>(memory_.data()) + offset_[static_cast<size_t>(id)];
}

kernels::RelativeBias CudaModel::relative_bias(WeightId id) const {
  if (id == kNoWeight) return {};
  return {float_weight(id), program_.weight(id).cols, program_.max_positions - 1};
}

std::vector<std::string> CudaModel::Notes() const {
  std::vector<std::string> notes;
  if (products_of_two_classes_ > 0) {
    notes.push_back(
        absl::StrCat("no algorithm of cuBLASLt for ", products_of_two_classes_,
                     " of the products gives a row the same bits in every row count: the last bits "
                     "of a score may depend on how many rows a step has (from ",
                     other_bits_from_, " rows on)"));
  }
  if (fused_failed_) {
    notes.push_back(absl::StrCat("the fused output layer is not used, which costs speed, because ",
                                 why_not_fused_));
  }
  for (const CudaPart& part : kCudaParts) {
    if (config_.options.*(part.member)) continue;
    notes.push_back(absl::StrCat(kCudaOffVariable, ": ", part.name, " is off, which costs speed"));
  }
  if (fused_ != nullptr && fused_->products() != kernels::QuantizedType::kNone) {
    notes.push_back(
        absl::StrCat("cuda: output-products is ", kernels::QuantizedTypeName(fused_->products()),
                     ": scores differ from those of ", kernels::ComputeTypeName(type_)));
  }
  if (quantized_layers()) {
    notes.push_back(absl::StrCat(
        "cuda: layer-products is ", kernels::QuantizedTypeName(config_.options.layer_products),
        ": translations and scores differ from those of ", kernels::ComputeTypeName(type_),
        ", and no card has measured what it gains"));
  }
  return notes;
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
  return CudaStatus(config_.device, "copying weights", error);
}

absl::Status CudaModel::MakeProducts() {
  std::string why;
  blas_ = cuda::Blas::Create(&why);
  if (blas_ == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(CudaDeviceName(config_.device), ": cuBLASLt: ", why));
  }
  absl::Status status = quantized_layers() ? MakeQuantizedLayers() : MakeLinears();
  if (!status.ok()) return status;
  const std::vector<int> chunks = ChunkBuckets(cuda::kChunkRows);
  for (const OutputOp& output : program_.outputs()) {
    cuda::LinearOptions options;
    options.in = static_cast<int>(program_.weight(output.table).cols);
    // The matrix of the output layer is padded to this number of rows (weight_image.h).
    options.out = static_cast<int>(LogitStride(program_.vocabulary()));
    options.type = type_;
    options.float_output = true;
    options.tune_rows = cuda::kChunkRows;
    options.per_bucket = config_.per_bucket && config_.options.bucket_algorithms;
    auto linear =
        MakeLinear("decoder", "output layer", options, weight(output.table), nullptr, chunks);
    if (!linear.ok()) return linear.status();
    logits_.push_back(*std::move(linear));
  }
  return MakeFused();
}

absl::StatusOr<std::unique_ptr<cuda::Linear>> CudaModel::MakeLinear(
    const char* stage, const char* op, const cuda::LinearOptions& options, const void* weight,
    const void* bias, std::span<const int> buckets) {
  std::string why;
  std::unique_ptr<cuda::Linear> linear =
      cuda::Linear::Create(blas_.get(), options, weight, bias, buckets, &why);
  if (linear == nullptr) {
    return absl::InternalError(absl::StrCat(CudaDeviceName(config_.device), ": ", stage, " ", op,
                                            " [", options.out, ", ", options.in, "]: ", why));
  }
  if (linear->other_bits_from() > 0) {
    ++products_of_two_classes_;
    other_bits_from_ = linear->other_bits_from();
  }
  return linear;
}

absl::Status CudaModel::MakeLinears() {
  const int64_t element = kernels::ElementBytes(type_);
  const std::vector<int> steps = ProductBuckets(config_.max_rows);
  for (const auto& [name, stage, buckets, products] :
       {std::tuple{"encoder", &program_.encoder, std::span<const int>(encoder_buckets_),
                   &encoder_products_},
        std::tuple{"decoder", &program_.decoder, std::span<const int>(steps),
                   &decoder_products_}}) {
    for (const Op& op : stage->ops) {
      LayerProduct& made = products->emplace_back();
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product == nullptr) continue;
      cuda::LinearOptions options;
      options.per_bucket = config_.per_bucket && config_.options.bucket_algorithms;
      options.few_rows = config_.per_bucket && config_.options.few_rows;
      options.in = static_cast<int>(program_.weight(product->weight).cols);
      options.out = static_cast<int>(product->rows);
      options.type = type_;
      options.activation = product->activation;
      const auto* matrix = static_cast<const uint8_t*>(weight(product->weight)) +
                           product->first_row * options.in * element;
      const auto* bias = static_cast<const uint8_t*>(weight(product->bias));
      if (bias != nullptr) bias += product->first_row * element;
      auto linear = MakeLinear(name, op.name, options, matrix, bias, buckets);
      if (!linear.ok()) return linear.status();
      made.linear = *std::move(linear);
    }
  }
  return absl::OkStatus();
}

absl::Status CudaModel::MakeFused() {
  const kernels::QuantizedType quantized = config_.options.output_products;
  if (!config_.options.fused_output) {
    why_not_fused_ = absl::StrCat(kCudaOffVariable, ": fused-output is off");
  } else if (program_.outputs().size() > 1) {
    why_not_fused_ = "the mean of an ensemble's members is made from materialized logits";
  } else {
    const OutputOp& output = program_.output();
    fused_ =
        cuda::FusedOutput::Create(type_, quantized, weight(output.table), float_weight(output.bias),
                                  static_cast<int>(program_.weight(output.table).cols),
                                  static_cast<int>(program_.vocabulary()), &why_not_fused_);
  }
  if (quantized == kernels::QuantizedType::kNone || fused_ != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      CudaDeviceName(config_.device), ": cuda: output-products: found ",
      kernels::QuantizedTypeName(quantized),
      ", expected model: these products are those of the fused output layer alone, which is not "
      "there: ",
      why_not_fused_));
}

}  // namespace dragoman::engine
