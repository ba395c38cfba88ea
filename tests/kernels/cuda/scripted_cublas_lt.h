// A scripted cuBLASLt, in f32 on the host. Its algorithms have the faults that the selection of one
// must detect. Also scripts the product of few rows that can replace it (few_rows.h).
#pragma once

#include <functional>
#include <vector>

namespace dragoman::kernels::cuda {

// The algorithms, by id.
enum LtFault {
  kSound,       // sums in the order of k
  kSoundToo,    // another algorithm with the same bits
  kOtherOrder,  // always sums backwards
  kByCount,     // sums backwards in calls of few rows
  kByPlace,     // sums backwards in the lower half of a call
  kSplit,       // reports that it splits K
  kUnfit,       // does not support few rows
  kBigWorkspace,
  kFailsToRun,
  kLeavesOut,        // does not write the last row
  kOtherActivation,  // few rows: differs from the separate pass; sound without one
};

// Sets which algorithms are offered for a number of rows, best first.
void SetOffers(std::function<std::vector<LtFault>(int rows)> offers);

// Sets the behaviour of the product of few rows: kUnfit (the default), kSound, kOtherOrder,
// kFailsToRun, kOtherActivation.
void SetFewRows(LtFault fault);
// Returns the number of calls of that product so far.
int FewRowsCalls();

// Returns the number of descriptors and handles not yet destroyed.
int LiveDescriptors();

}  // namespace dragoman::kernels::cuda
