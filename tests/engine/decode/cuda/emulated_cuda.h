// The CUDA side of the engine on the host. Memory, streams, graphs and products of this file and
// emulated kernels (tests/kernels/cuda_emulation) replace the device's. So tests without a device
// cover what engine/decode/cuda sends to it: launches with their pointers, strides and row counts,
// the contents of graphs, and the host's reads.
//
// The files of engine/decode/cuda are compiled a second time, with other names for everything that
// belongs to the device (emulated_names.h).
//
// Work runs immediately, in one order. A recorded launch keeps its arguments by value, as in CUDA.
// Waiting, allocating and copying while recording is an error. New memory is full of NaN. Only one
// launch runs at a time in the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/device.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/graph.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/gather_rows.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/output_mean_cuda.h"
#include "kernels/ops/quantize_rows.h"
#include "kernels/ops/quantized_linear.h"
#include "kernels/ops/recurrence.h"
#include "kernels/ops/row_norm.h"
#include "kernels/search/batch_step_cuda.h"
#include "tests/kernels/ops/emulated_ops.h"

namespace dragoman::kernels::cuda {

// The nodes that one call adds to a stream.
struct EmulatedNodes {
  int nodes = 1;
  bool emulated = true;  // run as emulated, counted kernels; else replaced by host code
};

// Runs a launch. If this thread is recording a graph, stores the launch instead.
Error EmulateLaunch(std::function<Error()> launch, EmulatedNodes nodes = {});

inline const char* EmulatedErrorText(Error error) {
  return error == Error::kNone ? "no error" : "an error of the emulation";
}

// A kernel that never ends (FusedFault::kHangs). Later waits for the device would block forever.
struct EmulatedHang {
  bool hung = false;
  int waits = 0;       // calls that would block forever
  double limit_s = 0;  // of the wait that detected it
  std::string why;     // why the device was given up; `held` is kept alive for it
  std::shared_ptr<void> held;

  // Counts a call that waits for the device.
  void Waits() { waits += hung ? 1 : 0; }
};
inline EmulatedHang emulated_hang;

inline constexpr int64_t kEmulatedDeviceBytes = int64_t{1} << 30;
// The device's compute capability: 90 means 9.0. Tests set it.
inline int emulated_capability = 90;
Error EmulatedDescribe(int index, DeviceInfo* info);
// Sets `*bytes` to the memory that graphs leave free. Buffers do not count.
Error EmulatedFreeMemory(int64_t* bytes);
inline Error EmulatedSetDevice(int index) { return Error{index == 0 ? 0 : 101}; }

class EmulatedDeviceBuffer {
 public:
  Error Allocate(int64_t bytes);
  ~EmulatedDeviceBuffer() { Free(); }
  EmulatedDeviceBuffer() = default;
  EmulatedDeviceBuffer(EmulatedDeviceBuffer&&) = default;
  EmulatedDeviceBuffer& operator=(EmulatedDeviceBuffer&&) = default;
  void Free() {
    if (data_ != nullptr) emulated_hang.Waits();
    data_.reset();
  }
  void* data() const { return data_.get(); }
  int64_t bytes() const { return data_ == nullptr ? 0 : bytes_; }

 private:
  struct Release {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Release> data_;
  int64_t bytes_ = 0;
};

class EmulatedPinnedBuffer {
 public:
  Error Allocate(int64_t bytes);
  void* host() const { return memory_.data(); }
  void* device() const { return memory_.data(); }

