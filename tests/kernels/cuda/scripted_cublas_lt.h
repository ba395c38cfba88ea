// A cuBLASLt of the test's making, in f32 on the host, whose algorithms have the faults that the
// choice of one has to see. And the product of few rows that may take its place (few_rows.h).
#pragma once

#include <functional>
#include <vector>

namespace dragoman::kernels::cuda {

// The algorithms, by their id.
enum LtFault {
  kSound,       // sums in the order of k
  kSoundToo,    // the same bits by another algorithm
  kOtherOrder,  // sums backwards, always
  kByCount,     // backwards in calls of few rows
  kByPlace,     // backwards in the lower half of a call
  kSplit,       // says that it splits K
  kUnfit,       // does not do few rows
  kBigWorkspace,
  kFailsToRun,
  kLeavesOut,        // does not write the last row
  kOtherActivation,  // of few rows: an activation that is no pass of its own, and sound without
};

// Sets what is offered for a number of rows from now on, best first.
void SetOffers(std::function<std::vector<LtFault>(int rows)> offers);

// Sets the behaviour of the product of few rows from now on: kUnfit (at first), kSound,
// kOtherOrder, kFailsToRun, kOtherActivation.
void SetFewRows(LtFault fault);
// Its calls so far.
int FewRowsCalls();

// Descriptors and handles that were made and not destroyed.
int LiveDescriptors();

}  // namespace dragoman::kernels::cuda
