// Reference: the unconstrained beam searches (SEARCH.md a.1, a.2, a.7, f). Pure functions.
#pragma once

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

// a.1 and a.2: finished candidates stay on the beam until they lead it.
ReferenceResult ReferenceOnBeam(const ReferenceModel& model, const ReferenceOptions& options);

// a.7: IMMEDIATE with FIRST_K, HEURISTIC or NEVER; ALL_BEAMS.
ReferenceResult ReferenceImmediate(const ReferenceModel& model, const ReferenceOptions& options);

// f: a finished hypothesis keeps its place and competes with its log-probability.
ReferenceResult ReferenceKeep(const ReferenceModel& model, const ReferenceOptions& options);

}  // namespace dragoman::testing
