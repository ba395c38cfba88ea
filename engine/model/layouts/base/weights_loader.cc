#include "engine/model/layouts/base/weights_loader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/base/load_context.h"

namespace dragoman::engine {
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

// Rounds every intermediate result to float32, because transformers does. At position 1,000, the
// rounding of a frequency changes the fourth digit of the sine.
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

// A part of a weight. It comes from one tensor, or from several tensors that must have the same
// numbers.
struct Part {
  std::vector<std::string_view> names;  // the tensors' names
  std::vector<TensorView> views;        // empty: the part is `fill`
  int64_t skipped = 0;                  // the number of rows of the tensors that precede the views
  int64_t rows = 0;                     // the number of rows of the part
  int64_t unit = 0;                     // the number of elements of a row
  float fill = 0.0F;
  float scale = 1.0F;
};

// A weight made of parts, whose rows follow each other.
struct Pieces {
  std::vector<Part> parts;
  // Unless this is kRefuse, the weight is a computed position table and has no parts.
  IfAbsent computed = IfAbsent::kRefuse;
  std::vector<int> columns;  // as in WeightSource
};

// Reports whether `a` and `b` are views of the same bytes with the same shape.
bool AreSame(const TensorView& a, const TensorView& b) {
  return a.data.data() == b.data.data() && a.dtype == b.dtype && a.shape == b.shape &&
         a.strides == b.strides && a.scales.data() == b.scales.data();
}

// After bytes of a mapped file have been read, their memory is released in blocks of this size.
constexpr uintptr_t kDropBytes = uintptr_t{2} << 20;

class FileWeights final : public Weights {
 public:
  FileWeights(const ModelFolder& folder, Checkpoint checkpoint, const Program& program)
      : directory_(folder.path()),
        load_(folder.load()),
        checkpoint_(std::move(checkpoint)),
        shapes_(program.weights) {}

  const Checkpoint& checkpoint() const { return checkpoint_; }
  // Adds the next weight, in the order of WeightId. REQUIRES: nothing has been read yet.
  void Add(Pieces pieces) { pieces_.push_back(std::move(pieces)); }

  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override {
    if (absl::Status status = CheckGoesOn(load_); !status.ok()) return status;
    const Weight& shape = shapes_[static_cast<size_t>(id)];
    const std::span<float> out(to, static_cast<size_t>(count * shape.cols));
    absl::Status status = ReadElements(id, first * shape.cols, out);
    return status.ok() ? status : InDirectory(directory_, status);
  }

  bool AreInt8(WeightId id, int64_t first, int64_t count) const override {
    const Pieces& pieces = pieces_[static_cast<size_t>(id)];
    const int64_t cols = shapes_[static_cast<size_t>(id)].cols;
    bool any = false;
    const absl::Status status = ForParts(
        pieces, first * cols, count * cols, [&](const Part& part, int64_t, int64_t, int64_t) {
          const bool is_int8 = part.views.size() == 1 && part.views[0].dtype == DType::kI8;
          const bool is_zero = part.views.empty() && part.fill == 0.0F;
          any = any || is_int8;
          return part.unit == cols && (is_int8 || is_zero) ? absl::OkStatus()
                                                           : absl::InternalError("of another kind");
        });
    return any && status.ok() && pieces.columns.empty();
  }

  absl::Status ReadInt8(WeightId id, int64_t first, int64_t count, int8_t* to,
                        float* scales) const override {
    if (absl::Status status = CheckGoesOn(load_); !status.ok()) return status;
    const int64_t cols = shapes_[static_cast<size_t>(id)].cols;
    absl::Status status = ForParts(pieces_[static_cast<size_t>(id)], first * cols, count * cols,
                                   [&](const Part& part, int64_t row, int64_t rows, int64_t at) {
                                     return CopyInt8(part, row, rows, to + at, scales + at / cols);
                                   });
    return status.ok() ? status : InDirectory(directory_, status);
  }

  void Release(WeightId id) const override {
    for (const Part& part : pieces_[static_cast<size_t>(id)].parts) {
      for (const TensorView& view : part.views) checkpoint_.files[view.file].Drop(BytesOf(view));
    }
  }

  absl::Status Check() const override {
    for (const MappedFile& file : checkpoint_.files) {
      if (absl::Status status = file.Check(); !status.ok()) return InDirectory(directory_, status);
    }
    return absl::OkStatus();
  }

