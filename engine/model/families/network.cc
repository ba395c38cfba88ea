#include "engine/model/families/network.h"

#include <utility>

namespace dragoman {

WeightSource SourceOfVocabulary(std::vector<std::string> tensors, int rows, int64_t cols,
                                bool has_empty) {
  const auto of = [cols](int64_t n) {
    return cols == 0 ? std::vector<int64_t>{n} : std::vector<int64_t>{n, cols};
  };
  WeightSource source{{{std::move(tensors), of(has_empty ? rows - 1 : rows)}}, IfAbsent::kRefuse};
  if (has_empty) source.parts.push_back({{}, of(1)});
  return source;
}

}  // namespace dragoman
