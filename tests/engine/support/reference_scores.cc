#include "tests/engine/support/reference_scores.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dragoman::testing {
namespace {

void Mask(std::vector<double>& x, int32_t id) { x[static_cast<size_t>(id)] = kNegInf; }

bool Contains(const TokenList& list, int32_t id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

// Returns a row of the size of `like` in which only one id is possible.
std::vector<double> Only(int32_t id, double value, const std::vector<double>& like) {
  std::vector<double> x(like.size(), kNegInf);
  x[static_cast<size_t>(id)] = value;
  return x;
}

double LogSum(const std::vector<double>& x) {
  const double max = *std::max_element(x.begin(), x.end());
  if (max == kNegInf) return kNegInf;
  double sum = 0;
  for (const double v : x) sum += std::exp(v - max);
  return max + std::log(sum);
}

void Penalise(std::vector<double>& x, const ReferenceOptions& o, const TokenList& tokens) {
  // A penalty above 1 makes the tokens of the source more likely.
  for (const int32_t id : std::set<int32_t>(o.source.begin(), o.source.end())) {
    double& v = x[static_cast<size_t>(id)];
    v = v < 0 ? v / o.encoder_penalty : v * o.encoder_penalty;
  }
  if (o.repetition_penalty == 1) return;
  std::set<int32_t> seen(tokens.begin(), tokens.end());
  if (o.used_start_token >= 0) seen.insert(o.used_start_token);
  for (const int32_t id : seen) {
    double& v = x[static_cast<size_t>(id)];
    v = v < 0 ? v * o.repetition_penalty : v / o.repetition_penalty;
  }
}

}  // namespace

std::vector<double> LogSoftmax(const std::vector<double>& x) {
  const double sum = LogSum(x);
  std::vector<double> result(x.size(), kNegInf);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != kNegInf) result[i] = x[i] - sum;
  }
  return result;
}

TokenList RepeatedNgramTokens(const TokenList& history, int32_t n) {
  std::set<int32_t> banned;
  if (n <= 0) return {};
  const auto size = static_cast<size_t>(n);
  for (size_t i = 0; i + size <= history.size(); ++i) {
    bool equal = true;
    for (size_t j = 0; j + 1 < size; ++j) {
      equal = equal && history[i + j] == history[history.size() - (size - 1) + j];
    }
    if (equal) banned.insert(history[i + size - 1]);
  }
  return {banned.begin(), banned.end()};
}

TokenList CompletingTokens(const std::vector<TokenList>& phrases, const TokenList& history) {
  std::set<int32_t> result;
  for (const TokenList& phrase : phrases) {
    if (phrase.empty() || phrase.size() - 1 > history.size()) continue;
    if (std::equal(phrase.begin(), phrase.end() - 1,
                   history.end() - static_cast<std::ptrdiff_t>(phrase.size() - 1))) {
      result.insert(phrase.back());
    }
  }
  return {result.begin(), result.end()};
}

std::vector<double> StepScores(const ReferenceModel& model, const ReferenceOptions& o,
                               const TokenList& tokens, const RowConstraint& constraint) {
  int32_t forced = -1;
  if (tokens.size() < o.forced_prefix.size()) {
    forced = o.forced_prefix[tokens.size()];
  } else if (tokens.size() == static_cast<size_t>(o.max_tokens) &&
             o.forced_eos != ReferenceForcedEos::kNone) {
    forced = model.eos;
    if (o.forced_eos == ReferenceForcedEos::kZero) return Only(forced, 0, model.logits(tokens));
  }

  std::vector<double> x = model.logits(tokens);
  for (const int32_t id : o.excluded) Mask(x, id);
  if (o.repetition_on_logits && forced < 0) Penalise(x, o, tokens);
  for (double& v : x) v /= o.temperature;              // 1
  x = LogSoftmax(x);                                   // 2
  x[static_cast<size_t>(model.eos)] *= o.eos_penalty;  // 3
  if (forced >= 0) {                                   // 8: its log-prob is the model's
    if (o.renormalize) {
      // Tokens that are banned everywhere do not contribute to the sum. If the forced id is one of
      // them, all of them contribute.
      TokenList always = o.banned;
      for (const TokenList& phrase : o.forbidden) {
        if (phrase.size() == 1) always.push_back(phrase.front());
      }
      if (Contains(always, forced)) always.clear();
      for (const int32_t id : always) Mask(x, id);
      x = LogSoftmax(x);
    }
    return Only(forced, x[static_cast<size_t>(forced)], x);
  }
  if (!o.repetition_on_logits) Penalise(x, o, tokens);  // 4
  TokenList history = tokens;
  if (o.used_start_token >= 0) history.insert(history.begin(), o.used_start_token);
  for (const int32_t id : RepeatedNgramTokens(history, o.no_repeat_ngram)) {  // 5
    if (!Contains(constraint.ngram_exempt, id)) Mask(x, id);
  }
  for (const int32_t id : CompletingTokens(o.forbidden, tokens)) Mask(x, id);  // 6
  for (const int32_t id : o.banned) Mask(x, id);
  if (tokens.size() < static_cast<size_t>(o.min_tokens)) Mask(x, model.eos);  // 7
  if (!constraint.eos_allowed) Mask(x, model.eos);
  return o.renormalize ? LogSoftmax(x) : x;  // 9
}

double LengthDivisor(const ReferenceOptions& o, size_t length) {
  const auto n = static_cast<double>(length);
  return std::pow(o.norm == ReferenceNorm::kGnmt ? (5 + n) / 6 : n, o.length_penalty);
}

}  // namespace dragoman::testing