 private:
  // Calls use(part, row, rows, at) for each part that contains elements of the range [begin, begin
  // + count) of the weight. These elements are `rows` rows of the part, from row `row` on. `at` is
  // the index of the first of these elements, counted from `begin`.
  template <class Use>
  static absl::Status ForParts(const Pieces& pieces, int64_t begin, int64_t count, Use use) {
    int64_t start = 0;  // the index in the weight of the part's first element
    for (const Part& part : pieces.parts) {
      const int64_t end = start + part.rows * part.unit;
      const int64_t from = std::max(start, begin);
      const int64_t to = std::min(end, begin + count);
      if (from < to) {
        absl::Status status =
            use(part, (from - start) / part.unit, (to - from) / part.unit, from - begin);
        if (!status.ok()) return status;
      }
      start = end;
    }
    return absl::OkStatus();
  }

  absl::Status Wrong(const Part& part, size_t which, std::string_view what) const {
    return absl::InvalidArgumentError(Concat(checkpoint_.names[part.views[which].file],
                                             ": tensor '", part.names[which], "' ", what));
  }

  absl::Status ReadElements(WeightId id, int64_t begin, std::span<float> out) const {
    const Pieces& pieces = pieces_[static_cast<size_t>(id)];
    const Weight& shape = shapes_[static_cast<size_t>(id)];
    if (pieces.computed != IfAbsent::kRefuse) {
      std::vector<float> whole(static_cast<size_t>(shape.elements()));
      FillPositions(pieces.computed, shape, &whole);
      std::copy_n(whole.begin() + begin, out.size(), out.begin());
      return absl::OkStatus();
    }
    if (!pieces.columns.empty()) return ReadTransposed(pieces, shape, begin, out);
    return ForParts(pieces, begin, static_cast<int64_t>(out.size()),
                    [&](const Part& part, int64_t row, int64_t rows, int64_t at) {
                      return CopyPart(part, row, rows,
                                      out.subspan(static_cast<size_t>(at),
                                                  static_cast<size_t>(rows * part.unit)));
                    });
  }

  absl::Status CopyPart(const Part& part, int64_t row, int64_t rows, std::span<float> out) const {
    if (part.views.empty()) {
      std::fill(out.begin(), out.end(), part.fill);
      return absl::OkStatus();
    }
    if (absl::Status status = CopyTensor(part, 0, row, rows, out); !status.ok()) return status;
    for (size_t i = 1; i < part.views.size(); ++i) {
      std::vector<float> other(out.size());
      if (absl::Status status = CopyTensor(part, i, row, rows, other); !status.ok()) return status;
      if (!std::equal(other.begin(), other.end(), out.begin())) {
        return Wrong(part, i,
                     Concat("differs from '", part.names[0],
                            "', though the configuration says they are one matrix"));
      }
    }
    if (part.scale != 1.0F) {
      for (float& value : out) value *= part.scale;
    }
    return absl::OkStatus();
  }

  absl::Status CopyTensor(const Part& part, size_t which, int64_t row, int64_t rows,
                          std::span<float> out) const {
    const TensorView view = RowsOf(part.views[which], row, rows);
    const std::optional<size_t> bad = CopyAsF32(view, out);
    if (bad) {
      // PlaceString needs a shape that contains the place, and `view` may have fewer rows.
      std::vector<int64_t> shape = view.shape;
      shape[0] += part.skipped + row;
      const auto at = static_cast<size_t>((part.skipped + row) * part.unit) + *bad;
      return Wrong(
          part, which,
          Concat("holds ", out[*bad], " at ", PlaceString(shape, at), ", expected finite numbers"));
    }
    DropRead(view);
    return absl::OkStatus();
  }

  absl::Status CopyInt8(const Part& part, int64_t row, int64_t rows, int8_t* to,
                        float* scales) const {
    const int64_t elements = rows * part.unit;
    if (part.views.empty()) {
      std::fill_n(to, elements, int8_t{0});
      std::fill_n(scales, rows, 0.0F);
      return absl::OkStatus();
    }
    const TensorView view = RowsOf(part.views[0], row, rows);
    std::memcpy(to, view.data.data(), static_cast<size_t>(elements));
    for (int64_t r = 0; r < rows; ++r) {
      const size_t at = view.scales.size() > sizeof(float) ? static_cast<size_t>(r) : 0;
      float divisor = 0;
      std::memcpy(&divisor, view.scales.data() + at * sizeof(float), sizeof(float));
      scales[r] = part.scale / divisor;
      if (std::isfinite(divisor) && std::isfinite(scales[r] * 128)) continue;
      // A wrong scale makes numbers that are not finite, so CopyTensor reports it.
      std::vector<float> numbers(static_cast<size_t>(elements));
      absl::Status status = CopyTensor(part, 0, row, rows, numbers);
      return status.ok() ? Wrong(part, 0,
                                 Concat("has a scale of ", divisor,
                                        ", expected one that makes finite numbers"))
                         : status;
    }
    DropRead(view);
    return absl::OkStatus();
  }

