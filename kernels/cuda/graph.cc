#include "kernels/cuda/graph.h"

#include "kernels/cuda/checked.h"

namespace dragoman::kernels::cuda {

Error Graph::Record(Stream stream, const std::function<Error()>& launches) {
  Destroy();
  // Thread-local mode, so that work of other threads on other devices does not affect this capture.
  Error error = Checked(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (error != Error::kNone) return error;
  const Error launched = launches();
  // Ends the capture in any case; otherwise the stream would be unusable.
  cudaGraph_t recorded = nullptr;
  error = Checked(cudaStreamEndCapture(stream, &recorded));
  if (launched != Error::kNone) error = launched;
  // Without flags the graph runs with the priority of the stream that it is launched on.
  if (error == Error::kNone) error = Checked(cudaGraphInstantiate(&graph_, recorded, 0));
  size_t nodes = 0;
  if (error == Error::kNone) error = Checked(cudaGraphGetNodes(recorded, nullptr, &nodes));
  nodes_ = static_cast<int64_t>(nodes);
  if (recorded != nullptr) {
    const Error destroyed = Checked(cudaGraphDestroy(recorded));
    if (error == Error::kNone) error = destroyed;
  }
  // Makes the first launch as fast as the others.
  if (error == Error::kNone) error = Checked(cudaGraphUpload(graph_, stream));
  if (error != Error::kNone) Destroy();
  return error;
}

Error Graph::Launch(Stream stream) const { return Checked(cudaGraphLaunch(graph_, stream)); }

void Graph::Destroy() {
  nodes_ = 0;
  if (graph_ == nullptr) return;
  // No error can be reported from here. After a failed kernel every call returns an error.
  static_cast<void>(Checked(cudaGraphExecDestroy(graph_)));
  graph_ = nullptr;
}

}  // namespace dragoman::kernels::cuda
