#include "tests/engine/support/random_case.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <sstream>

namespace dragoman::testing {
namespace {

uint64_t Scramble(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  int32_t Int(int32_t min, int32_t max) {  // both included
    return min + static_cast<int32_t>(engine_() % static_cast<uint64_t>(max - min + 1));
  }
  bool Chance(int32_t percent) { return Int(0, 99) < percent; }
  template <typename T>
  T OneOf(std::initializer_list<T> values) {
    return *(values.begin() + Int(0, static_cast<int32_t>(values.size()) - 1));
  }
  // Returns `usual` with a probability of 60 percent, else one of the others.
  template <typename T>
  T Usually(T usual, std::initializer_list<T> others) {
    return Chance(60) ? usual : OneOf(others);
  }

 private:
  std::mt19937_64 engine_;
};

TokenList Phrase(Random& random, int32_t vocabulary, int32_t length) {
  TokenList phrase;
  for (int32_t i = 0; i < length; ++i) phrase.push_back(random.Int(1, vocabulary - 2));
  return phrase;
}

bool Contains(const TokenList& list, const TokenList& part) {
  return std::search(list.begin(), list.end(), part.begin(), part.end()) != list.end();
}

// Adds required phrases. Some have a common prefix, some occur twice, and some fill the output.
void AddPhrases(Random& random, int32_t vocabulary, ReferenceOptions& o) {
  int32_t room = std::min(random.Chance(90) ? random.Int(1, 8) : random.Int(9, 30), o.max_tokens);
  // In a small alphabet phrases overlap.
  const int32_t alphabet = random.Chance(50) ? std::min(vocabulary, 5) : vocabulary;
  while (room > 0) {
    TokenList phrase = Phrase(random, alphabet, std::min(random.Int(1, 3), room));
    if (!o.phrases.empty() && random.Chance(15)) phrase = o.phrases.front();
    if (static_cast<int32_t>(phrase.size()) > room) break;
    room -= static_cast<int32_t>(phrase.size());
    o.phrases.push_back(phrase);
  }
  if (room > 0 && random.Chance(25)) o.phrases.back().push_back(RandomCase::kEos);
  // A forbidden phrase inside a required one is refused.
  std::erase_if(o.forbidden, [&](const TokenList& forbidden) {
    return std::any_of(o.phrases.begin(), o.phrases.end(),
                       [&](const TokenList& phrase) { return Contains(phrase, forbidden); });
  });
  // Half of the tokens continue a word, so that phrases often occur within words.
  if (random.Chance(50)) {
    for (int32_t token = 1; token < vocabulary; ++token) {
      if (random.Chance(50)) o.edges.continuing.push_back(token);
      if (random.Chance(70)) o.edges.open.push_back(token);
    }
  }
  o.allocation = random.OneOf({ReferenceAllocation::kBanks, ReferenceAllocation::kStripe});
  o.constraint_prune = random.OneOf({kInfinity, 20.0, 6.0, 2.0});
  o.stop_at_first_complete = random.Chance(15);
  if (random.Chance(30)) {
    o.source_length = random.Int(1, 6);
    for (size_t i = 0; i < o.phrases.size(); ++i) {
      const int32_t begin = random.Int(0, o.source_length - 1);
      o.gates.push_back({begin, random.Int(begin + 1, o.source_length)});
    }
  }
}

// Adds the options of SEARCH.md a.8, which combine with every method.
void AddCommon(Random& random, int32_t vocabulary, ReferenceOptions& o) {
  o.beam = random.Chance(95) ? random.Int(1, 8) : random.Int(9, 40);
  o.max_tokens = random.Chance(95) ? random.Int(1, 12) : random.Int(13, 40);
  o.forced_eos = random.OneOf(
      {ReferenceForcedEos::kModel, ReferenceForcedEos::kZero, ReferenceForcedEos::kNone});
  o.norm = random.Usually(ReferenceNorm::kPower, {ReferenceNorm::kGnmt});
  o.length_penalty = random.OneOf({0.0, 0.6, 1.0, 1.4});
  o.temperature = random.Usually(1.0, {0.7, 1.25, 2.0});
  o.eos_penalty = random.Usually(1.0, {0.5, 0.8});
  o.repetition_penalty = random.Usually(1.0, {1.2, 2.0, 0.8});
  // Some models begin outputs with the end of sentence.
  if (random.Chance(30)) o.used_start_token = random.Chance(30) ? RandomCase::kEos : vocabulary - 1;
  o.no_repeat_ngram = random.Usually(0, {1, 2, 3, 4});
  o.encoder_penalty = random.Usually(1.0, {0.7, 1.3});
  if (o.encoder_penalty != 1) o.source = Phrase(random, vocabulary, random.Int(1, 5));
  if (random.Chance(30)) {
    for (int32_t i = random.Int(1, 4); i > 0; --i) {
      o.forbidden.push_back(Phrase(random, vocabulary, random.Int(1, 3)));
    }
  }
  (random.Chance(50) ? o.banned : o.excluded).push_back(vocabulary - 1);
  if (random.Chance(30)) o.min_tokens = random.Int(1, o.max_tokens);
  if (random.Chance(25)) {
    o.forced_prefix = Phrase(random, vocabulary, random.Int(1, std::min(3, o.max_tokens)));
  }
  o.renormalize = random.Chance(25);
}

void AddPruning(Random& random, ReferenceOptions& o) {
  o.delta = random.OneOf({kInfinity, 0.5, 1.5, 3.0});
  o.relative = random.Usually(0.0, {0.1, 0.5});
  o.max_candidates = random.Usually(0, {1, 2, 3, 5});
}

RandomCase Attempt(uint64_t seed, ReferenceMethod method) {
  Random random(seed);
  RandomCase c;
  c.method = method;
  // A few cases have more than one block of materialized logits.
  c.vocabulary = random.Chance(95) ? random.Int(5, 14) : random.Int(257, 600);
  AddCommon(random, c.vocabulary, c.options);
  ReferenceOptions& o = c.options;
  switch (method) {
    case ReferenceMethod::kOnBeam:
    case ReferenceMethod::kKeep:
      AddPruning(random, o);
      break;
    case ReferenceMethod::kImmediate:
      AddPruning(random, o);
      o.stop = random.OneOf({ReferenceStop::kFirstK, ReferenceStop::kHeuristic,
                             ReferenceStop::kNever, ReferenceStop::kAllBeams});
      o.patience = random.Usually(1.0, {0.5, 1.5, 2.0});
      o.repetition_on_logits = o.beam == 1 && random.Chance(50);
      break;
    case ReferenceMethod::kConstrained:
      AddPhrases(random, c.vocabulary, o);
      break;
    case ReferenceMethod::kSampling:
      o.beam = 1;
      o.repetition_on_logits = random.Chance(50);
      c.sampling.top_k = random.OneOf({0, 1, 3, 5});
      c.sampling.top_p = random.OneOf({1.0, 0.9, 0.5, 0.1});
      c.sampling.seed = Scramble(seed);
      c.sampling.ordinal = static_cast<uint32_t>(random.Int(0, 20));
      c.sampling.alternatives = random.Int(1, 4);
      break;
  }

  // The distributions are peaked, so that thresholds prune. EOS becomes likelier with the length.
  const double height = random.OneOf({3.0, 6.0});
  const double length = random.Int(1, 8);
  const auto vocabulary = static_cast<size_t>(c.vocabulary);
  c.script = [=](std::span<const int32_t>, std::span<const int32_t> prefix) {
    uint64_t state = Scramble(seed);
    for (const int32_t token : prefix) state = Scramble(state ^ static_cast<uint64_t>(token + 1));
    std::vector<float> logits(vocabulary);
    for (size_t i = 0; i < vocabulary; ++i) {
      const auto uniform = static_cast<double>(Scramble(state ^ (i << 32)) >> 11) * 0x1.0p-53;
      logits[i] = static_cast<float>(uniform * height);
    }
    logits[RandomCase::kEos] += static_cast<float>(static_cast<double>(prefix.size()) - length);
    return logits;
  };
  const ReferenceModel model = {RandomCase::kEos,
                                [script = c.script](std::span<const int32_t> prefix) {
                                  const std::vector<float> logits = script({}, prefix);
                                  return std::vector<double>(logits.begin(), logits.end());
                                }};
  c.expected = ReferenceDecode(model, method, o, c.sampling);
  return c;
}

void Print(std::ostream& out, const char* name, const std::vector<TokenList>& lists) {
  if (lists.empty()) return;
  out << ' ' << name << '=';
  for (const TokenList& list : lists) {
    out << '[';
    for (size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : " ") << list[i];
    out << ']';
  }
}

template <typename T>
void Print(std::ostream& out, const char* name, const T& value, const T& usual) {
  if (value != usual) out << ' ' << name << '=' << +value;
}

}  // namespace

RandomCase MakeRandomCase(uint64_t seed, ReferenceMethod method) {
  // Discards attempts in which two numbers whose order matters are nearly equal.
  uint64_t attempt = Scramble(seed);
  for (;; attempt = Scramble(attempt)) {
    RandomCase c = Attempt(attempt, method);
    if (c.expected.gap < RandomCase::kMinGap) continue;
    c.seed = seed;
    return c;
  }
}

RandomCase MakeRandomCase(uint64_t seed) {
  constexpr ReferenceMethod kMethods[] = {
      ReferenceMethod::kOnBeam,   ReferenceMethod::kImmediate,   ReferenceMethod::kImmediate,
      ReferenceMethod::kKeep,     ReferenceMethod::kConstrained, ReferenceMethod::kConstrained,
      ReferenceMethod::kSampling,
  };
  return MakeRandomCase(seed, kMethods[seed % std::size(kMethods)]);
}

std::string RandomCase::ToString() const {
  std::ostringstream out;
  const char* const names[] = {"ON_BEAM", "IMMEDIATE", "KEEP", "CONSTRAINED", "SAMPLING"};
  const ReferenceOptions usual;
  const ReferenceOptions& o = options;
  const auto number = [](auto value) { return static_cast<int32_t>(value); };
  out << "seed " << seed << ' ' << names[number(method)] << " vocabulary=" << vocabulary;
  out << " beam=" << o.beam << " max_tokens=" << o.max_tokens;
  out << " length_penalty=" << o.length_penalty;
  Print(out, "forced_eos(MODEL,ZERO,NONE)", number(o.forced_eos), 0);
  Print(out, "norm(POWER,GNMT)", number(o.norm), 0);
  Print(out, "temperature", o.temperature, usual.temperature);
  Print(out, "eos_penalty", o.eos_penalty, usual.eos_penalty);
  Print(out, "repetition_penalty", o.repetition_penalty, usual.repetition_penalty);
  Print(out, "repetition_on_logits", o.repetition_on_logits, false);
  Print(out, "used_start_token", o.used_start_token, usual.used_start_token);
  Print(out, "no_repeat_ngram", o.no_repeat_ngram, 0);
  Print(out, "encoder_penalty", o.encoder_penalty, 1.0);
  Print(out, "forbidden", o.forbidden);
  if (!o.banned.empty()) Print(out, "banned", {o.banned});
  if (!o.excluded.empty()) Print(out, "excluded", {o.excluded});
  Print(out, "min_tokens", o.min_tokens, 0);
  if (!o.forced_prefix.empty()) Print(out, "forced_prefix", {o.forced_prefix});
  Print(out, "renormalize", o.renormalize, false);
  Print(out, "delta", o.delta, usual.delta);
  Print(out, "relative", o.relative, usual.relative);
  Print(out, "max_candidates", o.max_candidates, 0);
  Print(out, "stop(FIRST_K,HEURISTIC,NEVER,ALL_BEAMS)", number(o.stop), number(usual.stop));
  Print(out, "patience", o.patience, usual.patience);
  Print(out, "phrases", o.phrases);
  for (const ReferenceGate& gate : o.gates) out << " gate=" << gate.begin << ".." << gate.end;
  Print(out, "source_length", o.source_length, 1);
  if (!o.edges.empty()) Print(out, "continuing,open", {o.edges.continuing, o.edges.open});
  Print(out, "allocation(BANKS,STRIPE)", number(o.allocation), number(usual.allocation));
  Print(out, "constraint_prune", o.constraint_prune, usual.constraint_prune);
  Print(out, "stop_at_first_complete", o.stop_at_first_complete, false);
  Print(out, "top_k", sampling.top_k, 0);
  Print(out, "top_p", sampling.top_p, 1.0);
  Print(out, "sampling_seed", sampling.seed, uint64_t{0});
  Print(out, "ordinal", sampling.ordinal, 0U);
  Print(out, "alternatives", sampling.alternatives, 1);
  return out.str();
}

}  // namespace dragoman::testing
