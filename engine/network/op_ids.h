// Visits the ids of an operation: its buffers, weights and decoder layers. Everything that must
// know all ids of every operation is made of this one list. Private to engine/network.
#pragma once

#include <type_traits>

#include "engine/network/program.h"

namespace dragoman::engine {

// Calls to.Weight, to.Reads, to.Writes or to.Layer with a reference to each id of `op`, which may
// be const. Weights come in the order of the operation's members and may be kNoWeight. Leaves out
// buffers that the operation does not have. Names every member of each operation, so that a member
// that is added later does not compile until it is handled here.
template <class What, class Visitor>
void VisitIds(What& op, Visitor& to) {
  using Kind = std::remove_const_t<What>;
  if constexpr (std::is_same_v<Kind, EmbedOp>) {
    auto& [table, positions, scale, y, unplaced] = op;
    to.Weight(table);
    to.Weight(positions);
    to.Writes(y);
  } else if constexpr (std::is_same_v<Kind, ProductOp>) {
    auto& [x, y, weight, bias, first_row, rows, activation] = op;
    to.Weight(weight);
    to.Weight(bias);
    to.Reads(x);
    to.Writes(y);
  } else if constexpr (std::is_same_v<Kind, GateOp>) {
    auto& [x, y, width, activation] = op;
    to.Reads(x);
    to.Writes(y);
  } else if constexpr (std::is_same_v<Kind, AddNormOp>) {
    auto& [x, residual, y, sum, gain, bias, epsilon, kind] = op;
    to.Weight(gain);
    to.Weight(bias);
    to.Reads(x);
    if (residual != kNoBuffer) to.Reads(residual);
    to.Writes(y);
    if (sum != kNoBuffer) to.Writes(sum);
  } else if constexpr (std::is_same_v<Kind, EncoderAttentionOp>) {
    auto& [qkv, context, heads, head_dim, bias] = op;
    to.Weight(bias);
    to.Reads(qkv);
    to.Writes(context);
  } else if constexpr (std::is_same_v<Kind, WriteCrossKvOp>) {
    auto& [kv, first_layer, layers] = op;
    to.Reads(kv);
    to.Layer(first_layer);
  } else if constexpr (std::is_same_v<Kind, SelfAttentionOp>) {
    auto& [qkv, context, layer, bias] = op;
    to.Weight(bias);
    to.Reads(qkv);
    to.Writes(context);
    to.Layer(layer);
  } else if constexpr (std::is_same_v<Kind, RecurrenceOp>) {
    auto& [gate_x, y, layer] = op;
    to.Reads(gate_x);
    to.Writes(y);
    to.Layer(layer);
  } else if constexpr (std::is_same_v<Kind, AlignOp>) {
    auto& [q, layer] = op;
    to.Reads(q);
    to.Layer(layer);
  } else if constexpr (std::is_same_v<Kind, CrossAttentionOp>) {
    auto& [q, context, layer] = op;
    to.Reads(q);
    to.Writes(context);
    to.Layer(layer);
  } else if constexpr (std::is_same_v<Kind, OutputOp>) {
    auto& [x, table, bias] = op;
    to.Weight(table);
    to.Weight(bias);
    to.Reads(x);
  } else {
    static_assert(std::is_same_v<Kind, EnsembleOutputOp>);
    auto& [members, weights, mean] = op;
    for (auto& member : members) VisitIds(member, to);
  }
}

}  // namespace dragoman::engine
