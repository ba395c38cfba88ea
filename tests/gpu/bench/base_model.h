// A model with the shape of OPUS-MT's "base" checkpoints and random weights of a fixed seed. Its
// only use is measuring times, which do not depend on the text of a translation.
#pragma once

#include "engine/model/families/model_spec.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"

namespace dragoman::bench {

// 6 + 6 layers, d 512, feed-forward 2048, 8 heads, swish, tied embeddings.
engine::ModelSpec BaseSpec(int vocabulary = 58101);

engine::Program ProgramOf(const engine::ModelSpec& spec);

engine::WeightValues RandomWeights(const engine::Program& program);

}  // namespace dragoman::bench
