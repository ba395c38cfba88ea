// The program of OPUS-MT's base models, whose step the design notes count.
#pragma once

#include "engine/model/families/family.h"

namespace dragoman::engine {

inline const Program& OpusBase() {
  static const Program program = [] {
    ModelSpec spec;
    spec.shape = {512, 6, 6, 8, 8, 2048, 2048, 58101, 58101, 512};
    return FindFamily("marian")->make(spec)->program;
  }();
  return program;
}

}  // namespace dragoman::engine
