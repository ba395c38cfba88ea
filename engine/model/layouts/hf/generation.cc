#include "engine/model/layouts/hf/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "kernels/search/options.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();

// The default max_length of transformers. If a file has this value, transformers treats it as the
// default, and then does not count the start token (GenerationMixin._prepare_generated_length).
constexpr int64_t kDefaultMaxLength = 20;

// The fields of generation_config.json (or config.json instead) that have only one supported value,
// and this value. temperature, top_k and top_p are not in the list, because they have an effect
// only with do_sample. output_* and use_cache are not, because they never change tokens.
constexpr std::array<NeutralField, 20> kNeutralGeneration = {{
    {"do_sample", Neutral::kFalse},
    {"num_beam_groups", Neutral::kOne},
    {"diversity_penalty", Neutral::kZero},
    {"remove_invalid_values", Neutral::kFalse},
    {"exponential_decay_length_penalty", Neutral::kAbsent},
    {"sequence_bias", Neutral::kEmpty},
    {"token_healing", Neutral::kFalse},
    {"guidance_scale", Neutral::kOne},
    {"watermarking_config", Neutral::kAbsent},
    {"constraints", Neutral::kEmpty},
    {"force_words_ids", Neutral::kEmpty},
    {"penalty_alpha", Neutral::kZero},
    {"dola_layers", Neutral::kAbsent},
    {"stop_strings", Neutral::kEmpty},
    {"max_time", Neutral::kAbsent},
    {"prompt_lookup_num_tokens", Neutral::kAbsent},
    {"assistant_early_exit", Neutral::kAbsent},
    {"prefix_allowed_tokens_fn", Neutral::kAbsent},
    {"forced_decoder_ids", Neutral::kAbsent},
    {"use_mtp", Neutral::kFalse},
}};

// The fields of the search that transformers 4 also reads from config.json, and their defaults. A
// configuration class may have other defaults (PretrainedConfig._get_global_generation_defaults).
struct LegacyField {
  std::string_view name;
  std::string_view json_default;
};
constexpr std::array<LegacyField, 25> kLegacyGeneration = {{
    {"max_length", "20"},
    {"min_length", "0"},
    {"do_sample", "false"},
    {"early_stopping", "false"},
    {"num_beams", "1"},
    {"temperature", "1.0"},
    {"top_k", "50"},
    {"top_p", "1.0"},
    {"typical_p", "1.0"},
    {"repetition_penalty", "1.0"},
    {"length_penalty", "1.0"},
    {"no_repeat_ngram_size", "0"},
    {"encoder_no_repeat_ngram_size", "0"},
    {"bad_words_ids", "null"},
    {"num_return_sequences", "1"},
    {"output_scores", "false"},
    {"return_dict_in_generate", "false"},
    {"forced_bos_token_id", "null"},
    {"forced_eos_token_id", "null"},
    {"remove_invalid_values", "false"},
    {"exponential_decay_length_penalty", "null"},
    {"suppress_tokens", "null"},
    {"begin_suppress_tokens", "null"},
    {"num_beam_groups", "1"},
    {"diversity_penalty", "0.0"},
}};

// Compares two values as Python does: numbers of different types may be equal, and true equals 1.
bool AreEqualInPython(const nlohmann::json& a, const nlohmann::json& b) {
  const auto as_number = [](const nlohmann::json& value) {
    return value.is_boolean() ? nlohmann::json(value.get<bool>() ? 1 : 0) : value;
  };
  return as_number(a) == as_number(b);
}

void ReadEarlyStopping(JsonFields* fields, GenerationDefaults* generation) {
  const nlohmann::json* value = fields->Find("early_stopping");
  if (value == nullptr) return;
  if (value->is_boolean()) {
    generation->early_stopping = value->get<bool>() ? EarlyStopping::kTrue : EarlyStopping::kFalse;
  } else if (*value == "never") {
    generation->early_stopping = EarlyStopping::kNever;
  } else {
    fields->Fail("early_stopping", "true, false or \"never\"");
  }
}

