// Requests for tests that mix many in one batch, made of the lines of tests/data/german.txt.
//
// The same on every machine.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::testing {

// The first `count` lines that are not empty, as n-best lists with these beams in turn; scores and
// tokens are asked for.
std::vector<engine::TranslationJob> SentenceJobs(size_t count, const std::vector<int>& beams);

// DRAGOMAN_TEST_SENTENCES in the environment, of which there are 500 at most, or `otherwise`: for runs
// on emulated processors, which are slow, or for all of them. Another value fails the test.
size_t SentencesAskedFor(size_t otherwise);

// Random requests of fourteen kinds, every decoding method among them, whose numbers are drawn at
// random as well.
class MixedRequests {
 public:
  static constexpr int kKinds = 14;

  explicit MixedRequests(unsigned seed);

  // `kind` becomes its kind, 0 .. kKinds - 1.
  engine::TranslationJob Next(int* kind);

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  T Pick(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(static_cast<int>(choices.size())));
  }
  std::string Pick(std::initializer_list<const char*> choices) {
    return Pick<const char*>(choices);
  }

  std::mt19937 random_;
  std::vector<std::string> sentences_;
};

}  // namespace dragoman::testing
