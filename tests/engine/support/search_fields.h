// The fields of a search's options by name, as comparable numbers. A new field of SearchOptions
// does not compile here until it is listed. Then these tests require it:
//
//   search_settings_test.cc   an option of the request changes the field
//   random_segment_test.cc    every field is drawn for the comparison with the reference
#pragma once

#include <map>
#include <string>

#include "kernels/search/options.h"

namespace dragoman::testing {

inline std::map<std::string, double> FieldsOf(const kernels::SearchOptions& options) {
  const auto& [beam, num_alternatives, max_tokens, min_tokens, eos, more_eos, more_eos_count,
               not_first, not_first_count, start_token, free_prefix, finalisation, stop_rule,
               forced_eos, penalty, length_penalty, patience, renormalize, need_log_probs, prune,
               max_candidates, constraint_prune, constraint_allocation, word_edges, no_repeat_ngram,
               repetition_penalty, encoder_repetition_penalty, counts_start, penalise_logits,
               temperature, eos_penalty, sampling, row_cost, align, alignment_layer,
               alignment_heads] = options;
  const auto& [enabled, top_k, top_p, seed, ordinal] = sampling;
  return {{"beam", beam},
          {"num_alternatives", num_alternatives},
          {"max_tokens", max_tokens},
          {"min_tokens", min_tokens},
          {"eos", eos},
          {"more_eos", more_eos[0]},
          {"more_eos_count", more_eos_count},
          {"not_first", not_first[0]},
          {"not_first_count", not_first_count},
          {"start_token", start_token},
          {"free_prefix", free_prefix},
          {"finalisation", static_cast<double>(finalisation)},
          {"stop_rule", static_cast<double>(stop_rule)},
          {"forced_eos", static_cast<double>(forced_eos)},
          {"penalty", static_cast<double>(penalty)},
          {"length_penalty", length_penalty},
          {"patience", patience},
          {"renormalize", renormalize},
          {"need_log_probs", need_log_probs},
          {"prune", prune},
          {"max_candidates", max_candidates},
          {"constraint_prune", constraint_prune},
          {"constraint_allocation", static_cast<double>(constraint_allocation)},
          {"word_edges", word_edges},
          {"no_repeat_ngram", no_repeat_ngram},
          {"repetition_penalty", repetition_penalty},
          {"encoder_repetition_penalty", encoder_repetition_penalty},
          {"counts_start", counts_start},
          {"penalise_logits", penalise_logits},
          {"temperature", temperature},
          {"eos_penalty", eos_penalty},
          {"sampling.enabled", enabled},
          {"sampling.top_k", top_k},
          {"sampling.top_p", top_p},
          {"sampling.seed", static_cast<double>(seed)},
          {"sampling.ordinal", ordinal},
          {"row_cost", row_cost},
          {"align", align},
          {"alignment_layer", alignment_layer},
          {"alignment_heads", static_cast<double>(alignment_heads)}};
}

}  // namespace dragoman::testing