bool IsEnd(const SpecialIds& tokens, int id) {
  return id == tokens.eos ||
         std::find(tokens.more_eos.begin(), tokens.more_eos.end(), id) != tokens.more_eos.end();
}

// Reads suppress_tokens, which bans single tokens. Appends the bans to `words`.
void ReadSuppressed(JsonFields* fields, const ModelSpec& spec,
                    std::vector<std::vector<int>>* words) {
  constexpr std::string_view kName = "suppress_tokens";
  for (const int id :
       ReadTokenIds(fields, kName, spec.shape.target_vocab, kernels::kMaxForbiddenNodes - 1)) {
    if (IsEnd(spec.tokens, id) || spec.generation.forced_bos == id) {
      fields->Unsupported(kName, "tokens that are not forced and do not end a sentence");
      return;
    }
    words->push_back({id});
  }
}

// Reads forced_bos_token_id and begin_suppress_tokens.
void ReadBeginning(JsonFields* fields, ModelSpec* spec) {
  constexpr std::string_view kForced = "forced_bos_token_id";
  GenerationDefaults& generation = spec->generation;
  generation.forced_bos = ReadTokenId(fields, kForced, spec->shape.target_vocab);
  if (generation.forced_bos && IsEnd(spec->tokens, *generation.forced_bos)) {
    fields->Unsupported(kForced, "null or a token that does not end the sentence");
  }
  generation.not_first = ReadTokenIds(fields, "begin_suppress_tokens", spec->shape.target_vocab,
                                      static_cast<size_t>(kernels::kMaxNotFirst));
}

// Sorts the forbidden sequences (bad_words), and checks that they leave at least one token allowed.
void FinishBans(JsonFields* fields, ModelSpec* spec) {
  std::vector<std::vector<int>>& words = spec->generation.bad_words;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  int64_t nodes = 1;
  int banned = 0;
  for (const std::vector<int>& word : words) {
    nodes += static_cast<int64_t>(word.size());
    banned += word.size() == 1 ? 1 : 0;
  }
  const auto ends = static_cast<int>(spec->tokens.more_eos.size()) + 1;
  const char* field = fields->Has("bad_words_ids") ? "bad_words_ids" : "suppress_tokens";
  if (banned + ends >= spec->shape.target_vocab) {
    fields->Fail(field, "a token that may be produced: every one is banned");
  }
  if (nodes > kernels::kMaxForbiddenNodes) {
    fields->Unsupported(field,
                        Concat("at most ", kernels::kMaxForbiddenNodes - 1, " tokens in all"));
  }
}

// Reads bad_words_ids, which bans sequences of tokens, and appends them to `words`. Ignores a ban
// of EOS alone, as transformers does.
void ReadBadWords(JsonFields* fields, const ModelSpec& spec, std::vector<std::vector<int>>* words) {
  constexpr std::string_view kName = "bad_words_ids";
  const nlohmann::json* value = fields->Find(kName);
  if (value == nullptr) return;
  if (!value->is_array()) {
    fields->Fail(kName, "a list of lists of token ids");
    return;
  }
  for (const nlohmann::json& word : *value) {
    if (!word.is_array() || word.empty()) {
      fields->Fail(kName, "a list of lists of token ids");
      return;
    }
    std::vector<int> tokens;
    for (const nlohmann::json& id : word) {
      if (!id.is_number_unsigned() ||
          id.get<uint64_t>() >= static_cast<uint64_t>(spec.shape.target_vocab)) {
        fields->Fail(kName, Concat("token ids from 0 to ", spec.shape.target_vocab - 1));
        return;
      }
      tokens.push_back(static_cast<int>(id.get<uint64_t>()));
    }
    if (tokens.size() == 1 && IsEnd(spec.tokens, tokens.front())) continue;
    if (std::any_of(tokens.begin(), tokens.end(), [&](int id) { return IsEnd(spec.tokens, id); })) {
      fields->Unsupported(kName, "sequences without the end of sentence");
      return;
    }
    words->push_back(std::move(tokens));
  }
}

