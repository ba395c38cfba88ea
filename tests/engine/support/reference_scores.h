// Reference: what a step does to the scores of one row (SEARCH.md a.8), and length norms.
// Pure functions.
#pragma once

#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

// x minus the log of the sum of exp(x). All -inf where x is.
std::vector<double> LogSoftmax(const std::vector<double>& x);

// Tokens that would repeat an n-gram of the history (e), ascending. n <= 0: none.
TokenList RepeatedNgramTokens(const TokenList& history, int32_t n);

// Tokens that would complete a phrase after the history (d.5), ascending: every phrase is tried.
TokenList CompletingTokens(const std::vector<TokenList>& phrases, const TokenList& history);

// The demands of a constrained search on a row.
struct RowConstraint {
  TokenList ngram_exempt;   // progress tokens (d.6)
  bool eos_allowed = true;  // d.2.1
};

// Scores of the next token: a.8's changes 1 to 9 in order. -inf: not possible.
std::vector<double> StepScores(const ReferenceModel& model, const ReferenceOptions& options,
                               const TokenList& tokens, const RowConstraint& constraint = {});

// The divisor of the log-probability of an output of this length (SEARCH.md 0.1, f). The length is
// that of the real tokens and one more; with IMMEDIATE and ALL_BEAMS only the emitted tokens count,
// so that one more is an EOS that is there.
double LengthDivisor(const ReferenceOptions& options, size_t length);

}  // namespace dragoman::testing
