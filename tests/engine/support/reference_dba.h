// Reference: lexically constrained beam search by dynamic beam allocation (SEARCH.md d), and the
// exhaustive search that a beam wide enough must equal. Pure functions.
#pragma once

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

// REQUIRES: options.phrases is not empty, and none of its phrases is.
ReferenceResult ReferenceDba(const ReferenceModel& model, const ReferenceOptions& options);

// The best output of at most max_tokens tokens that meets options.phrases (by d.1's state), of all
// there are; an empty n-best where none does. Takes vocabulary^max_tokens time. REQUIRES: EOS is
// forced at the limit.
ReferenceResult ExhaustiveConstrained(const ReferenceModel& model, const ReferenceOptions& options);

}  // namespace dragoman::testing
