// Requests made of the lines of tests/data/german.txt, for tests that mix many in one batch.
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

// Returns the first `count` non-empty lines as jobs with scores and tokens, with beams in turn.
std::vector<engine::TranslationJob> SentenceJobs(size_t count, const std::vector<int>& beams);

// Returns DRAGOMAN_TEST_SENTENCES from the environment (at most 500), or `otherwise` if it is
// unset. Emulated processors are slow and use fewer. Fails the test for an invalid value.
size_t SentencesAskedFor(size_t otherwise);

// Random requests of fourteen kinds with random numbers. They cover every decoding method.
class MixedRequests {
 public:
  static constexpr int kKinds = 14;

  explicit MixedRequests(unsigned seed);

  // Sets `*kind` to 0 .. kKinds - 1.
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

// Returns the first `count` requests of MixedRequests(seed).
std::vector<engine::TranslationJob> MixedJobs(size_t count, unsigned seed);

}  // namespace dragoman::testing
