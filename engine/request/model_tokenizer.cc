#include "engine/request/model_tokenizer.h"

namespace dragoman {

absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model,
                                                         const PieceTable* source,
                                                         const PieceTable* target) {
  const SpecialIds& ids = model.spec.tokens;
  const TokenizerFacts& facts = model.tokenizer;
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
  return Tokenizer::Create({facts.source_spm, facts.target_spm, facts.source_path,
                            facts.target_path, facts.model, facts.added, facts.rules},
                           source, target, special);
}

}  // namespace dragoman
