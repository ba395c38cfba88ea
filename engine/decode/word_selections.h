// Limits the slots of a decoder to selections of target tokens, which are called words here. With a
// lexical shortlist, a segment may produce only some words. Its selection is a copy of the output
// layer's weights for these words (OutputLayer::Selection).
//
// The steps read the copy, because it is in adjacent memory.
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
  // Serves the slots 0 .. slots - 1. Borrows `layer` for the life of this object.
  WordSelections(const kernels::OutputLayer* layer, int slots);

  // Returns what bytes() returns for an output layer of this type and size. The memory is only
  // address space until it is used.
  static int64_t BytesOf(kernels::ComputeType type, int d, int vocabulary, int slots);
  int64_t bytes() const { return bytes_; }

  // Reports whether there is memory for a selection of `words` words. True if no slot has a
  // selection.
  bool HasRoomFor(int32_t words) const;

  // Limits the slot's segment to `words`, which are borrowed until Leave. REQUIRES: HasRoomFor; the
  // slot has no selection; at least one word; all words are in the vocabulary.
  void Enter(int slot, const kernels::IdList& words);

  // Ends the slot's selection, if it has one.
  void Leave(int slot);

  // Returns the slot's selection. nullptr: the slot may produce all words.
  const kernels::OutputLayer::Selection* Of(int slot) const {
    const kernels::OutputLayer::Selection& selection = slots_[static_cast<size_t>(slot)];
    return selection.memory == nullptr ? nullptr : &selection;
  }

  // Like OutputLayer::Fold, but limits each row to the selection of its slot. REQUIRES: at most
  // `slots` rows, as given to the constructor.
  void Fold(kernels::OpContext& context, const float* hidden, const kernels::DecodeRows& rows,
            const kernels::LogitRequest* requests, kernels::LogitSummary* summaries);

 private:
  const kernels::OutputLayer& layer_;
  const int64_t step_floats_;  // floats that a selection of kSelectStep words takes
  const int64_t bytes_;
  kernels::cpu::FloatBuffer memory_;
  WordArena steps_;
  std::vector<kernels::OutputLayer::Selection> slots_;
  // Scratch memory of Fold: the selection of each row.
  std::vector<const kernels::OutputLayer::Selection*> rows_;
};

}  // namespace dragoman::engine
