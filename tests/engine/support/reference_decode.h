// Reference: the beam searches without constraints (SEARCH.md a.1, a.2, a.7, f), lexically constrained search by dynamic
// beam allocation (d), and a segment by whichever method its options ask for. Pure functions.
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

// REQUIRES: options.phrases is not empty, and none of its phrases is.
ReferenceResult ReferenceDba(const ReferenceModel& model, const ReferenceOptions& options);

// The best output of at most max_tokens tokens that meets options.phrases (by d.1's state), of all
// there are; an empty n-best where none does. Takes vocabulary^max_tokens time. REQUIRES: EOS is
// forced at the limit.
ReferenceResult ExhaustiveConstrained(const ReferenceModel& model, const ReferenceOptions& options);

enum class ReferenceMethod : uint8_t { kOnBeam, kImmediate, kKeep, kConstrained, kSampling };

// REQUIRES: options that go together (SEARCH.md a.7); sampling is read by kSampling only.
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
