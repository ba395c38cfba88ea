#include "engine/decode/transformer_weights.h"

#include <initializer_list>

namespace dragoman {
namespace {

std::unique_ptr<Linear> Pack(const LinearWeights& w, Activation activation = Activation::kNone) {
  return Linear::Create(w.weight.data.data(), w.bias.data(), w.weight.cols, w.weight.rows,
                        activation);
}

// Matrices with the same input, one below the other.
std::unique_ptr<Linear> PackTogether(std::initializer_list<const LinearWeights*> parts) {
  LinearWeights all;
  for (const LinearWeights* part : parts) {
    all.weight.rows += part->weight.rows;
    all.weight.cols = part->weight.cols;
    all.weight.data.insert(all.weight.data.end(), part->weight.data.begin(),
                           part->weight.data.end());
    all.bias.insert(all.bias.end(), part->bias.begin(), part->bias.end());
  }
  return Pack(all);
}

PackedSelfAttention PackSelf(const AttentionWeights& w, const NormWeights& norm) {
  return {PackTogether({&w.query, &w.key, &w.value}), Pack(w.output), norm};
}

int64_t Bytes(const Linear& linear) {
  return (int64_t{linear.in()} + 1) * linear.out() * static_cast<int64_t>(sizeof(float));
}

int64_t Bytes(const Matrix& matrix) {
  return static_cast<int64_t>(matrix.data.size() * sizeof(float));
}

int64_t Bytes(const PackedSelfAttention& a) { return Bytes(*a.query_key_value) + Bytes(*a.output); }

int64_t Bytes(const PackedFeedForward& f) { return Bytes(*f.up) + Bytes(*f.down); }

}  // namespace

PackedTransformer::PackedTransformer(const ModelSpec& model, const TransformerWeights& weights)
    : spec(model),
      source(weights.source_embedding),
      target(weights.target_embedding),
      encoder_positions(weights.encoder_positions),
      decoder_positions(weights.decoder_positions) {
  for (const EncoderLayerWeights& w : weights.encoder) {
    encoder.push_back({PackSelf(w.self, w.self_norm),
                       {Pack(w.ffn_up, spec.activation), Pack(w.ffn_down), w.ffn_norm}});
    bytes += Bytes(encoder.back().self) + Bytes(encoder.back().ffn);
  }
  for (const DecoderLayerWeights& w : weights.decoder) {
    decoder.push_back({PackSelf(w.self, w.self_norm),
                       {Pack(w.cross.query), PackTogether({&w.cross.key, &w.cross.value}),
                        Pack(w.cross.output), w.cross_norm},
                       {Pack(w.ffn_up, spec.activation), Pack(w.ffn_down), w.ffn_norm}});
    const PackedDecoderLayer& layer = decoder.back();
    bytes += Bytes(layer.self) + Bytes(layer.ffn) + Bytes(*layer.cross.query) +
             Bytes(*layer.cross.key_value) + Bytes(*layer.cross.output);
  }
  const Matrix& projection = weights.OutputMatrix();
  output = OutputLayer::Create(projection.data.data(), weights.output_bias.data(), projection.cols,
                               projection.rows);
  bytes += Bytes(source) + Bytes(target) + Bytes(encoder_positions) + Bytes(decoder_positions) +
           Bytes(projection);
}

}  // namespace dragoman