 private:
  EmulatedDeviceBuffer memory_;
};

Error EmulatedCopy(Stream stream, void* to, const void* from, int64_t bytes);
Error EmulatedFill(Stream stream, void* to, uint8_t value, int64_t bytes);

class EmulatedOwnedStream {
 public:
  Error Create(StreamPriority) { return Error::kNone; }
  Stream get() const { return nullptr; }
  Error Wait() const;
};

class EmulatedEvent {
 public:
  using Timing = Event::Timing;
  using HostWait = Event::HostWait;
  Error Create(Timing = Timing::kOff, HostWait = HostWait::kSpin) { return Error::kNone; }
  Error Record(Stream);
  Error Wait() const;
  Error WaitAtMost(std::chrono::nanoseconds limit, bool* came) const;
  // kMilliseconds is the simulated duration of every launch. product_row_seconds is added for each
  // row of a matrix product; tests may set it.
  static constexpr float kMilliseconds = 0.125F;
  inline static double product_row_seconds = 0;
  Error MillisecondsSince(const EmulatedEvent& begin, float* milliseconds) const;

 private:
  bool recorded_ = false;
  int64_t product_rows_ = 0;  // rows of all products until the event
};

class EmulatedGraph {
 public:
  // Device memory of a node.
  static constexpr int64_t kNodeBytes = 1000;

  EmulatedGraph() = default;
  ~EmulatedGraph() { Free(); }
  EmulatedGraph(EmulatedGraph&& other) noexcept : launches_(std::exchange(other.launches_, {})) {}
  EmulatedGraph& operator=(EmulatedGraph&&) = delete;

  Error Record(Stream stream, const std::function<Error()>& launches);
  // Fails if a launch runs a number of kernels that differs from its number of nodes.
  Error Launch(Stream stream) const;
  int64_t nodes() const;
  // Returns the number of nodes of launches that may begin early.
  int64_t early_nodes() const;

  struct Call {
    std::function<Error()> launch;
    EmulatedNodes nodes;
    bool early = false;
  };

 private:
  void Free();

  std::vector<Call> launches_;
};

class EmulatedBlas {
 public:
  static constexpr int64_t kWorkspaceBytes = Blas::kWorkspaceBytes;
  static std::unique_ptr<EmulatedBlas> Create(std::string* why);
};

class EmulatedLinear {
 public:
  static std::unique_ptr<EmulatedLinear> Create(const EmulatedBlas* blas,
                                                const LinearOptions& options, const void* weight,
                                                const void* bias, std::span<const int> buckets,
                                                std::string* why);
  virtual ~EmulatedLinear() = default;
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;
  // The options of all products made. Tests clear them.
  inline static std::vector<LinearOptions> made;
  // The value that Linear::other_bits_from returns for products made after a test sets this.
  inline static int other_bits = 0;
  int other_bits_from() const { return other_bits; }
};

// An error of a fused layer in the last row of a fold.
enum class FusedFault { kNone, kNormaliser, kScore, kToken, kCount, kNotANumber, kHangs };

// The fused output layer. Quantized types run the fused kernel with emulated instructions.
class EmulatedFusedOutput {
 public:
  // The fault of layers made after a test sets it.
  inline static FusedFault fault = FusedFault::kNone;

  static std::unique_ptr<EmulatedFusedOutput> Create(ComputeType type, QuantizedType quantized,
                                                     const void* weight, const float* bias, int d,
                                                     int vocabulary, std::string* why);
  virtual ~EmulatedFusedOutput() = default;
  virtual QuantizedType products() const = 0;
  virtual int64_t bytes() const = 0;
  virtual int64_t WorkspaceBytes(int64_t max_rows) const = 0;
  virtual Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
                     const SlotView* slots, int max_k, const LogitRequest* requests,
                     LogitSummary* summaries) const = 0;
  virtual Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows,
                            float* logits, int64_t stride) const = 0;
};

using EmulatedStepMailboxes = StepMailboxes;

// The parts of a step that use the host's code, which is compiled for the device as well.
Error EmulatedFormatBatch(Stream stream, const BatchTables& tables);
Error EmulatedBeginStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes);
Error EmulatedPrepareRows(Stream stream, const BatchTables& tables, int64_t rows,
                          MaterializedList list);
Error EmulatedFoldMaterializedRows(Stream stream, const BatchTables& tables, int64_t first,
                                   int64_t n);
