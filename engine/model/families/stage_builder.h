// Builds a stage of a network, that is, its encoder or its decoder. A stage is a list of operations
// and the buffers that they use.
//
// The operations of a sublayer are added between Begin and End. They read buffer `input` and write
// buffer `sublayer`. Begin adds the norm before the sublayer in a pre-norm stage. End adds the norm
// after the residual sum in a post-norm stage. Thread-safety: one thread per object.
#pragma once

#include <cstdint>

#include "engine/network/program.h"

namespace dragoman::engine {

struct Linear {
  WeightId weight = kNoWeight;
  WeightId bias = kNoWeight;
  int64_t out = 0;
};

struct Norm {
  WeightId gain = kNoWeight;
  WeightId bias = kNoWeight;
};

struct StageShape {
  int64_t d = 0;      // the width of the residual stream
  int64_t heads = 0;  // the width of all heads together
  int64_t up = 0;     // the width of the output of a feed-forward layer's first product
  int64_t gated = 0;  // the width of this output after the gate; 0: no gate
  bool pre_norm = false;
  NormKind norm = NormKind::kLayer;
  float epsilon = 0.0F;
};

class StageBuilder {
 public:
  // Borrows the stage.
  StageBuilder(OpSequence* stage, const StageShape& shape) : stage_(stage), shape_(shape) {
    hidden = Add("hidden", shape.d);
    input = shape.pre_norm ? Add("normed", shape.d) : hidden;
    qkv = Add("qkv", 3 * shape.heads);
    context = Add("context", shape.heads);
    sublayer = Add("sublayer", shape.d);
    up = Add("up", shape.up);
    if (shape.gated > 0) gated = Add("gated", shape.gated);
  }

  BufferId Add(const char* name, int64_t width) {
    stage_->buffers.push_back({name, width});
    return static_cast<BufferId>(stage_->buffers.size() - 1);
  }

  // Appends an operation to the current `layer`.
  template <class What>
  void Do(const char* name, What what) {
    stage_->ops.push_back({name, layer, what});
  }
  void Product(const char* name, BufferId x, const Linear& linear, BufferId y,
               kernels::Activation activation = kernels::Activation::kNone) {
    Do(name, ProductOp{x, y, linear.weight, linear.bias, 0, linear.out, activation});
  }
  void NormEmbedding(const Norm& norm) {
    Append("embedding norm", hidden, kNoBuffer, norm, hidden);
  }

  void Begin(const char* name, const Norm& norm) {
    if (shape_.pre_norm) AddNorm(name, norm, input, hidden);
  }
  void End(const char* name, const Norm& norm) {
    if (!shape_.pre_norm) AddNorm(name, norm, hidden, kNoBuffer);
    begun_ = true;
  }
  // Adds the norm at the end of a pre-norm stage. Does not store the residual sum, because nothing
  // uses it after this norm.
  void EndStage(const Norm& norm) { AddNorm("final norm", norm, input, kNoBuffer); }

  int layer = -1;   // the layer of the operations that are appended next; -1: none
  BufferId hidden;  // the residual stream
  BufferId input;   // the input of sublayers; at the end, the stage's result
  BufferId qkv, context, sublayer, up;
  BufferId gated = kNoBuffer;

 private:
  void AddNorm(const char* name, const Norm& norm, BufferId y, BufferId sum) {
    // Before the first sublayer of a pre-norm stage, no output of a sublayer can be added to the
    // residual.
    const bool adds = begun_ || !shape_.pre_norm;
    Append(name, adds ? sublayer : hidden, adds ? hidden : kNoBuffer, norm, y,
           adds ? sum : kNoBuffer);
  }
  void Append(const char* name, BufferId x, BufferId residual, const Norm& norm, BufferId y,
              BufferId sum = kNoBuffer) {
    Do(name, AddNormOp{.x = x,
                       .residual = residual,
                       .y = y,
                       .sum = sum,
                       .gain = norm.gain,
                       .bias = norm.bias,
                       .epsilon = shape_.epsilon,
                       .kind = shape_.norm});
  }

  OpSequence* const stage_;
  const StageShape shape_;
  bool begun_ = false;  // whether a sublayer has ended
};

}  // namespace dragoman::engine
