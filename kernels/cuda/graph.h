// A recorded sequence of launches that runs as one. Includes no CUDA header.
//
// Not thread-safe. Belongs to the device that was current at Record. Kernel arguments are kept by
// value; the memory that pointers among them point to must stay valid.
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

  // Records the launches that `launches` puts on the stream; none of them runs. `launches` must not
  // wait, allocate or use another stream. Returns the first error; the graph is then empty.
  // REQUIRES: nothing else uses the stream.
  Error Record(Stream stream, const std::function<Error()>& launches);

  // REQUIRES: recorded.
  Error Launch(Stream stream) const;

  // The number of kernels, copies and fills; 0 before Record.
  int64_t nodes() const { return nodes_; }

 private:
  void Destroy();

  CUgraphExec_st* graph_ = nullptr;
  int64_t nodes_ = 0;
};

}  // namespace dragoman::kernels::cuda