// Reads max_length and min_length. The fields max_new_tokens and min_new_tokens, which do not count
// the start token, override them. The maximum must leave room for one token that is not forced. If
// no file has a maximum, it is the number of position embeddings, because transformers' default of
// 20 tokens would cut off most sentences.
void ReadLengths(JsonFields* fields, const ModelShape& shape, GenerationDefaults* generation) {
  const int forced = (generation->forced_bos ? 1 : 0) + (generation->forced_eos ? 1 : 0);
  const int least = 2 + forced;  // the start token and one more
  const auto say = [&](const char* name, int minimum) {
    fields->Fail(name, Concat("at least ", minimum, ", for a token",
                              forced > 0 ? " besides those that are forced" : ""));
  };
  int64_t max_length =
      fields->OptionalInt("max_length", 0, kMaxInt).value_or(shape.max_positions + int64_t{1});
  if (const auto added = fields->OptionalInt("max_new_tokens", 0, kMaxInt - 1)) {
    max_length = *added + 1;
    if (max_length < least) say("max_new_tokens", least - 1);
  } else if (max_length < least) {
    say("max_length", least);
  } else if (max_length == kDefaultMaxLength && fields->Has("max_length")) {
    max_length = std::min<int64_t>(kDefaultMaxLength + 1, shape.max_positions);
  }
  int64_t min_length = fields->OptionalInt("min_length", 0, kMaxInt).value_or(0);
  if (const auto added = fields->OptionalInt("min_new_tokens", 0, kMaxInt - 1)) {
    min_length = *added + 1;
  }
  // The limit is the number of positions plus 1, because the last token is not an input of the
  // decoder and needs no position. With a larger limit, transformers fails at the end of the
  // position table.
  max_length = std::min<int64_t>(max_length, shape.max_positions + int64_t{1});
  if (min_length >= max_length) {
    const bool in_new = fields->Has("min_new_tokens");
    fields->Fail(
        in_new ? "min_new_tokens" : "min_length",
        Concat("less than the longest output, ", max_length, " tokens with the start token"));
  }
  generation->max_length = static_cast<int>(max_length);
  generation->min_length = static_cast<int>(min_length);
}

}  // namespace

void ReadEndIds(JsonFields* fields, int vocabulary, SpecialIds* tokens) {
  const std::vector<int> ids =
      ReadTokenIds(fields, "eos_token_id", vocabulary, size_t{kernels::kMaxMoreEos} + 1);
  if (ids.empty()) {
    const nlohmann::json* value = fields->Find("eos_token_id");
    if (value != nullptr && value->is_array() && value->empty()) {
      fields->Fail("eos_token_id", "a token id, or a list of them");
    }
    return;
  }
  tokens->eos = ids.front();
  tokens->more_eos.assign(ids.begin() + 1, ids.end());
}

