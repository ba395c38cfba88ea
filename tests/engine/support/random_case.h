// Seeded random cases over every combination of options that SEARCH.md a.7 allows, with the
// result of the reference decoders: for differential tests of the production search.
//
// A case is a function of its seed alone. Its model is a script (scripted_model.h) of a source of
// no meaning; EOS is token 0, the start and pad token the last one. No decision of the reference's
// was closer than kMinGap, so that a search in float decides alike.
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
  // Logits of the next token; has the type of a Script.
  std::function<std::vector<float>(std::span<const int32_t> source,
                                   std::span<const int32_t> prefix)>
      script;
  ReferenceResult expected;

  static constexpr int32_t kEos = 0;
  int32_t pad() const { return vocabulary - 1; }
  // The options that are not at their default, for messages.
  std::string ToString() const;
};

RandomCase MakeRandomCase(uint64_t seed);
// A case of one method only.
RandomCase MakeRandomCase(uint64_t seed, ReferenceMethod method);

}  // namespace dragoman::testing
