#include "engine/model/weights_loader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"

namespace dragoman {
namespace {

void FillSinusoids(const Weight& table, std::vector<float>* values) {
  const int64_t half = table.cols / 2;
  float* row = values->data();
  for (int64_t position = 0; position < table.rows; ++position, row += table.cols) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(position) /
          std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(table.cols));
      row[i] = static_cast<float>(std::sin(angle));
      row[half + i] = static_cast<float>(std::cos(angle));
    }
  }
}

// In float32 from beginning to end, as transformers does it: at position 1,000 the rounding of a
// frequency is the fourth digit of a sine.
void FillFairseqSinusoids(const Weight& table, int64_t first, std::vector<float>* values) {
  const int64_t half = table.cols / 2;
  const auto step = static_cast<float>(-std::log(10000.0) / static_cast<double>(half - 1));
  float* row = values->data();
  for (int64_t position = 0; position < table.rows; ++position, row += table.cols) {
    for (int64_t i = 0; i < half; ++i) {
      const auto frequency = static_cast<float>(std::exp(double{static_cast<float>(i) * step}));
      const double angle = static_cast<float>(position + first) * frequency;
      row[i] = static_cast<float>(std::sin(angle));
      row[half + i] = static_cast<float>(std::cos(angle));
    }
  }
}

void FillPositions(IfAbsent kind, const Weight& table, std::vector<float>* values) {
  if (kind == IfAbsent::kSinusoids) FillSinusoids(table, values);
  if (kind == IfAbsent::kFairseqSinusoids) FillFairseqSinusoids(table, 2, values);
  if (kind == IfAbsent::kOpenNmtSinusoids) FillFairseqSinusoids(table, 1, values);
  if (kind == IfAbsent::kMarianSinusoids) FillFairseqSinusoids(table, 0, values);
}

class WeightsLoader {
 public:
  WeightsLoader(const Checkpoint& checkpoint, const Network& network)
      : checkpoint_(checkpoint), network_(network) {}

  absl::StatusOr<LoadedWeights> Load() {
    if (absl::Status status = CheckSharing(); !status.ok()) return status;
    WeightValues weights(network_.sources.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      absl::Status status =
          ReadWeight(network_.program.weights[i], network_.sources[i], &weights[i]);
      if (!status.ok()) return status;
    }
    return LoadedWeights{std::move(weights), Unused()};
  }

 private:
  // Of a tensor that is there, the file that holds it; of another, the first.
  const std::string& FileOf(std::string_view tensor) const {
    const auto found = checkpoint_.tensors.find(tensor);
    return checkpoint_.names[found == checkpoint_.tensors.end() ? 0 : found->second.file];
  }

  absl::Status Wrong(std::string_view tensor, std::string_view what) const {
    return absl::InvalidArgumentError(Concat(FileOf(tensor), ": tensor '", tensor, "' ", what));
  }

  // Storages that many tensors share could ask for far more memory than the file has. Tied matrices
  // are stored once or twice; every element takes two bytes or more, where the format says nothing
  // else.
  absl::Status CheckSharing() const {
    const uint64_t most = checkpoint_.bytes() * checkpoint_.elements_per_byte;
    int64_t elements = 0;
    for (const auto& [name, view] : checkpoint_.tensors) {
      if (__builtin_add_overflow(elements, view.numel(), &elements)) elements = INT64_MAX;
      if (static_cast<uint64_t>(elements) > most) {
        return absl::InvalidArgumentError(
            Concat(FileOf(name), ": the tensors have more elements than the file has bytes"));
      }
    }
    return absl::OkStatus();
  }

  const TensorView* Find(std::string_view name) {
    const auto found = checkpoint_.tensors.find(name);
    if (found == checkpoint_.tensors.end()) return nullptr;
    used_.insert(found->first);
    return &found->second;
  }

  absl::Status Check(std::string_view name, const TensorView& view,
                     const std::vector<int64_t>& shape) const {
    if (HoldsNumbers(view) && view.shape == shape) return absl::OkStatus();
    const bool is_quantised = view.dtype == DType::kI8 || view.dtype == DType::kI16;
    return Wrong(name, Concat("is ", DTypeName(view.dtype), " ", ShapeString(view.shape),
                              is_quantised && view.scales.empty() ? " without scales" : "",
                              ", expected F64, F32, F16 or BF16 ", ShapeString(shape)));
  }

  // One tensor under two names.
  static bool AreSame(const TensorView& a, const TensorView& b) {
    return a.data.data() == b.data.data() && a.dtype == b.dtype && a.shape == b.shape &&
           a.strides == b.strides && a.scales.data() == b.scales.data();
  }

