#include "engine/network/costs.h"

#include <variant>

namespace dragoman {
namespace {

class Coster {
 public:
  Coster(const Program& program, const OpRows& rows)
      : program_(program), r_(rows), width_(program.kv.width()) {}

  OpCost operator()(const EmbedOp& op) const {
    const double elements = r_.rows * Cols(op.table);
    return {elements * (r_.weight_bytes + r_.element_bytes), 2 * elements};
  }

  OpCost operator()(const ProductOp& op) const {
    return Product(Cols(op.weight), static_cast<double>(op.rows));
  }

  OpCost operator()(const GateOp& op) const {
    const double elements = r_.rows * static_cast<double>(op.width);
    return {3 * elements * r_.element_bytes, 20 * elements};
  }

  // Reads the sublayer and the residual and writes one row, and the sum if it is wanted.
  OpCost operator()(const AddNormOp& op) const {
    const double elements = r_.rows * Cols(op.gain);
    const int rows = 2 + (op.residual != kNoBuffer ? 1 : 0) + (op.sum != kNoBuffer ? 1 : 0);
    return {rows * elements * r_.element_bytes, (op.kind == NormKind::kRms ? 5 : 8) * elements};
  }

  // q, k, v of every token in, the context out: K/V of a segment stay in cache between its queries.
  OpCost operator()(const EncoderAttentionOp& op) const {
    const double width = static_cast<double>(op.heads) * op.head_dim;
    return {r_.rows * width * r_.element_bytes * (3 + 1),
            r_.rows * width * 4 * r_.source_positions};
  }

  OpCost operator()(const WriteCrossKvOp& op) const {
    return {r_.rows * 2 * width_ * op.layers * (r_.element_bytes + r_.kv_bytes), 0};
  }

  // q, k, v in, k and v appended, the K/V of all positions, the context out. What the rows of a
  // slot share is counted for each of them.
  OpCost operator()(const SelfAttentionOp&) const {
    return {
        r_.rows * width_ * (r_.element_bytes * (3 + 1) + r_.kv_bytes * (2 + 2 * r_.self_positions)),
        r_.rows * width_ * 4 * r_.self_positions};
  }

  // gate, x and the state before in, the state and y out; states are float32.
  OpCost operator()(const RecurrenceOp&) const {
    constexpr double kStateBytes = 4;
    const double elements = r_.rows * width_;
    return {elements * (r_.element_bytes * (2 + 1) + kStateBytes * 2), elements * 8};
  }

  OpCost operator()(const AlignOp&) const { return {}; }

  // The K/V of a source once for all rows of its slot.
  OpCost operator()(const CrossAttentionOp&) const {
    return {width_ * (r_.element_bytes * 2 * r_.rows +
                      r_.kv_bytes * 2 * r_.segments * r_.source_positions),
            r_.rows * width_ * 4 * r_.source_positions};
  }

  OpCost operator()(const OutputOp& op) const {
    const auto vocabulary = static_cast<double>(program_.weight(op.table).rows);
    return {Cols(op.table) * (r_.weight_bytes * vocabulary + r_.element_bytes * r_.rows),
            2 * r_.rows * Cols(op.table) * vocabulary};
  }

 private:
  double Cols(WeightId id) const { return static_cast<double>(program_.weight(id).cols); }

  // Weights once, operands once.
  OpCost Product(double in, double out) const {
    return {r_.weight_bytes * in * out + r_.element_bytes * r_.rows * (in + out),
            2 * r_.rows * in * out};
  }

  const Program& program_;
  const OpRows& r_;
  const double width_;
};

}  // namespace

OpCost CostOf(const Op& op, const Program& program, const OpRows& rows) {
  return std::visit(Coster(program, rows), op.what);
}

}  // namespace dragoman
