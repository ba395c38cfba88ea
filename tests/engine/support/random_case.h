// Seeded random cases over every combination of options that SEARCH.md a.7 allows, with the result
// of the reference decoders. For differential tests of the production search.
//
// A case depends only on its seed. Its model is a script (scripted_model.h) with a meaningless
// source. Token 0 is EOS, the last token is start and pad. No decision of the reference is closer
// than kMinGap, so a search in float decides the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/engine/support/reference_decode.h"

namespace dragoman::testing {

struct RandomCase {
  static constexpr double kMinGap = 1e-3;

  uint64_t seed = 0;
  int32_t vocabulary = 0;
  ReferenceMethod method = ReferenceMethod::kImmediate;
  ReferenceOptions options;
  ReferenceSampling sampling;
  // Logits of the next token, of the same type as Script.
  std::function<std::vector<float>(std::span<const int32_t> source,
                                   std::span<const int32_t> prefix)>
      script;
  ReferenceResult expected;

  static constexpr int32_t kEos = 0;
  int32_t pad() const { return vocabulary - 1; }
  // Returns the options that differ from their defaults, for messages.
  std::string ToString() const;
};

RandomCase MakeRandomCase(uint64_t seed);
// Returns a case of one method.
RandomCase MakeRandomCase(uint64_t seed, ReferenceMethod method);

}  // namespace dragoman::testing
