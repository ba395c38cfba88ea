#include "engine/model/families/transformer_network.h"

#include <cmath>

#include "engine/base/concat.h"
#include "engine/model/families/family.h"

namespace dragoman::engine {
namespace {

kernels::Activation ReadActivation(JsonFields* fields, std::string_view absent) {
  const auto activation = FindActivation(fields->String("activation_function", absent));
  if (!activation) fields->Unsupported("activation_function", ActivationNames());
  return activation.value_or(kernels::Activation::kNone);
}

void ReadShape(const VocabularyFields& names, JsonFields* fields, ModelSpec* spec) {
  const auto read = [fields](std::string_view name, int64_t max) {
    return static_cast<int>(fields->Int(name, 1, max));
  };
  ModelShape& shape = spec->shape;
  shape.d_model = read("d_model", kMaxDim);
  shape.encoder_layers = read("encoder_layers", kMaxLayers);
  shape.decoder_layers = read("decoder_layers", kMaxLayers);
  shape.encoder_heads = read("encoder_attention_heads", kMaxHeads);
  shape.decoder_heads = read("decoder_attention_heads", kMaxHeads);
  shape.encoder_ffn = read("encoder_ffn_dim", kMaxFfn);
  shape.decoder_ffn = read("decoder_ffn_dim", kMaxFfn);
  shape.source_vocab = read(names.source, kMaxVocabulary);
  shape.target_vocab = static_cast<int>(
      fields->OptionalInt(names.target, 1, kMaxVocabulary).value_or(shape.source_vocab));
  shape.max_positions = read("max_position_embeddings", kMaxPositions);
  if (!fields->status().ok()) return;
  if (shape.max_positions < 2) {
    fields->Fail("max_position_embeddings", "at least 2: a token and the end of sentence");
  }
  if (shape.d_model % 2 != 0) fields->Fail("d_model", "an even number");
  if (shape.d_model % shape.encoder_heads != 0) {
    fields->Fail("encoder_attention_heads", Concat("a divisor of d_model ", shape.d_model));
  }
  if (shape.d_model % shape.decoder_heads != 0) {
    fields->Fail("decoder_attention_heads", Concat("a divisor of d_model ", shape.d_model));
  }
}

}  // namespace

void ReadBartNetwork(const Family& family, const VocabularyFields& names, JsonFields* fields,
                     ModelSpec* spec) {
  ReadShape(names, fields, spec);
  spec->activation = ReadActivation(fields, family.defaults.activation);
  spec->embedding_scale = fields->Bool("scale_embedding", family.defaults.scale_embedding)
                              ? std::sqrt(static_cast<float>(spec->shape.d_model))
                              : 1.0F;
}

void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec) {
  ReadBartNetwork(family, {"vocab_size", "decoder_vocab_size"}, fields, spec);
  spec->share_embeddings = fields->Bool("share_encoder_decoder_embeddings", true);
  spec->tie_output = fields->Bool("tie_word_embeddings", family.defaults.tie_output);
  spec->stored_output_wins = IsByTransformers5(*fields);
  if (spec->share_embeddings && spec->shape.target_vocab != spec->shape.source_vocab) {
    fields->Fail("decoder_vocab_size", Concat("vocab_size ", spec->shape.source_vocab,
                                              ", as share_encoder_decoder_embeddings is true"));
  }
}

}  // namespace dragoman::engine
