#include "engine/request/model_tokenizer.h"

namespace dragoman::engine {

absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model) {
  const SpecialIds& ids = model.spec.tokens;
  const TokenizerDescription& facts = model.tokenizer;
  SpecialTokens special{.eos = ids.eos,
                        .unk = ids.unk,
                        .pad = ids.pad,
                        .more = facts.special,
                        .source_bos = facts.source_bos};
  special.ends_source = facts.ends_source;
  if (model.own_target_vocabulary.has_value()) {
    special.source_eos = facts.source_eos;
    special.source_unk = facts.source_unk;
    special.source_more = facts.source_special;
  }
  return Tokenizer::Create(facts, &model.source_vocabulary, &model.TargetVocabulary(), special);
}

std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary) {
  if (!tokenizer.MarksWordBegin()) return nullptr;
  auto table = std::make_unique<WordEdgeTable>(vocabulary);
  for (int32_t token = 0; token < vocabulary; ++token) {
    const TokenEdges edges = tokenizer.EdgesOf(token);
    if (edges.begins_in_word) table->MarkContinues(token);
    if (edges.ends_in_word) table->MarkOpen(token);
  }
  return table;
}

}  // namespace dragoman::engine