  // `out` has the tensor's size.
  absl::Status Read(std::string_view name, const TensorView& view,
                    const std::vector<int64_t>& shape, std::span<float> out) const {
    absl::Status status = Check(name, view, shape);
    if (!status.ok()) return status;
    if (const std::optional<size_t> bad = CopyAsF32(view, out)) {
      return Wrong(name, Concat("holds ", out[*bad], " at ", PlaceString(shape, *bad),
                                ", expected finite numbers"));
    }
    return status;
  }

  bool IsThere(const TensorSource& source) const {
    return std::any_of(source.names.begin(), source.names.end(), [this](const std::string& name) {
      return checkpoint_.tensors.contains(name);
    });
  }

  absl::Status ReadTensor(const TensorSource& source, std::span<float> out) {
    std::string_view first;
    const TensorView* read = nullptr;
    for (const std::string& name : source.names) {
      const TensorView* view = Find(name);
      if (view == nullptr) continue;
      if (read != nullptr && AreSame(*read, *view)) continue;
      if (first.empty()) {
        first = name;
        read = view;
        if (absl::Status status = Read(name, *view, source.shape, out); !status.ok()) return status;
        continue;
      }
      std::vector<float> other(out.size());
      if (absl::Status status = Read(name, *view, source.shape, other); !status.ok()) return status;
      if (!std::equal(other.begin(), other.end(), out.begin())) {
        return Wrong(name, Concat("differs from '", first,
                                  "', though the configuration says they are one matrix"));
      }
    }
    if (!first.empty()) return absl::OkStatus();
    std::string listed;
    for (const std::string& name : source.names)
      listed += Concat(listed.empty() ? "" : "' or '", name);
    return Wrong(listed, Concat("is missing, expected shape ", ShapeString(source.shape)));
  }

  // The tensor's columns become rows, its rows columns, as often as they are named.
  absl::Status ReadTurned(const Weight& weight, const WeightSource& source, float* to) {
    const TensorSource& part = source.parts.front();
    const auto cols = static_cast<size_t>(weight.rows);
    std::vector<float> whole(static_cast<size_t>(part.shape.front()) * cols);
    absl::Status status = ReadTensor(part, whole);
    for (size_t row = 0; row < cols; ++row) {
      for (const int column : source.columns) {
        *to++ = whole[static_cast<size_t>(column) * cols + row];
      }
    }
    return status;
  }

  absl::Status ReadWeight(const Weight& weight, const WeightSource& source,
                          std::vector<float>* values) {
    values->resize(static_cast<size_t>(weight.elements()));
    if (!source.columns.empty()) return ReadTurned(weight, source, values->data());
    const bool is_absent = source.if_absent != IfAbsent::kRefuse && !IsThere(source.parts.front());
    if (is_absent && source.if_absent != IfAbsent::kZeros) {
      FillPositions(source.if_absent, weight, values);
      return absl::OkStatus();
    }
    std::span<float> rest(*values);
    for (const TensorSource& part : source.parts) {
      size_t elements = 1;
      for (const int64_t dim : part.shape) elements *= static_cast<size_t>(dim);
      const size_t left_out =
          elements / static_cast<size_t>(part.shape.front()) * static_cast<size_t>(part.first_row);
      const std::span<float> out = rest.first(elements - left_out);
      rest = rest.subspan(elements - left_out);
      if (is_absent && &part == &source.parts.front()) continue;
      if (part.names.empty()) {
        std::fill(out.begin(), out.end(), part.fill);
        continue;
      }
      std::vector<float> whole;  // of a tensor that is taken in part
      if (left_out > 0) whole.resize(elements);
      absl::Status status = ReadTensor(part, left_out > 0 ? std::span<float>(whole) : out);
      if (!status.ok()) return status;
      std::copy(whole.begin() + static_cast<std::ptrdiff_t>(std::min(left_out, whole.size())),
                whole.end(), out.begin());
      if (part.scale != 1.0F) {
        for (float& value : out) value *= part.scale;
      }
    }
    return absl::OkStatus();
  }

  // transformers leaves them aside as well, and says so.
  std::vector<std::string> Unused() const {
    std::vector<std::string> unused = checkpoint_.unlisted;
    for (const auto& [name, view] : checkpoint_.tensors) {
      if (!used_.contains(name)) unused.push_back(name);
    }
    return unused;
  }

  const Checkpoint& checkpoint_;
  const Network& network_;
  std::set<std::string_view> used_;
};

}  // namespace

absl::StatusOr<LoadedWeights> LoadWeights(const Checkpoint& checkpoint, const Network& network) {
  return WeightsLoader(checkpoint, network).Load();
}

}  // namespace dragoman