Error EmulatedStepSlots(Stream stream, const BatchTables& tables, int64_t rows);
Error EmulatedDeliver(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes,
                      int64_t rows);
Error EmulatedEndStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes);

// Wraps a launcher so that its launches run at once or are recorded.
template <auto kLauncher, int kNodes = 1>
struct Launched {
  template <class... Arguments>
  Error operator()(Stream stream, const Arguments&... arguments) const {
    return EmulateLaunch([=] { return kLauncher(stream, arguments...); }, {kNodes});
  }
};

// Like Launched, with one launcher for GPUs of compute capability 8.0 and later and another for
// older ones.
template <auto kLauncher, auto kPlain>
struct LaunchedByCard {
  template <class... Arguments>
  Error operator()(Stream stream, const Arguments&... arguments) const {
    const auto launcher = emulated_capability >= 80 ? kLauncher : kPlain;
    return EmulateLaunch([=] { return launcher(stream, arguments...); });
  }
};

// Like Launched, for host code that replaces a kernel.
template <auto kLauncher>
struct StoodIn {
  template <class... Arguments>
  Error operator()(Stream stream, const Arguments&... arguments) const {
    return EmulateLaunch([=] { return kLauncher(stream, arguments...); }, {1, false});
  }
};

inline constexpr Launched<EmulatedAddLayerNorm> kAddLayerNorm;
inline constexpr Launched<EmulatedAddRmsNorm> kAddRmsNorm;
inline constexpr Launched<EmulatedAlignRows> kAlignRows;
inline constexpr Launched<EmulatedCrossAttention> kCrossAttention;
inline constexpr Launched<EmulatedDecodeSelfAttention> kDecodeSelfAttention;
inline constexpr Launched<EmulatedEmbedTokens> kEmbedTokens;
inline constexpr LaunchedByCard<EmulatedEncoderAttention, EmulatedPlainEncoderAttention>
    kEncoderAttention;
inline constexpr Launched<EmulatedGateRows> kGateRows;
inline constexpr Launched<EmulatedFoldMeanLogits, 2> kFoldMeanLogits;
inline constexpr Launched<EmulatedFoldMaterializedLogits> kFoldMaterializedLogits;
inline constexpr Launched<EmulatedGatherRows> kGatherRows;
inline constexpr Launched<EmulatedMultiplyQuantizedRows> kMultiplyQuantizedRows;
inline constexpr Launched<EmulatedQuantizeRows> kQuantizeRows;
inline constexpr Launched<EmulatedRecur> kRecur;
inline constexpr Launched<EmulatedWriteCrossKv> kWriteCrossKv;
inline constexpr StoodIn<EmulatedFormatBatch> kFormatBatch;
inline constexpr StoodIn<EmulatedBeginStep> kBeginStep;
inline constexpr StoodIn<EmulatedFoldMaterializedRows> kFoldMaterializedRows;
inline constexpr StoodIn<EmulatedStepSlots> kStepSlots;
inline constexpr StoodIn<EmulatedDeliver> kDeliver;
inline constexpr StoodIn<EmulatedEndStep> kEndStep;
// The form of int8 products whose last element is wrong in the last bit; kAuto: none. Tests set it.
inline QuantizedForm emulated_quantized_fault = QuantizedForm::kAuto;
Error LaunchEmulatedMultiplyQuantized(Stream stream, const QuantizedProduct& product, const void* x,
                                      int64_t rows, const int32_t* count, void* workspace, void* y);
inline Error LaunchEmulatedPrepareRows(Stream stream, const BatchTables& tables, int64_t rows,
                                       MaterializedList list) {
  const int nodes = list == MaterializedList::kNone ? 1 : 2;
  return EmulateLaunch([=] { return EmulatedPrepareRows(stream, tables, rows, list); },
                       {nodes, false});
}

}  // namespace dragoman::kernels::cuda