void ReadGeneration(JsonFields* fields, ModelSpec* spec) {
  RequireNeutral(kNeutralGeneration, fields);
  GenerationDefaults& generation = spec->generation;
  generation.num_beams =
      static_cast<int>(fields->OptionalInt("num_beams", 1, kernels::kMaxBeam).value_or(1));
  generation.length_penalty =
      static_cast<float>(fields->OptionalNumber("length_penalty").value_or(1.0));
  if (!std::isfinite(generation.length_penalty)) fields->Fail("length_penalty", "a finite float");
  generation.renormalize_logits = fields->Bool("renormalize_logits", false);
  generation.no_repeat_ngram =
      static_cast<int>(fields->OptionalInt("no_repeat_ngram_size", 0, kMaxInt).value_or(0));
  for (const auto& [name, penalty] :
       {std::pair("repetition_penalty", &generation.repetition_penalty),
        std::pair("encoder_repetition_penalty", &generation.encoder_repetition_penalty)}) {
    *penalty = static_cast<float>(fields->OptionalNumber(name).value_or(1.0));
    if (!std::isfinite(*penalty) || *penalty <= 0.0F) fields->Fail(name, "a number above 0");
  }
  generation.encoder_no_repeat_ngram =
      static_cast<int>(fields->OptionalInt("encoder_no_repeat_ngram_size", 0, kMaxInt).value_or(0));
  generation.num_return_sequences = static_cast<int>(
      fields->OptionalInt("num_return_sequences", 1, kernels::kMaxBeam).value_or(1));
  ReadEarlyStopping(fields, &generation);

  const int vocabulary = spec->shape.target_vocab;
  ReadEndIds(fields, vocabulary, &spec->tokens);
  spec->tokens.pad = ReadTokenId(fields, "pad_token_id", vocabulary).value_or(spec->tokens.pad);
  spec->tokens.decoder_start = ReadTokenId(fields, "decoder_start_token_id", vocabulary)
                                   .value_or(spec->tokens.decoder_start);
  generation.forced_eos = ReadTokenId(fields, "forced_eos_token_id", vocabulary);
  if (generation.forced_eos && !IsEnd(spec->tokens, *generation.forced_eos)) {
    fields->Unsupported("forced_eos_token_id",
                        Concat("null or the end of sentence ", spec->tokens.eos));
  }
  ReadBeginning(fields, spec);
  ReadLengths(fields, spec->shape, &generation);
  ReadBadWords(fields, *spec, &generation.bad_words);
  ReadSuppressed(fields, *spec, &generation.bad_words);
  if (fields->status().ok()) FinishBans(fields, spec);
}

absl::Status FitGeneration(const ModelTokenizer& read, const TokenizerSettings& tokenizer,
                           ModelSpec* spec) {
  GenerationDefaults& generation = spec->generation;
  const char* field = nullptr;
  if (generation.encoder_no_repeat_ngram != 0) field = "encoder_no_repeat_ngram_size";
  if (generation.encoder_repetition_penalty != 1.0F) field = "encoder_repetition_penalty";
  if (field != nullptr && read.own_target_vocabulary) {
    return absl::UnimplementedError(
        Concat("generation_config.json: field '", field,
               "' is not supported with two vocabularies, whose sources "
               "have other ids than their translations"));
  }
  // The search forces only the tokenizer's EOS.
  const int eos = spec->tokens.eos;
  if (const int forced = generation.forced_eos.value_or(eos); forced != eos) {
    return absl::UnimplementedError(Concat("forced_eos_token_id is ", forced,
                                           ", which is not supported; supported: null or ", eos,
                                           ", the id of '", tokenizer.eos_piece, "'"));
  }
  // The forced first token is the token of one fixed language. In a model with several languages,
  // the token of the request's target language replaces it.
  if (!tokenizer.scheme->languages.empty()) generation.forced_bos.reset();
  return absl::OkStatus();
}

// transformers 4 ignores generation_config.json if two conditions hold: it says that it was made
// from config.json, and config.json has fields of the search that are not the defaults of its class
// (GenerationMixin._prepare_generation_config). transformers 5 always reads generation_config.json.
bool ConfigOverrides(const Family& family, const nlohmann::json& config,
                     const nlohmann::json& generation) {
  const auto made = generation.find("_from_model_config");
  if (made == generation.end() || *made != true) return false;
  if (IsByTransformers5(JsonFields("", generation))) return false;
  const nlohmann::json of_class = nlohmann::json::parse(family.defaults.generation);
  return std::any_of(kLegacyGeneration.begin(), kLegacyGeneration.end(),
                     [&](const LegacyField& field) {
                       const std::string name(field.name);
                       const auto found = config.find(name);
                       if (found == config.end() || found->is_null()) return false;
                       const auto own = of_class.find(name);
                       return !AreEqualInPython(
                           *found, own != of_class.end()
                                       ? *own
                                       : nlohmann::json::parse(field.json_default, nullptr, false));
                     });
}

}  // namespace dragoman::engine
