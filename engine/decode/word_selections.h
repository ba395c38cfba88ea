// The words that the segments in a decoder's slots may produce, where not all: what the output layer
// has of their weights (OutputLayer::Selection), in memory that is taken once.
//
// A selection is copied when its segment enters, so that its steps read its words' weights one after
// the other. What is left of the memory says who may enter.
//
// Of one thread, the decoder's. Allocates at construction only.
#pragma once

#include <cstdint>
#include <memory>
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
  // Selections for slots 0 .. slots - 1. `layer` is borrowed.
  WordSelections(const kernels::OutputLayer* layer, int slots);

  // bytes() of one of such a layer and so many slots. Address space until it is used.
  static int64_t BytesOf(kernels::ComputeType type, int d, int vocabulary, int slots);
  int64_t bytes() const { return bytes_; }

  // Whether a segment of so many words may enter: always where no other has entered.
  bool HasRoomFor(int32_t words) const;

  // The slot's segment produces these words only. They are borrowed until it leaves. REQUIRES:
  // HasRoomFor; the slot is empty; words are of the vocabulary, one at least.
  void Enter(int slot, const kernels::IdList& words);

  // Ends the selection of the slot's segment; does nothing for a slot that nothing has entered.
  void Leave(int slot);

  // nullptr: all words.
  const kernels::OutputLayer::Selection* Of(int slot) const {
    const kernels::OutputLayer::Selection& selection = slots_[static_cast<size_t>(slot)];
    return selection.memory == nullptr ? nullptr : &selection;
  }

  // The same as the layer's Fold: rows of a slot over its words. REQUIRES: not more rows than
  // slots.
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
