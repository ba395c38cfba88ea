// Reference: how a step changes the scores of a row (SEARCH.md a.8), and length norms. Pure.
#pragma once

#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

// Returns x minus the log of the sum of exp(x). All -inf if all of x is -inf.
std::vector<double> LogSoftmax(const std::vector<double>& x);

// Returns the tokens that would repeat an n-gram of the history (e), ascending. n <= 0: none.
TokenList RepeatedNgramTokens(const TokenList& history, int32_t n);

// Returns the tokens that would complete a phrase after the history (d.5), ascending.
TokenList CompletingTokens(const std::vector<TokenList>& phrases, const TokenList& history);

// The requirements of a constrained search for a row.
struct RowConstraint {
  TokenList ngram_exempt;   // progress tokens (d.6)
  bool eos_allowed = true;  // d.2.1
};

// Returns the scores of the next token: a.8's changes 1 to 9 in order. -inf: not possible.
std::vector<double> StepScores(const ReferenceModel& model, const ReferenceOptions& options,
                               const TokenList& tokens, const RowConstraint& constraint = {});

// Returns the divisor of the log-probability of an output of this length (SEARCH.md 0.1, f). The
// length is the number of real tokens plus one. With IMMEDIATE and ALL_BEAMS only emitted tokens
// count, so the additional one is an EOS that was emitted.
double LengthDivisor(const ReferenceOptions& options, size_t length);

}  // namespace dragoman::testing
