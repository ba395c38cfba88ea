#include "engine/decode/cuda/weight_image.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/quantization.h"
#include "engine/decode/cuda/row_buckets.h"

namespace dragoman::engine {
namespace {

// Converts rows of a weight, from row `first` on, to a 16-bit type. Fails if a finite number would
// become infinite.
absl::Status Narrow(const Weight& weight, int64_t first, kernels::ComputeType type,
                    std::span<const float> values, uint8_t* to, uint16_t (*narrow)(float),
                    float (*widen)(uint16_t)) {
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t narrowed = narrow(values[i]);
    std::memcpy(to + i * sizeof(narrowed), &narrowed, sizeof(narrowed));
    if (std::isfinite(values[i]) && !std::isfinite(widen(narrowed))) {
      const auto at = first * weight.cols + static_cast<int64_t>(i);
      return absl::InvalidArgumentError(
          absl::StrCat(weight.name, ": the weight ", values[i], " at [", at / weight.cols, ", ",
                       at % weight.cols, "] is beyond the range of ",
                       kernels::ComputeTypeName(type), "; expected --compute-type ",
                       type == kernels::ComputeType::kFloat16 ? "bfloat16 or float32" : "float32"));
    }
  }
  return absl::OkStatus();
}

absl::Status Convert(const Weight& weight, int64_t first, kernels::ComputeType type,
                     std::span<const float> values, uint8_t* to) {
  switch (type) {
    case kernels::ComputeType::kFloat16:
      return Narrow(weight, first, type, values, to, ToFloat16, FromFloat16);
    case kernels::ComputeType::kBFloat16:
      return Narrow(weight, first, type, values, to, ToBFloat16, FromBFloat16);
    case kernels::ComputeType::kInt8:
      return absl::UnimplementedError(
          "compute-type: found int8, expected float32, float16 or bfloat16 on a GPU");
    case kernels::ComputeType::kFloat32:
      break;
  }
  std::memcpy(to, values.data(), values.size_bytes());
  return absl::OkStatus();
}

kernels::ComputeType TypeOf(const Weight& weight, kernels::ComputeType type) {
  return StaysFloat32(weight.role) ? kernels::ComputeType::kFloat32 : type;
}

// Returns the offset of each weight in the image, followed by the size of the image.
std::vector<int64_t> Offsets(const Program& program, kernels::ComputeType type) {
  std::vector<int64_t> offsets;
  int64_t end = 0;
  const std::span<const OutputOp> outputs = program.outputs();
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& weight = program.weights[i];
    const bool logits = std::any_of(outputs.begin(), outputs.end(), [&](const OutputOp& output) {
      return output.table == static_cast<WeightId>(i);
    });
    const int64_t rows = logits ? LogitStride(weight.rows) : weight.rows;
    offsets.push_back((end + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment);
    end = offsets.back() + rows * weight.cols * kernels::ElementBytes(TypeOf(weight, type));
  }
  offsets.push_back(end);
  return offsets;
}

// A weight is read in pieces of at most this many numbers, or of one row if a row has more.
constexpr int64_t kPiece = 1 << 18;

absl::Status ReadWeight(const Program& program, WeightId id, const Weights& weights,
                        kernels::ComputeType type, uint8_t* to) {
  const Weight& weight = program.weight(id);
  const int64_t rows = std::max<int64_t>(1, kPiece / weight.cols);
  std::vector<float> values(static_cast<size_t>(std::min(rows, weight.rows) * weight.cols));
  for (int64_t first = 0; first < weight.rows; first += rows) {
    const int64_t count = std::min(rows, weight.rows - first);
    absl::Status status = weights.Read(id, first, count, values.data());
    const auto numbers = static_cast<size_t>(count * weight.cols);
    if (status.ok()) status = Convert(weight, first, type, std::span(values).first(numbers), to);
    if (!status.ok()) return status;
    to += count * weight.cols * kernels::ElementBytes(type);
  }
  weights.Release(id);
  return absl::OkStatus();
}

}  // namespace

int64_t WeightImageBytes(const Program& program, kernels::ComputeType type) {
  return Offsets(program, type).back();
}

absl::StatusOr<WeightImage> MakeWeightImage(const Program& program, const Weights& weights,
                                            kernels::ComputeType type) {
  if (type == kernels::ComputeType::kFloat16 && !program.fits_float16) {
    return absl::UnimplementedError(
        "compute-type: found float16, expected bfloat16 or float32: activations of this model (T5) "
        "are beyond the range of float16");
  }
  WeightImage image;
  image.type = type;
  image.offset = Offsets(program, type);
  image.bytes.resize(static_cast<size_t>(image.offset.back()));
  image.offset.pop_back();
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const auto id = static_cast<WeightId>(i);
    absl::Status status = ReadWeight(program, id, weights, TypeOf(program.weight(id), type),
                                     image.bytes.data() + image.offset[i]);
    if (!status.ok()) return status;
  }
  if (absl::Status status = weights.Check(); !status.ok()) return status;
  return image;
}

}  // namespace dragoman::engine
