#include "engine/decode/word_selections.h"

#include <algorithm>

namespace dragoman::engine {
namespace {

constexpr int kStep = kernels::OutputLayer::kSelectStep;

// The number of selected words for which memory is planned per slot. It suffices for a sentence of
// about 30 tokens: the shortlist has about 50 words for each token, and many of them are equal.
constexpr int kUsualWords = 1024;

int32_t StepsFor(int64_t words) { return static_cast<int32_t>((words + kStep - 1) / kStep); }

// Returns the size of the memory in steps of kStep words: the usual words for every slot, and in
// addition the complete vocabulary for one slot.
int32_t StepsOf(int vocabulary, int slots) {
  return StepsFor(vocabulary) + slots * std::min(StepsFor(kUsualWords), StepsFor(vocabulary));
}

}  // namespace

WordSelections::WordSelections(const kernels::OutputLayer* layer, int slots)
    : layer_(*layer),
      step_floats_(static_cast<int64_t>(layer->SelectedFloats(kStep))),
      bytes_(step_floats_ * StepsOf(layer->vocabulary(), slots) *
             static_cast<int64_t>(sizeof(float))),
      memory_(kernels::cpu::AllocateFloats(static_cast<size_t>(bytes_) / sizeof(float))),
      steps_(StepsOf(layer->vocabulary(), slots), slots),
      slots_(static_cast<size_t>(slots)),
      rows_(static_cast<size_t>(slots)) {}

int64_t WordSelections::BytesOf(kernels::ComputeType type, int d, int vocabulary, int slots) {
  return kernels::OutputLayer::BytesOf(type, d, kStep) * StepsOf(vocabulary, slots);
}

bool WordSelections::HasRoomFor(int32_t words) const { return steps_.Fits(StepsFor(words)); }

void WordSelections::Enter(int slot, const kernels::IdList& words) {
  float* const memory = memory_.get() + steps_.Take(StepsFor(words.count)) * step_floats_;
  layer_.Select(words, memory);
  slots_[static_cast<size_t>(slot)] = {words, memory};
}

void WordSelections::Leave(int slot) {
  kernels::OutputLayer::Selection& selection = slots_[static_cast<size_t>(slot)];
  if (selection.memory == nullptr) return;
  steps_.GiveBack(static_cast<int32_t>((selection.memory - memory_.get()) / step_floats_),
                  StepsFor(selection.words.count));
  selection = {};
}

// Divides the rows into runs, each with or without selections. Folds each run by one call.
void WordSelections::Fold(kernels::OpContext& context, const float* hidden,
                          const kernels::DecodeRows& rows, const kernels::LogitRequest* requests,
                          kernels::LogitSummary* summaries) {
  const auto of_rows = rows_.begin();
  const auto end_of_rows = of_rows + rows.count;
  for (int64_t r = 0; r < rows.count; ++r) of_rows[r] = Of(rows.slot[r]);
  for (auto run = of_rows; run != end_of_rows;) {
    const bool all = *run == nullptr;
    const auto end =
        std::find_if(run, end_of_rows, [all](const auto* of) { return (of == nullptr) != all; });
    const int64_t first = run - of_rows;
    const float* const x = hidden + first * layer_.d();
    if (all) {
      layer_.Fold(context, x, end - run, requests + first, summaries + first);
    } else {
      layer_.FoldSelected(context, x, end - run, &*run, requests + first, summaries + first);
    }
    run = end;
  }
}

}  // namespace dragoman::engine
