#include "engine/model/name_map.h"

namespace dragoman {
namespace {

using Encoder = EncoderLayerWeights;
using Decoder = DecoderLayerWeights;

constexpr LinearRule<Encoder> kEncoderLinears[] = {
    {"self_attn.q_proj", [](Encoder& l) -> LinearWeights& { return l.self.query; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.k_proj", [](Encoder& l) -> LinearWeights& { return l.self.key; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.v_proj", [](Encoder& l) -> LinearWeights& { return l.self.value; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.out_proj", [](Encoder& l) -> LinearWeights& { return l.self.output; }, Dim::kModel,
     Dim::kModel},
    {"fc1", [](Encoder& l) -> LinearWeights& { return l.ffn_up; }, Dim::kEncoderFfn, Dim::kModel},
    {"fc2", [](Encoder& l) -> LinearWeights& { return l.ffn_down; }, Dim::kModel, Dim::kEncoderFfn},
};

constexpr NormRule<Encoder> kEncoderNorms[] = {
    {"self_attn_layer_norm", [](Encoder& l) -> NormWeights& { return l.self_norm; }},
    {"final_layer_norm", [](Encoder& l) -> NormWeights& { return l.ffn_norm; }},
};

constexpr LinearRule<Decoder> kDecoderLinears[] = {
    {"self_attn.q_proj", [](Decoder& l) -> LinearWeights& { return l.self.query; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.k_proj", [](Decoder& l) -> LinearWeights& { return l.self.key; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.v_proj", [](Decoder& l) -> LinearWeights& { return l.self.value; }, Dim::kModel,
     Dim::kModel},
    {"self_attn.out_proj", [](Decoder& l) -> LinearWeights& { return l.self.output; }, Dim::kModel,
     Dim::kModel},
    {"encoder_attn.q_proj", [](Decoder& l) -> LinearWeights& { return l.cross.query; }, Dim::kModel,
     Dim::kModel},
    {"encoder_attn.k_proj", [](Decoder& l) -> LinearWeights& { return l.cross.key; }, Dim::kModel,
     Dim::kModel},
    {"encoder_attn.v_proj", [](Decoder& l) -> LinearWeights& { return l.cross.value; }, Dim::kModel,
     Dim::kModel},
    {"encoder_attn.out_proj", [](Decoder& l) -> LinearWeights& { return l.cross.output; },
     Dim::kModel, Dim::kModel},
    {"fc1", [](Decoder& l) -> LinearWeights& { return l.ffn_up; }, Dim::kDecoderFfn, Dim::kModel},
    {"fc2", [](Decoder& l) -> LinearWeights& { return l.ffn_down; }, Dim::kModel, Dim::kDecoderFfn},
};

constexpr NormRule<Decoder> kDecoderNorms[] = {
    {"self_attn_layer_norm", [](Decoder& l) -> NormWeights& { return l.self_norm; }},
    {"encoder_attn_layer_norm", [](Decoder& l) -> NormWeights& { return l.cross_norm; }},
    {"final_layer_norm", [](Decoder& l) -> NormWeights& { return l.ffn_norm; }},
};

constexpr NameMap kMarian = {
    .encoder = {"model.encoder.layers.", kEncoderLinears, kEncoderNorms},
    .decoder = {"model.decoder.layers.", kDecoderLinears, kDecoderNorms},
    .shared_embedding = "model.shared.weight",
    .source_embedding = "model.encoder.embed_tokens.weight",
    .target_embedding = "model.decoder.embed_tokens.weight",
    .output = "lm_head.weight",
    .output_bias = "final_logits_bias",
    .encoder_positions = "model.encoder.embed_positions.weight",
    .decoder_positions = "model.decoder.embed_positions.weight",
};

}  // namespace

const NameMap& MarianNameMap() { return kMarian; }

}  // namespace dragoman
