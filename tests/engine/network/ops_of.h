// Returns the operations of one kind in a stage, in order.
#pragma once

#include <variant>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

template <class What>
std::vector<What> All(const OpSequence& stage) {
  std::vector<What> found;
  for (const Op& op : stage.ops) {
    if (const auto* what = std::get_if<What>(&op.what)) found.push_back(*what);
  }
  return found;
}

}  // namespace dragoman::engine