  // Reads elements of a transposed weight (WeightSource::columns). Column i of the weight is row
  // columns[i] of the tensor.
  absl::Status ReadTransposed(const Pieces& pieces, const Weight& shape, int64_t begin,
                              std::span<float> out) const {
    const Part& part = pieces.parts.front();
    std::vector<float> whole(static_cast<size_t>(part.rows * part.unit));
    absl::Status status = CopyPart(part, 0, part.rows, whole);
    const auto rows = static_cast<size_t>(shape.rows);
    const auto cols = static_cast<size_t>(shape.cols);
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t element = static_cast<size_t>(begin) + i;
      out[i] = whole[static_cast<size_t>(pieces.columns[element % cols]) * rows + element / cols];
    }
    return status;
  }

  // Releases the memory of each block of kDropBytes that ends inside this part of a dense tensor.
  // Tensors are read from the beginning to the end, so these blocks have been read completely.
  void DropRead(const TensorView& view) const {
    const std::span<const uint8_t> bytes = BytesOf(view);
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    const uintptr_t end = (begin + bytes.size()) / kDropBytes * kDropBytes;
    const uintptr_t first = begin / kDropBytes * kDropBytes;
    if (end <= first || view.strides != DenseStrides(view.shape)) return;
    const MappedFile& file = checkpoint_.files[view.file];
    const auto file_begin = reinterpret_cast<uintptr_t>(file.bytes().data());
    const uintptr_t from = std::max(first, file_begin);
    file.Drop(file.bytes().subspan(from - file_begin, end - from));
  }

  const std::string directory_;
  const LoadContext* const load_;
  const Checkpoint checkpoint_;
  const std::vector<Weight> shapes_;
  std::vector<Pieces> pieces_;  // by WeightId
};

class Finder {
 public:
  Finder(const Checkpoint& checkpoint, const Network& network)
      : checkpoint_(checkpoint), network_(network) {}

  // Checks Checkpoint::elements_per_byte. Without this limit, many tensors that share a storage
  // could require far more memory than the file's size. The default of 1 element for each byte is
  // enough: an element has at least two bytes, and few tensors share a storage.
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

  absl::StatusOr<Pieces> Find(size_t index) {
    const WeightSource& source = network_.sources[index];
    Pieces pieces;
    pieces.columns = source.columns;
    const bool is_absent = source.if_absent != IfAbsent::kRefuse && !IsThere(source.parts.front());
    if (is_absent && source.if_absent != IfAbsent::kZeros) {
      pieces.computed = source.if_absent;
      return pieces;
    }
    for (const TensorSource& from : source.parts) {
      Part part;
      part.skipped = from.first_row;
      part.rows = from.shape.front() - from.first_row;
      part.unit = 1;
      for (size_t d = 1; d < from.shape.size(); ++d) part.unit *= from.shape[d];
      part.fill = from.fill;
      part.scale = from.scale;
      if (is_absent && &from == &source.parts.front()) {
        part.fill = 0.0F;
      } else if (!from.names.empty()) {
        if (absl::Status status = FindTensors(from, &part); !status.ok()) return status;
      }
      pieces.parts.push_back(std::move(part));
    }
    return pieces;
  }

  // Returns the tensors that no weight uses. transformers warns about such tensors too.
  std::vector<std::string> Unused() const {
    std::vector<std::string> unused = checkpoint_.unlisted;
    for (const auto& [name, view] : checkpoint_.tensors) {
      if (!used_.contains(name)) unused.push_back(name);
    }
    return unused;
  }
  const std::vector<std::string>& replaced() const { return replaced_; }

 private:
  // Returns the name of the file that has the tensor, or of the first file if none has it.
  const std::string& FileOf(std::string_view tensor) const {
    const auto found = checkpoint_.tensors.find(tensor);
    return checkpoint_.names[found == checkpoint_.tensors.end() ? 0 : found->second.file];
  }

  absl::Status Wrong(std::string_view tensor, std::string_view what) const {
    return absl::InvalidArgumentError(Concat(FileOf(tensor), ": tensor '", tensor, "' ", what));
  }

