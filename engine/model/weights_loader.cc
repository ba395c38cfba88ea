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

class WeightsLoader {
 public:
  WeightsLoader(const Checkpoint& checkpoint, const NameMap& names, const ModelSpec& spec)
      : checkpoint_(checkpoint), names_(names), spec_(spec), shape_(spec.shape) {}

  absl::StatusOr<LoadedWeights> Load() {
    absl::Status status = CheckSharing();
    if (status.ok()) status = ReadEmbeddings();
    if (status.ok()) status = ReadOutputBias();
    if (status.ok()) status = ReadLayers(names_.encoder, shape_.encoder_layers, &weights_.encoder);
    if (status.ok()) status = ReadLayers(names_.decoder, shape_.decoder_layers, &weights_.decoder);
    if (status.ok()) {
      status = ReadPositions(names_.encoder_positions, &weights_.encoder_positions);
    }
    if (status.ok()) {
      status = ReadPositions(names_.decoder_positions, &weights_.decoder_positions);
    }
    if (!status.ok()) return status;
    return LoadedWeights{std::move(weights_), Unused()};
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
  // are stored once or twice; every element takes two bytes or more.
  absl::Status CheckSharing() const {
    int64_t elements = 0;
    for (const auto& [name, view] : checkpoint_.tensors) {
      if (__builtin_add_overflow(elements, view.numel(), &elements)) elements = INT64_MAX;
      if (static_cast<uint64_t>(elements) > checkpoint_.bytes()) {
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
    if (IsFloat(view.dtype) && view.shape == shape) return absl::OkStatus();
    return Wrong(name, Concat("is ", DTypeName(view.dtype), " ", ShapeString(view.shape),
                              ", expected F64, F32, F16 or BF16 ", ShapeString(shape)));
  }

  absl::Status Read(std::string_view name, const std::vector<int64_t>& shape,
                    std::vector<float>* out) {
    const TensorView* view = Find(name);
    if (view == nullptr) {
      return Wrong(name, Concat("is missing, expected shape ", ShapeString(shape)));
    }
    absl::Status status = Check(name, *view, shape);
    if (!status.ok()) return status;
    out->resize(static_cast<size_t>(view->numel()));
    if (const std::optional<size_t> bad = CopyAsF32(*view, *out)) {
      return Wrong(name, Concat("holds ", (*out)[*bad], " at ", PlaceString(shape, *bad),
                                ", expected finite numbers"));
    }
    return status;
  }

  absl::Status ReadMatrix(std::string_view name, int rows, int cols, Matrix* matrix) {
    matrix->rows = rows;
    matrix->cols = cols;
    return Read(name, {rows, cols}, &matrix->data);
  }

  // One matrix that may be stored under any of the names; several must agree.
  absl::Status ReadAlias(std::span<const std::string_view> names, int rows, Matrix* matrix) {
    std::string_view first;
    for (const std::string_view name : names) {
      if (Find(name) == nullptr) continue;
      if (first.empty()) {
        first = name;
        absl::Status status = ReadMatrix(name, rows, shape_.d_model, matrix);
        if (!status.ok()) return status;
        continue;
      }
      Matrix other;
      absl::Status status = ReadMatrix(name, rows, shape_.d_model, &other);
      if (!status.ok()) return status;
      if (other.data != matrix->data) {
        return Wrong(name, Concat("differs from '", first,
                                  "', though config.json says they are one matrix"));
      }
    }
    if (!first.empty()) return absl::OkStatus();
    std::string listed;
    for (const std::string_view name : names)
      listed += Concat(listed.empty() ? "" : "' or '", name);
    return absl::InvalidArgumentError(Concat(FileOf({}), ": tensor '", listed,
                                             "' is missing, expected shape [", rows, ", ",
                                             shape_.d_model, "]"));
  }

  absl::Status ReadEmbeddings() {
    std::vector<std::string_view> source = {names_.source_embedding};
    std::vector<std::string_view> target = {names_.target_embedding};
    if (spec_.tie_output) target.push_back(names_.output);
    if (spec_.share_embeddings) {
      source.insert(source.begin(), names_.shared_embedding);
      source.insert(source.end(), target.begin(), target.end());
    }
    absl::Status status = ReadAlias(source, shape_.source_vocab, &weights_.source_embedding);
    if (status.ok() && !spec_.share_embeddings) {
      status = ReadAlias(target, shape_.target_vocab, &weights_.target_embedding);
    }
    if (status.ok() && !spec_.tie_output) {
      status = ReadMatrix(names_.output, shape_.target_vocab, shape_.d_model, &weights_.output);
    }
    return status;
  }

  absl::Status ReadOutputBias() {
    if (Find(names_.output_bias) == nullptr) {
      weights_.output_bias.assign(static_cast<size_t>(shape_.target_vocab), 0.0F);
      return absl::OkStatus();
    }
    return Read(names_.output_bias, {1, shape_.target_vocab}, &weights_.output_bias);
  }

  int SizeOf(Dim dim) const {
    switch (dim) {
      case Dim::kModel:
        return shape_.d_model;
      case Dim::kEncoderFfn:
        return shape_.encoder_ffn;
      case Dim::kDecoderFfn:
        return shape_.decoder_ffn;
    }
    return 0;
  }

  template <typename Layer>
  absl::Status ReadLayers(const LayerMap<Layer>& map, int count, std::vector<Layer>* layers) {
    for (int i = 0; i < count; ++i) {
      Layer layer;
      const std::string prefix = Concat(map.prefix, i, ".");
      for (const LinearRule<Layer>& rule : map.linears) {
        LinearWeights& linear = rule.slot(layer);
        const int out = SizeOf(rule.out);
        absl::Status status =
            ReadMatrix(Concat(prefix, rule.name, ".weight"), out, SizeOf(rule.in), &linear.weight);
        if (status.ok()) {
          status = Read(Concat(prefix, rule.name, ".bias"), {out}, &linear.bias);
        }
        if (!status.ok()) return status;
      }
      for (const NormRule<Layer>& rule : map.norms) {
        NormWeights& norm = rule.slot(layer);
        const std::vector<int64_t> size = {shape_.d_model};
        absl::Status status = Read(Concat(prefix, rule.name, ".weight"), size, &norm.gamma);
        if (status.ok()) status = Read(Concat(prefix, rule.name, ".bias"), size, &norm.beta);
        if (!status.ok()) return status;
      }
      layers->push_back(std::move(layer));
    }
    return absl::OkStatus();
  }

  // A stored table wins: older checkpoints hold it, rounded as they are.
  absl::Status ReadPositions(std::string_view name, Matrix* table) {
    if (Find(name) != nullptr) return ReadMatrix(name, shape_.max_positions, shape_.d_model, table);
    *table = SinusoidalPositions(shape_.max_positions, shape_.d_model);
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
  const NameMap& names_;
  const ModelSpec& spec_;
  const ModelShape& shape_;
  TransformerWeights weights_;
  std::set<std::string_view> used_;
};

}  // namespace

absl::StatusOr<LoadedWeights> LoadTransformerWeights(const Checkpoint& checkpoint,
                                                     const NameMap& names, const ModelSpec& spec) {
  return WeightsLoader(checkpoint, names, spec).Load();
}

}  // namespace dragoman
