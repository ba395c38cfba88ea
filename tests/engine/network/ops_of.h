// Finds operations and weights of a program.
#pragma once

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

// Returns the operations of one kind in a stage, in order.
template <class What>
std::vector<What> All(const OpSequence& stage) {
  std::vector<What> found;
  for (const Op& op : stage.ops) {
    if (const auto* what = std::get_if<What>(&op.what)) found.push_back(*what);
  }
  return found;
}

// Returns the id of the weight with this name; kNoWeight if there is none.
inline WeightId FindWeight(const Program& program, std::string_view name) {
  const auto& weights = program.weights;
  const auto found = std::find_if(weights.begin(), weights.end(),
                                  [&](const Weight& weight) { return weight.name == name; });
  return found == weights.end() ? kNoWeight : static_cast<WeightId>(found - weights.begin());
}

}  // namespace dragoman::engine