  absl::Status Check(std::string_view name, const TensorView& view,
                     const std::vector<int64_t>& shape) const {
    if (HoldsNumbers(view) && view.shape == shape) return absl::OkStatus();
    const bool is_quantized = view.dtype == DType::kI8 || view.dtype == DType::kI16;
    return Wrong(name, Concat("is ", DTypeName(view.dtype), " ", ShapeString(view.shape),
                              is_quantized && view.scales.empty() ? " without scales" : "",
                              ", expected F64, F32, F16 or BF16 ", ShapeString(shape)));
  }

  bool HasOneOf(const std::vector<std::string>& names) const {
    return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
      return checkpoint_.tensors.contains(name);
    });
  }
  bool IsThere(const TensorSource& source) const {
    return HasOneOf(source.names) || HasOneOf(source.spare_names);
  }

  // Records the spare tensors of `source`, except those that are the tensor `used` under another
  // name.
  void ReplaceSpare(const TensorSource& source, const TensorView& used) {
    for (const std::string& name : source.spare_names) {
      const auto found = checkpoint_.tensors.find(name);
      if (found == checkpoint_.tensors.end()) continue;
      used_.insert(found->first);
      if (!AreSame(used, found->second)) replaced_.push_back(name);
    }
  }

  absl::Status FindTensors(const TensorSource& source, Part* part) {
    const bool is_spare = !HasOneOf(source.names);
    for (const std::string& name : is_spare ? source.spare_names : source.names) {
      const auto found = checkpoint_.tensors.find(name);
      if (found == checkpoint_.tensors.end()) continue;
      used_.insert(found->first);
      const TensorView& view = found->second;
      if (absl::Status status = Check(name, view, source.shape); !status.ok()) return status;
      const TensorView rows = RowsOf(view, source.first_row, part->rows);
      if (std::any_of(part->views.begin(), part->views.end(),
                      [&](const TensorView& other) { return AreSame(other, rows); })) {
        continue;
      }
      part->names.push_back(found->first);
      part->views.push_back(rows);
    }
    if (!part->views.empty()) {
      if (!is_spare) ReplaceSpare(source, checkpoint_.tensors.find(part->names[0])->second);
      return absl::OkStatus();
    }
    std::string listed;
    for (const auto* names : {&source.names, &source.spare_names}) {
      for (const std::string& name : *names) listed += Concat(listed.empty() ? "" : "' or '", name);
    }
    return Wrong(listed, Concat("is missing, expected shape ", ShapeString(source.shape)));
  }

  const Checkpoint& checkpoint_;
  const Network& network_;
  std::set<std::string_view> used_;
  std::vector<std::string> replaced_;
};

// Reports whether two tensors have the same type, shape and bytes.
bool HoldSame(const TensorView& a, const TensorView& b) {
  if (AreSame(a, b)) return true;
  const std::vector<int64_t> dense = DenseStrides(a.shape);
  if (a.dtype != b.dtype || a.shape != b.shape || a.strides != dense || b.strides != dense) {
    return false;
  }
  const std::span<const uint8_t> left = BytesOf(a);
  const std::span<const uint8_t> right = BytesOf(b);
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace

bool HasOtherSpare(const Checkpoint& checkpoint, const Network& network) {
  const auto first_of = [&](const std::vector<std::string>& names) {
    const auto there = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return checkpoint.tensors.contains(name);
    });
    return there == names.end() ? nullptr : &checkpoint.tensors.find(*there)->second;
  };
  for (const WeightSource& source : network.sources) {
    for (const TensorSource& part : source.parts) {
      const TensorView* own = first_of(part.names);
      const TensorView* spare = first_of(part.spare_names);
      if (own != nullptr && spare != nullptr && !HoldSame(*own, *spare)) return true;
    }
  }
  return false;
}

absl::StatusOr<OpenedWeights> OpenWeights(const ModelFolder& folder, Checkpoint checkpoint,
                                          const Network& network) {
  // `weights` owns the checkpoint, because the results of the finder are views of names in the
  // checkpoint.
  const auto weights =
      std::make_shared<FileWeights>(folder, std::move(checkpoint), network.program);
  Finder finder(weights->checkpoint(), network);
  if (absl::Status status = finder.CheckSharing(); !status.ok()) return status;
  for (size_t i = 0; i < network.sources.size(); ++i) {
    absl::StatusOr<Pieces> pieces = finder.Find(i);
    if (!pieces.ok()) return pieces.status();
    weights->Add(*std::move(pieces));
  }
  return OpenedWeights{weights, finder.Unused(), finder.replaced()};
}

}  // namespace dragoman::engine
