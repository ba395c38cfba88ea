// The reference decoders: a second implementation of every search, constraint and sampling rule of
// SEARCH.md, written from its text alone and as simply as possible. They use double, copy whole
// hypotheses and sort every list. A difference from the search in kernels/ is a bug in one of them.
//
// This file has the model and the options that they share. Plain values. Log-probabilities are
// natural logs. Token lists contain neither start token nor EOS.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace dragoman::testing {

inline constexpr double kNegInf = -std::numeric_limits<double>::infinity();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using TokenList = std::vector<int32_t>;

// Computes the scores of the next token. Logits that are already log-probabilities stay unchanged.
struct ReferenceModel {
  int32_t eos = 0;
  std::function<std::vector<double>(std::span<const int32_t> prefix)> logits;
};

enum class ReferenceForcedEos : uint8_t { kModel, kZero, kNone };
enum class ReferenceNorm : uint8_t { kPower, kGnmt };
enum class ReferenceStop : uint8_t { kFirstK, kHeuristic, kNever, kAllBeams };
enum class ReferenceAllocation : uint8_t { kBanks, kStripe };

// d.1: tokens that continue a word, and tokens after which a word may continue.
struct ReferenceWordEdges {
  TokenList continuing;
  TokenList open;

  bool empty() const { return continuing.empty() && open.empty(); }
  bool Continues(int32_t token) const {
    return std::find(continuing.begin(), continuing.end(), token) != continuing.end();
  }
  bool IsOpen(int32_t token) const {
    return std::find(open.begin(), open.end(), token) != open.end();
  }
  bool IsBoundary(int32_t before, int32_t after) const {
    return !(IsOpen(before) && Continues(after));
  }
};

// d.7: source positions begin .. end - 1. Everything is open at position kAnyPosition.
struct ReferenceGate {
  static constexpr int32_t kAnyPosition = -1;

  int32_t begin = 0;
  int32_t end = 0;

  bool IsOpen(int32_t position) const {
    return position == kAnyPosition || (begin <= position && position < end);
  }
  auto operator<=>(const ReferenceGate&) const = default;
};

// The options of one segment. SEARCH.md defines each field in the section named here.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the sections.
struct ReferenceOptions {
  int32_t beam = 1;
  int32_t max_tokens = 12;  // real tokens (0.1)
  ReferenceForcedEos forced_eos = ReferenceForcedEos::kModel;
  ReferenceNorm norm = ReferenceNorm::kPower;
  double length_penalty = 1;

  // a.8, in its order.
  double temperature = 1;
  double eos_penalty = 1;
  double repetition_penalty = 1;
  bool repetition_on_logits = false;  // profile hf with beam 1
  double encoder_penalty = 1;         // profile hf: of the source's tokens, applied first
  TokenList source;
  int32_t used_start_token = -1;     // profile hf: counts as used, also in e; -1: none
  int32_t no_repeat_ngram = 0;       // e
  std::vector<TokenList> forbidden;  // d.5, bad_words_ids
  TokenList banned;                  // pad, <unk>: masked after the softmax
  TokenList excluded;                // pad: excluded from the normaliser
  int32_t min_tokens = 0;
  TokenList forced_prefix;  // d.4
  bool renormalize = false;

  // a.2, with ON_BEAM, IMMEDIATE and KEEP. Infinity and 0: off.
  double delta = kInfinity;
  double relative = 0;
  int32_t max_candidates = 0;

  // a.7, IMMEDIATE and ALL_BEAMS only.
  ReferenceStop stop = ReferenceStop::kHeuristic;
  double patience = 1;

  // d
  std::vector<TokenList> phrases;
  // d.7: one gate for each phrase, or empty. The next token after n tokens is aligned with source
  // position n % source_length.
  std::vector<ReferenceGate> gates;
  int32_t source_length = 1;
  ReferenceWordEdges edges;
  ReferenceAllocation allocation = ReferenceAllocation::kStripe;
  double constraint_prune = kInfinity;
  bool stop_at_first_complete = false;  // FIRST_K with patience 1/beam
};

struct ReferenceHypothesis {
  TokenList tokens;
  double log_prob = 0;
  double score = 0;
  bool finished = false;  // by EOS, or by the limit if no EOS is forced
  bool has_eos = false;   // it ends with EOS
};

// The finished and running hypotheses on the beam after a step, for messages.
struct ReferenceTrace {
  std::vector<ReferenceHypothesis> beam;
  std::vector<TokenList> popped;
  std::vector<int32_t> banks;  // d only, parallel to `beam`
};

struct ReferenceResult {
  std::vector<ReferenceHypothesis> nbest;  // best first
  int32_t steps = 0;
  int64_t expansions = 0;       // unfinished hypotheses whose scores were computed
  int64_t noop_expansions = 0;  // finished hypotheses that only proposed themselves
  bool constraints_met = true;  // d
  std::vector<ReferenceTrace> trace;
  // The smallest distance between two numbers whose order decided something. A search in float must
  // agree if this is well above its rounding error.
  double gap = kInfinity;
};

// Collects ReferenceResult::gap.
class GapMeter {
 public:
  void Note(double a, double b) {
    if (std::isfinite(a) && std::isfinite(b)) gap_ = std::min(gap_, std::fabs(a - b));
  }
  double gap() const { return gap_; }

 private:
  double gap_ = kInfinity;
};

}  // namespace dragoman::testing
