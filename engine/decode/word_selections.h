// The word selections of the segments in a decoder's slots: copies of the output layer's weights of
// the words that a segment may produce (OutputLayer::Selection).
//
// The weights are copied at Enter, so that steps read them in sequence.
//
// Belongs to the decoder's thread. Allocates only at construction.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/decode/word_arena.h"
#include "kernels/base/float_buffer.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/output_layer.h"
#include "kernels/search/row.h"

namespace dragoman::engine {

class WordSelections {
 public:
  // Serves slots 0 .. slots - 1. Borrows `layer`.
  WordSelections(const kernels::OutputLayer* layer, int slots);

  // Returns bytes() for such a layer. The memory is address space until it is used.
  static int64_t BytesOf(kernels::ComputeType type, int d, int vocabulary, int slots);
  int64_t bytes() const { return bytes_; }

  // Reports whether a segment of `words` words may enter. True if no other segment has entered.
  bool HasRoomFor(int32_t words) const;

  // Limits the slot's segment to `words`, which are borrowed until Leave. REQUIRES: HasRoomFor; the
  // slot has no selection; at least one word; all words are in the vocabulary.
  void Enter(int slot, const kernels::IdList& words);

  // Ends the slot's selection, if any.
  void Leave(int slot);

  // Returns the slot's selection; nullptr: all words.
  const kernels::OutputLayer::Selection* Of(int slot) const {
    const kernels::OutputLayer::Selection& selection = slots_[static_cast<size_t>(slot)];
    return selection.memory == nullptr ? nullptr : &selection;
  }

  // Like OutputLayer::Fold, with rows limited to their words. REQUIRES: at most `slots` rows.
  void Fold(kernels::OpContext& context, const float* hidden, const kernels::DecodeRows& rows,
            const kernels::LogitRequest* requests, kernels::LogitSummary* summaries);

 private:
  const kernels::OutputLayer& layer_;
  const int64_t step_floats_;  // of kSelectStep words
  const int64_t bytes_;
  kernels::cpu::FloatBuffer memory_;
  WordArena steps_;
  std::vector<kernels::OutputLayer::Selection> slots_;
  std::vector<const kernels::OutputLayer::Selection*> rows_;  // of a Fold
};

}  // namespace dragoman::engine
