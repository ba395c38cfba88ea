// Reference decoders: beam search without constraints (SEARCH.md a.1, a.2, a.7, f), dynamic beam
// allocation (d), and a segment by the method that its options name. Pure functions.
#pragma once

#include "tests/engine/support/reference_model.h"
#include "tests/engine/support/reference_sampling.h"

namespace dragoman::testing {

// a.1 and a.2: finished candidates stay on the beam until they lead it.
ReferenceResult ReferenceOnBeam(const ReferenceModel& model, const ReferenceOptions& options);

// a.7: IMMEDIATE with FIRST_K, HEURISTIC or NEVER; ALL_BEAMS.
ReferenceResult ReferenceImmediate(const ReferenceModel& model, const ReferenceOptions& options);

// f: a finished hypothesis keeps its place and competes with its log-probability.
ReferenceResult ReferenceKeep(const ReferenceModel& model, const ReferenceOptions& options);

// REQUIRES: options.phrases is not empty and contains no empty phrase.
ReferenceResult ReferenceDba(const ReferenceModel& model, const ReferenceOptions& options);

// Searches all outputs of at most max_tokens tokens and returns the best that contains
// options.phrases (by d.1's state), or an empty n-best if none does. Takes vocabulary^max_tokens
// time. REQUIRES: EOS is forced at the limit.
ReferenceResult ExhaustiveConstrained(const ReferenceModel& model, const ReferenceOptions& options);

enum class ReferenceMethod : uint8_t { kOnBeam, kImmediate, kKeep, kConstrained, kSampling };

// REQUIRES: compatible options (SEARCH.md a.7). Only kSampling reads `sampling`.
inline ReferenceResult ReferenceDecode(const ReferenceModel& model, ReferenceMethod method,
                                       const ReferenceOptions& options,
                                       const ReferenceSampling& sampling = {}) {
  switch (method) {
    case ReferenceMethod::kOnBeam:
      return ReferenceOnBeam(model, options);
    case ReferenceMethod::kImmediate:
      return ReferenceImmediate(model, options);
    case ReferenceMethod::kKeep:
      return ReferenceKeep(model, options);
    case ReferenceMethod::kConstrained:
      return ReferenceDba(model, options);
    case ReferenceMethod::kSampling:
      return ReferenceSample(model, options, sampling);
  }
  return {};
}

}  // namespace dragoman::testing
