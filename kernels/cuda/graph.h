// Launches that were recorded once and are put on a stream as one. Free of CUDA's headers.
//
// Used by one thread at a time. Belongs to the device that was current at Record. What the kernels
// were given is kept by value; what pointers among it point to must stay.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "kernels/cuda/launch.h"

struct CUgraphExec_st;

namespace dragoman::kernels::cuda {

class Graph {
 public:
  Graph() = default;
  ~Graph() { Destroy(); }
  Graph(Graph&& other) noexcept
      : graph_(std::exchange(other.graph_, nullptr)), nodes_(std::exchange(other.nodes_, 0)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    std::swap(nodes_, other.nodes_);
    return *this;
  }

  // Records the launches that `launches` puts on the stream as the graph; none of them runs. It
  // must not wait, allocate, or use another stream. The first error is returned, and the graph is
  // then empty. REQUIRES: nothing else uses the stream.
  Error Record(Stream stream, const std::function<Error()>& launches);

  // REQUIRES: recorded.
  Error Launch(Stream stream) const;

  // Kernels, copies and fills; 0 before Record.
  int64_t nodes() const { return nodes_; }

 private:
  void Destroy();

  CUgraphExec_st* graph_ = nullptr;
  int64_t nodes_ = 0;
};

}  // namespace dragoman::kernels::cuda
