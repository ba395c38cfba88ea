// A recorded sequence of launches that one call launches again. Includes no CUDA header.
//
// Not thread-safe. Belongs to the device that was current at Record. Kernel arguments are copied at
// Record. Memory that they point to must stay valid as long as the graph is launched.
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

  // Records the launches that `launches` puts on the stream; they do not run. Returns the first
  // error; the graph is then empty. REQUIRES: `launches` does not wait, allocate or use another
  // stream; nothing else uses the stream.
  Error Record(Stream stream, const std::function<Error()>& launches);

  // Launches the recorded sequence. REQUIRES: Record returned kNone.
  Error Launch(Stream stream) const;

  // Returns the number of kernels, copies and fills in the graph; 0 before Record.
  int64_t nodes() const { return nodes_; }

 private:
  void Destroy();

  CUgraphExec_st* graph_ = nullptr;
  int64_t nodes_ = 0;
};

}  // namespace dragoman::kernels::cuda
