#include "engine/decode/cuda/weight_image.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/narrow.h"

namespace dragoman {
namespace {

absl::Status Narrow(const Weight& weight, ComputeType type, std::span<const float> values,
                    uint8_t* to, uint16_t (*narrow)(float), float (*widen)(uint16_t)) {
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t narrowed = narrow(values[i]);
    std::memcpy(to + i * sizeof(narrowed), &narrowed, sizeof(narrowed));
    if (std::isfinite(values[i]) && !std::isfinite(widen(narrowed))) {
      const auto at = static_cast<int64_t>(i);
      return absl::InvalidArgumentError(
          absl::StrCat(weight.name, ": the weight ", values[i], " at [", at / weight.cols, ", ",
                       at % weight.cols, "] is beyond the range of ", ComputeTypeName(type),
                       "; expected --compute-type ",
                       type == ComputeType::kFloat16 ? "bfloat16 or float32" : "float32"));
    }
  }
  return absl::OkStatus();
}

absl::Status Convert(const Weight& weight, ComputeType type, std::span<const float> values,
                     uint8_t* to) {
  switch (type) {
    case ComputeType::kFloat16:
      return Narrow(weight, type, values, to, ToFloat16, FromFloat16);
    case ComputeType::kBFloat16:
      return Narrow(weight, type, values, to, ToBFloat16, FromBFloat16);
    case ComputeType::kInt8:
      return absl::UnimplementedError(
          "compute-type: found int8, expected float32, float16 or bfloat16 on a GPU");
    case ComputeType::kFloat32:
      break;
  }
  std::memcpy(to, values.data(), values.size_bytes());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WeightImage> MakeWeightImage(const Program& program, const WeightValues& weights,
                                            ComputeType type) {
  if (type == ComputeType::kFloat16 && !program.fits_float16) {
    return absl::UnimplementedError(
        "compute-type: found float16, expected bfloat16 or float32: activations of this model (T5) "
        "are beyond the range of float16");
  }
  const auto type_of = [&](const Weight& weight) {
    return StaysFloat32(weight.role) ? ComputeType::kFloat32 : type;
  };
  WeightImage image;
  image.type = type;
  int64_t end = 0;
  for (const Weight& weight : program.weights) {
    const int64_t offset = (end + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
    image.offset.push_back(offset);
    end = offset + weight.elements() * ElementBytes(type_of(weight));
  }
  image.bytes.resize(static_cast<size_t>(end));
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& weight = program.weights[i];
    absl::Status status =
        Convert(weight, type_of(weight), weights[i], image.bytes.data() + image.offset[i]);
    if (!status.ok()) return status;
  }
  return image;
}

}  // namespace dragoman
