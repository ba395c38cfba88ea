// Reference: one segment by whichever method its options ask for.
#pragma once

#include "tests/engine/support/reference_beam.h"
#include "tests/engine/support/reference_dba.h"
#include "tests/engine/support/reference_model.h"
#include "tests/engine/support/reference_sampling.h"

namespace dragoman::testing {

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
