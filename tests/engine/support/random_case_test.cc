// Checks that the random cases of random_case.h keep the promises of that header, and that the
// reference's results have the properties that the options of each case ask for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/engine/support/random_case.h"

namespace dragoman::testing {
namespace {

bool Contains(const TokenList& list, const TokenList& part) {
  return std::search(list.begin(), list.end(), part.begin(), part.end()) != list.end();
}

bool EndsWith(const TokenList& list, const TokenList& part) {
  return list.size() >= part.size() && std::equal(part.rbegin(), part.rend(), list.rbegin());
}

// Reports whether an n-gram that ends after position `from` occurred before.
bool RepeatsNgram(const TokenList& tokens, size_t n, size_t from) {
  for (size_t i = 0; i + n <= tokens.size(); ++i) {
    for (size_t j = i + 1; j + n <= tokens.size(); ++j) {
      if (j + n > from &&
          std::equal(tokens.begin() + static_cast<int>(i), tokens.begin() + static_cast<int>(i + n),
                     tokens.begin() + static_cast<int>(j))) {
        return true;
      }
    }
  }
  return false;
}

void ExpectWellFormed(const RandomCase& c) {
  const ReferenceOptions& o = c.options;
  const size_t prefix = o.forced_prefix.size();
  for (const ReferenceHypothesis& h : c.expected.nbest) {
    const auto length = static_cast<int32_t>(h.tokens.size());
    EXPECT_LE(length, o.max_tokens);
    ASSERT_GE(h.tokens.size(), prefix);
    EXPECT_TRUE(std::equal(o.forced_prefix.begin(), o.forced_prefix.end(), h.tokens.begin()));
    if (h.has_eos) {
      EXPECT_GE(length, o.min_tokens);
    } else if (c.expected.constraints_met) {
      EXPECT_EQ(length, o.max_tokens);
    }
    EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), c.pad()), 0);
    EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), RandomCase::kEos), 0);
    for (size_t end = prefix + 1; end <= h.tokens.size(); ++end) {  // the prefix is exempt
      for (const TokenList& phrase : o.forbidden) {
        EXPECT_FALSE(EndsWith(TokenList(h.tokens.begin(), h.tokens.begin() + static_cast<int>(end)),
                              phrase));
      }
    }
    if (o.no_repeat_ngram > 0 && c.method != ReferenceMethod::kConstrained) {
      EXPECT_FALSE(RepeatsNgram(h.tokens, static_cast<size_t>(o.no_repeat_ngram), prefix));
    }
    if (c.method == ReferenceMethod::kConstrained && c.expected.constraints_met) {
      TokenList whole = h.tokens;
      whole.push_back(RandomCase::kEos);
      for (const TokenList& phrase : o.phrases) EXPECT_TRUE(Contains(whole, phrase));
    }
  }
  const auto worse = [](const auto& a, const auto& b) { return a.score < b.score; };
  if (c.method != ReferenceMethod::kSampling) {
    EXPECT_TRUE(std::is_sorted(c.expected.nbest.rbegin(), c.expected.nbest.rend(), worse));
    EXPECT_LE(c.expected.nbest.size(), static_cast<size_t>(o.beam));
  }
}

TEST(RandomCase, ResultsHaveWhatTheirOptionsAskFor) {
  std::map<ReferenceMethod, int> with_output;
  int several = 0;
  int at_limit = 0;
  int unmet = 0;
  int noops = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const RandomCase c = MakeRandomCase(seed);
    SCOPED_TRACE(c.ToString());
    ASSERT_GE(c.expected.gap, RandomCase::kMinGap);
    ExpectWellFormed(c);
    with_output[c.method] += c.expected.nbest.empty() ? 0 : 1;
    several += c.expected.nbest.size() > 1 ? 1 : 0;
    unmet += c.expected.constraints_met ? 0 : 1;
    noops += c.expected.noop_expansions > 0 ? 1 : 0;
    for (const ReferenceHypothesis& h : c.expected.nbest) at_limit += h.has_eos ? 0 : 1;
  }
  // None of these situations is rare.
  EXPECT_EQ(with_output.size(), 5U);
  for (const auto& [method, count] : with_output) EXPECT_GT(count, 200) << static_cast<int>(method);
  EXPECT_GT(several, 1000);
  EXPECT_GT(at_limit, 200);
  EXPECT_GT(unmet, 20);
  EXPECT_GT(noops, 200);
}

// Reports whether the tokens contain the phrase between two word boundaries.
bool HasAsWord(const TokenList& tokens, const TokenList& phrase, const ReferenceWordEdges& edges) {
  for (size_t i = 0; i + phrase.size() <= tokens.size(); ++i) {
    const size_t end = i + phrase.size();
    if (std::equal(phrase.begin(), phrase.end(), tokens.begin() + static_cast<int>(i)) &&
        (i == 0 || edges.IsBoundary(tokens[i - 1], tokens[i])) &&
        (end == tokens.size() || edges.IsBoundary(tokens[end - 1], tokens[end]))) {
      return true;
    }
  }
  return false;
}

TEST(RandomCase, PhrasesAreMetAsWordsOfTheirOwn) {
  int cases = 0;
  int within = 0;  // outputs with a token that continues a word
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const RandomCase c = MakeRandomCase(seed, ReferenceMethod::kConstrained);
    if (c.options.edges.empty() || !c.expected.constraints_met) continue;
    SCOPED_TRACE(c.ToString());
    for (const ReferenceHypothesis& h : c.expected.nbest) {
      TokenList whole = h.tokens;
      whole.push_back(RandomCase::kEos);
      for (const TokenList& phrase : c.options.phrases) {
        EXPECT_TRUE(HasAsWord(whole, phrase, c.options.edges));
      }
      within += std::any_of(whole.begin(), whole.end(),
                            [&](int32_t token) { return c.options.edges.Continues(token); })
                    ? 1
                    : 0;
      ++cases;
    }
  }
  EXPECT_GT(cases, 500);
  EXPECT_GT(within, 300);
}

// Without word edges the bank of the best hypothesis grows in every step (SEARCH.md d.2). So the
// phrases are always found if the maximum length leaves room for them.
TEST(RandomCase, ConstraintsAreAlwaysMetWhereTheLengthAllowsThem) {
  int cases = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const RandomCase c = MakeRandomCase(seed, ReferenceMethod::kConstrained);
    const ReferenceOptions& o = c.options;
    size_t needed = o.forced_prefix.size();
    for (const TokenList& phrase : o.phrases) needed += phrase.size();
    const bool suffix = o.phrases.back().back() == RandomCase::kEos;
    if (needed > static_cast<size_t>(o.max_tokens) || !o.forbidden.empty()) continue;
    if (!o.edges.empty() || !o.gates.empty()) continue;
    // After all phrases are complete, the ban on repeated n-grams may ban every token.
    if (o.no_repeat_ngram > 0) continue;
    if (suffix && o.min_tokens > 0) continue;  // EOS may be masked where it would complete a phrase
    EXPECT_TRUE(c.expected.constraints_met) << c.ToString();
    ++cases;
  }
  EXPECT_GT(cases, 350);
}

}  // namespace
}  // namespace dragoman::testing
