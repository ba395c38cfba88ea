// Makes the int8 products of the layers when a model is loaded. Quantizes the weights. Runs every
// kernel for every shape and compares the results with plain arithmetic on the same bytes.
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/memory_plan.h"
#include "engine/decode/cuda/quantization.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/quantize_rows.h"

namespace dragoman::engine {
namespace {

// The number of rows in a test. A kernel handles them in several tiles of rows, of which the last
// one is partial.
constexpr int kTriedRows = 200;

constexpr int kIntegerProductsSince = 75;

// Returns why a device of this capability (90 is 9.0) has no int8 products; "" if it has them.
std::string WhyNotThere(int capability) {
  if (capability < kIntegerProductsSince) {
    return "its tensor cores have no int8, which begins with 7.5";
  }
  if (capability >= 100 && capability < 120) {
    return "there are none for 10.x, whose own tensor cores are not used, only for 7.5 to 9.0 and "
           "from 12.0 on";
  }
  return "";
}

// Runs every kernel for the products of one shape and compares the results with plain arithmetic.
class Trial {
 public:
  Trial(kernels::ComputeType type, const cuda::QuantizedProduct& product)
      : type_(type), product_(product) {
    // The sums must have equal bits. With a bias and an activation, plain arithmetic would round in
    // another order, so they are left out.
    product_.bias = nullptr;
    product_.activation = kernels::Activation::kNone;
  }

  // Sets *difference to a description of the first difference; leaves it empty if there is none.
  cuda::Error Run(std::string* difference) {
    cuda::Error error = stream_.Create(cuda::StreamPriority::kLow);
    const auto then = [&](const auto& step) {
      if (error == cuda::Error::kNone) error = step();
    };
    const auto in = static_cast<int64_t>(product_.in);
    const int64_t elements = int64_t{kTriedRows} * product_.out;
    std::vector<float> plain(static_cast<size_t>(elements));
    then([&] { return x_.Allocate(kTriedRows * in * 2); });
    then([&] { return PutRows(); });
    then([&] { return y_.Allocate(elements * 2); });
    then([&] { return plain_.Allocate(elements * static_cast<int64_t>(sizeof(float))); });
    then([&] { return workspace_.Allocate(cuda::QuantizedWorkspaceBytes(kTriedRows, in)); });
    auto* const bytes = static_cast<uint8_t*>(workspace_.data());
    auto* const scales = reinterpret_cast<float*>(bytes + kTriedRows * in);
    then([&] {
      return cuda::QuantizeRows(stream_.get(), type_, kernels::QuantizedType::kInt8, x_.data(),
                                kTriedRows, nullptr, product_.in, bytes, scales);
    });
    then([&] {
      return cuda::MultiplyQuantizedRows(stream_.get(), kernels::QuantizedType::kInt8, bytes,
                                         scales, kTriedRows, product_.weight, product_.scales,
                                         product_.out, product_.in,
                                         static_cast<float*>(plain_.data()), product_.out);
    });
    then([&] {
      return cuda::Copy(stream_.get(), plain.data(), plain_.data(),
                        elements * static_cast<int64_t>(sizeof(float)));
    });
    using cuda::QuantizedForm;
    for (const auto& [form, rows] : {std::pair{QuantizedForm::kFew, cuda::kMostQuantizedFewRows},
                                     std::pair{QuantizedForm::kSmall, kTriedRows},
                                     std::pair{QuantizedForm::kLarge, kTriedRows}}) {
      if (form == QuantizedForm::kFew && !product_.takes_few) continue;
      then([&, form = form, rows = rows] { return RunForm(form, rows, plain, difference); });
    }
    return error;
  }

 private:
  // The seed is fixed, so that every start of the program tries the same rows.
  cuda::Error PutRows() {
    std::mt19937 random(1);
    std::vector<uint16_t> x(size_t{kTriedRows} * static_cast<size_t>(product_.in));
    for (uint16_t& number : x) {
      const float value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      number = Rounded(value);
    }
    const cuda::Error error =
        cuda::Copy(stream_.get(), x_.data(), x.data(), static_cast<int64_t>(x.size() * 2));
    return error == cuda::Error::kNone ? stream_.Wait() : error;
  }

  cuda::Error RunForm(cuda::QuantizedForm form, int rows, const std::vector<float>& plain,
                      std::string* difference) {
    cuda::QuantizedProduct product = product_;
    product.form = form;
    std::vector<uint16_t> found(static_cast<size_t>(rows) * static_cast<size_t>(product.out));
    cuda::Error error = cuda::MultiplyQuantized(stream_.get(), product, x_.data(), rows, nullptr,
                                                workspace_.data(), y_.data());
    if (error == cuda::Error::kNone) {
      error = cuda::Copy(stream_.get(), found.data(), y_.data(),
                         static_cast<int64_t>(found.size() * 2));
    }
    if (error == cuda::Error::kNone) error = stream_.Wait();
    if (error != cuda::Error::kNone || !difference->empty()) return error;
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == Rounded(plain[i])) continue;
      const auto out = static_cast<size_t>(product.out);
      *difference =
          absl::StrCat("of ", rows, " random rows, row ", i / out, ", column ", i % out, ": found ",
                       Widened(found[i]), ", expected ", Widened(Rounded(plain[i])));
      break;
    }
    return error;
  }

