#include "engine/decode/batch.h"

namespace dragoman {

void EndHypothesis(const SearchOptions& search, int32_t last_token, float last_log_prob, bool unmet,
                   DecodedHypothesis* h) {
  if (last_token != search.eos) h->tokens.push_back(last_token);
  h->token_log_probs.push_back(last_log_prob);
  h->reason = FinishReason::kEos;
  if (unmet) {
    h->reason = FinishReason::kConstraintsUnmet;
  } else if (static_cast<int32_t>(h->tokens.size()) >= search.max_tokens &&
             (last_token == search.eos || !search.Ends(last_token))) {
    h->reason = FinishReason::kLength;
  }
}

}  // namespace dragoman
