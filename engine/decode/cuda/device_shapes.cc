#include "engine/decode/cuda/device_shapes.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// Rows must begin at multiples of 16 bytes, which a thread loads at once: 8 numbers of a 16-bit
// type. For float32, 4 numbers would suffice, but every compute type must support the same models.
constexpr int kElements = 8;
// The largest head_dim of the attention kernels (kHeadClass in warp_attention.cuh).
constexpr int kMaxHeadDim = 128;
constexpr int kMaxWidth = 4096;  // kMaxNormWidth of row_norm.cuh; every row goes through a norm

// Returns a text about the first shape of an operation that is not supported; "" if all are.
class ShapeChecker {
 public:
  explicit ShapeChecker(const Program& program) : program_(program) {}

  std::string operator()(const EmbedOp& op) const { return Width(Cols(op.table)); }
  std::string operator()(const ProductOp& op) const {
    std::string why = Multiple(Cols(op.weight));
    return why.empty() ? Multiple(op.rows) : why;
  }
  std::string operator()(const GateOp& op) const { return Multiple(op.width); }
  std::string operator()(const AddNormOp& op) const { return Width(Cols(op.gain)); }
  std::string operator()(const EncoderAttentionOp& op) const { return HeadDim(op.head_dim); }
  std::string operator()(const WriteCrossKvOp& op) const { return HeadDimOf(op.first_layer); }
  std::string operator()(const SelfAttentionOp& op) const { return HeadDimOf(op.layer); }
  std::string operator()(const RecurrenceOp&) const { return Width(program_.kv.width()); }
  std::string operator()(const AlignOp& op) const { return HeadDimOf(op.layer); }
  std::string operator()(const CrossAttentionOp& op) const { return HeadDimOf(op.layer); }
  std::string operator()(const OutputOp& op) const { return Width(Cols(op.table)); }
  std::string operator()(const EnsembleOutputOp& op) const {
    std::string why;
    for (const OutputOp& member : op.members) {
      if (why.empty()) why = (*this)(member);
    }
    return why;
  }

 private:
  int64_t Cols(WeightId id) const { return program_.weight(id).cols; }
  std::string HeadDimOf(int layer) const { return HeadDim(program_.KvOf(layer).head_dim); }
  static std::string Multiple(int64_t width) {
    if (width % kElements == 0) return "";
    return absl::StrCat("is ", width, " wide, expected a multiple of ", kElements);
  }
  static std::string Width(int64_t width) {
    if (width % kElements == 0 && width <= kMaxWidth) return "";
    return absl::StrCat("is ", width, " wide, expected a multiple of ", kElements, " up to ",
                        kMaxWidth);
  }
  static std::string HeadDim(int dimensions) {
    if (dimensions % kElements == 0 && dimensions <= kMaxHeadDim) return "";
    return absl::StrCat("has heads of ", dimensions, " dimensions, expected a multiple of ",
                        kElements, " up to ", kMaxHeadDim);
  }

  const Program& program_;
};

}  // namespace

absl::Status CheckDeviceShapes(const Program& program) {
  for (const auto& [name, stage] :
       {std::pair{"encoder", &program.encoder}, std::pair{"decoder", &program.decoder}}) {
    for (const Op& op : stage->ops) {
      const std::string why = std::visit(ShapeChecker(program), op.what);
      if (why.empty()) continue;
      return absl::UnimplementedError(
          absl::StrCat("a GPU does not take this model: its ", name, "'s '", op.name, "' ", why));
    }
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