  uint16_t Rounded(float x) const {
    return type_ == kernels::ComputeType::kFloat16 ? ToFloat16(x) : ToBFloat16(x);
  }
  float Widened(uint16_t x) const {
    return type_ == kernels::ComputeType::kFloat16 ? FromFloat16(x) : FromBFloat16(x);
  }

  const kernels::ComputeType type_;
  cuda::QuantizedProduct product_;
  cuda::DeviceBuffer x_, y_, plain_, workspace_;
  cuda::OwnedStream stream_;
};

}  // namespace

absl::Status CudaModel::RefuseQuantizedLayers(const std::string& why) const {
  return absl::FailedPreconditionError(absl::StrCat(
      CudaDeviceName(config_.device), ": cuda: layer-products: found ",
      kernels::QuantizedTypeName(config_.options.layer_products), ", expected model: ", why));
}

absl::Status CudaModel::MakeQuantizedLayers() {
  if (config_.options.layer_products != kernels::QuantizedType::kInt8) {
    return RefuseQuantizedLayers("products of the layers are those of the model or int8");
  }
  if (const std::string why = WhyNotThere(config_.capability); !why.empty()) {
    return RefuseQuantizedLayers(why);
  }
  const int64_t bytes = QuantizedWeightBytes(program_);
  if (const cuda::Error error = quantized_memory_.Allocate(bytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(config_.device, "quantized weights", bytes, error);
  }
  cuda::OwnedStream stream;
  cuda::Error error = stream.Create(cuda::StreamPriority::kLow);
  auto* at = static_cast<uint8_t*>(quantized_memory_.data());
  for (const auto& [stage, products] : {std::pair{&program_.encoder, &encoder_products_},
                                        std::pair{&program_.decoder, &decoder_products_}}) {
    for (const Op& op : stage->ops) {
      cuda::QuantizedProduct& quantized = products->emplace_back().quantized;
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product == nullptr) continue;
      quantized.in = static_cast<int>(program_.weight(product->weight).cols);
      quantized.out = static_cast<int>(product->rows);
      quantized.type = type_;
      quantized.activation = product->activation;
      const auto* bias = static_cast<const uint8_t*>(weight(product->bias));
      const int64_t element = kernels::ElementBytes(type_);
      if (bias != nullptr) quantized.bias = bias + product->first_row * element;
      if (const std::string why = cuda::PrepareQuantizedProduct(&quantized); !why.empty()) {
        return RefuseQuantizedLayers(absl::StrCat("'", op.name, "': ", why));
      }
      const auto* wide = static_cast<const uint8_t*>(weight(product->weight)) +
                         product->first_row * quantized.in * element;
      const int64_t all = QuantizedWeightBytes(program_, *product);
      const int64_t scales = QuantizedScalesAt(program_, *product);
      quantized.weight = at;
      quantized.scales = reinterpret_cast<const float*>(at + scales);
      if (error == cuda::Error::kNone) {
        error = cuda::QuantizeRows(stream.get(), type_, kernels::QuantizedType::kInt8, wide,
                                   quantized.out, nullptr, quantized.in, at,
                                   reinterpret_cast<float*>(at + scales));
      }
      at += all;
    }
  }
  if (error == cuda::Error::kNone) error = stream.Wait();
  if (error != cuda::Error::kNone) return CudaStatus(config_.device, "quantizing weights", error);
  return CheckQuantizedLayers();
}

absl::Status CudaModel::CheckQuantizedLayers() const {
  std::set<std::pair<int, int>> tried;
  for (const auto* products : {&encoder_products_, &decoder_products_}) {
    for (const LayerProduct& product : *products) {
      const cuda::QuantizedProduct& quantized = product.quantized;
      if (quantized.weight == nullptr || !tried.emplace(quantized.in, quantized.out).second)
        continue;
      std::string difference;
      const cuda::Error error = Trial(type_, quantized).Run(&difference);
      if (error != cuda::Error::kNone) {
        return CudaStatus(config_.device,
                          "trying the products of the layers in int8, which {\"cuda\": "
                          "{\"layer-products\": \"model\"}} turns off",
                          error);
      }
      if (difference.empty()) continue;
      return RefuseQuantizedLayers(
          absl::StrCat("a product of ", quantized.in, " inputs and ", quantized.out,
                       " outputs does not give what plain arithmetic gives: ", difference));
    }
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
