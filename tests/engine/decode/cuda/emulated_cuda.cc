#include "tests/engine/decode/cuda/emulated_cuda.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/quantization.h"
#include "engine/decode/cuda/step_costs.h"
#include "kernels/cuda/launch.h"
#include "kernels/search/batch_step.h"
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/kernels/ops/activation_reference.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr Error kInvalidValue{1};
constexpr Error kNotWhileRecording{900};
constexpr Error kMiscounted{901};

// The graph that this thread is recording; nullptr if none.
thread_local std::vector<EmulatedGraph::Call>* recording = nullptr;

// Number of rows of all products so far.
std::atomic<int64_t> product_rows = 0;

// Bytes of the device's memory that graphs hold.
std::atomic<int64_t> graph_bytes = 0;

std::mutex& OneAtATime() {
  static std::mutex mutex;
  return mutex;
}

float Load(const void* from, ComputeType type, int64_t index) {
  if (type == ComputeType::kFloat32) return static_cast<const float*>(from)[index];
  const uint16_t bits = static_cast<const uint16_t*>(from)[index];
  return type == ComputeType::kFloat16 ? engine::FromFloat16(bits) : engine::FromBFloat16(bits);
}

void Store(void* to, ComputeType type, int64_t index, float x) {
  if (type == ComputeType::kFloat32) {
    static_cast<float*>(to)[index] = x;
  } else {
    static_cast<uint16_t*>(to)[index] =
        type == ComputeType::kFloat16 ? engine::ToFloat16(x) : engine::ToBFloat16(x);
  }
}

float Activated(Activation activation, float x) {
  return static_cast<float>(ActivationReference(activation, x));
}

// A weight W [out, in], stored as f32 [in, out] so that the loop over outputs is the inner one.
class Product {
 public:
  Product(const void* weight, ComputeType type, int in, int out)
      : in_(in), out_(out), columns_(static_cast<size_t>(in) * static_cast<size_t>(out)) {
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i) {
        columns_[static_cast<size_t>(i * out + o)] = Load(weight, type, o * in + i);
      }
    }
  }

  // Computes y [out] = W x for row `row` of x [rows, in].
  void Row(const void* x, ComputeType type, int64_t row, float* y) const {
    std::fill_n(y, out_, 0.0F);
    for (int64_t i = 0; i < in_; ++i) {
      const float value = Load(x, type, row * in_ + i);
      const float* column = columns_.data() + i * out_;
      for (int64_t o = 0; o < out_; ++o) y[o] += value * column[o];
    }
  }

 private:
  const int64_t in_;
  const int64_t out_;
  std::vector<float> columns_;
};

class HostLinear final : public EmulatedLinear {
 public:
  HostLinear(const LinearOptions& options, const void* weight, const void* bias,
             std::span<const int> buckets)
      : options_(options),
        product_(weight, options.type, options.in, options.out),
        buckets_(buckets.begin(), buckets.end()) {
    const ComputeType type = options.float_output ? ComputeType::kFloat32 : options.type;
    for (int64_t o = 0; bias != nullptr && o < options.out; ++o) {
      bias_.push_back(Load(bias, type, o));
    }
  }

  // Sets the rows from `*count` on to NaN, so that a read of one shows. A device computes them as
  // well, but nothing may read them.
  Error Run(Stream, void* workspace, const void* x, int64_t rows, const int32_t* count,
            void* y) const override {
    if (workspace == nullptr || !std::binary_search(buckets_.begin(), buckets_.end(), rows)) {
      return kInvalidValue;
    }
    return EmulateLaunch(
        [=, this] {
          product_rows += rows;
          const ComputeType type = options_.float_output ? ComputeType::kFloat32 : options_.type;
          const int64_t stride = options_.y_stride > 0 ? options_.y_stride : options_.out;
          const int64_t live = count == nullptr ? rows : std::min<int64_t>(rows, *count);
          std::vector<float> row(static_cast<size_t>(options_.out));
          for (int64_t r = 0; r < rows; ++r) {
            if (r < live) {
              product_.Row(x, options_.type, r, row.data());
            } else {
              std::fill(row.begin(), row.end(), NAN);
            }
            for (size_t o = 0; o < row.size(); ++o) {
              const float sum = row[o] + (bias_.empty() ? 0.0F : bias_[o]);
              Store(y, type, r * stride + static_cast<int64_t>(o),
                    Activated(options_.activation, sum));
            }
          }
          return Error::kNone;
        },
        {Nodes(), false});
  }

 private:
  // The product is one node. An activation that cuBLASLt's epilogue does not have is a second one.
  int Nodes() const { return IsOfProduct(options_.activation) ? 1 : 2; }

  const LinearOptions options_;
  const Product product_;
  const std::vector<int> buckets_;
  std::vector<float> bias_;
};

class HostFusedOutput final : public EmulatedFusedOutput {
 public:
  explicit HostFusedOutput(std::unique_ptr<FusedOutput> fused) : fused_(std::move(fused)) {}

  int64_t bytes() const override { return fused_->bytes(); }
  int64_t WorkspaceBytes(int64_t max_rows) const override {
    return fused_->WorkspaceBytes(max_rows);
  }

  Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
             const SlotView* slots, int max_k, const LogitRequest* requests,
             LogitSummary* summaries) const override {
    return EmulateLaunch(
        [=, this] {
          if (fault_ == FusedFault::kHangs && *rows.count > 0) {
            emulated_hang.hung = true;
            return Error::kNone;
          }
          const Error error =
              fused_->Fold(stream, workspace, hidden, rows, slots, max_k, requests, summaries);
          if (error == Error::kNone && *rows.count > 0) Plant(&summaries[*rows.count - 1]);
          return error;
        },
        {products() == QuantizedType::kNone ? 2 : 3, true});
  }

  QuantizedType products() const override { return fused_->products(); }
  Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows, float* logits,
                    int64_t stride) const override {
    return EmulateLaunch(
        [=, this] { return fused_->StoreLogits(stream, workspace, hidden, rows, logits, stride); },
        {2, true});
  }

 private:
  void Plant(LogitSummary* row) const {
    switch (fault_) {
      case FusedFault::kNone:
        break;
      case FusedFault::kNormaliser:  // one tile of 256 of the 10,000 columns is missing
        row->normaliser.sum *= 1 - 256.0F / 10'000;
        break;
      case FusedFault::kScore:
        row->top[row->count - 1].score -= 0.125F;
        break;
      case FusedFault::kToken:
        std::swap(row->top[0].token, row->top[row->count - 1].token);
        break;
      case FusedFault::kCount:
        --row->count;
        break;
      case FusedFault::kHangs:  // Fold does not reach this function then
        break;
      case FusedFault::kNotANumber:
        row->top[0].score = NAN;
        break;
    }
  }

  const FusedFault fault_ = EmulatedFusedOutput::fault;
  const std::unique_ptr<FusedOutput> fused_;
};

const StepMailbox& MailboxOf(const BatchTables& tables, const StepMailboxes& mailboxes) {
  return mailboxes.mailbox[tables.now->step % kStepMailboxes];
}

}  // namespace

Error EmulateLaunch(std::function<Error()> launch, EmulatedNodes nodes) {
  if (recording != nullptr) {
    recording->push_back({std::move(launch), nodes, EarlyLaunches::allowed()});
    return Error::kNone;
  }
  const std::lock_guard<std::mutex> lock(OneAtATime());
  return launch();
}

Error EmulatedDescribe(int index, DeviceInfo* info) {
  if (index != 0) return Error{101};
  *info = {"emulated", emulated_capability / 10, emulated_capability % 10,
           4,          kEmulatedDeviceBytes,     kEmulatedDeviceBytes};
  return Error::kNone;
}

Error EmulatedFreeMemory(int64_t* bytes) {
  *bytes = kEmulatedDeviceBytes - graph_bytes;
  return Error::kNone;
}

Error EmulatedDeviceBuffer::Allocate(int64_t bytes) {
  if (recording != nullptr) return kNotWhileRecording;
  const int64_t rounded = (bytes + 255) / 256 * 256;
  data_.reset(bytes > 0 ? std::aligned_alloc(256, static_cast<size_t>(rounded)) : nullptr);
  bytes_ = bytes;
  if (bytes > 0) std::memset(data_.get(), 0xff, static_cast<size_t>(rounded));
  return Error::kNone;
}

Error EmulatedPinnedBuffer::Allocate(int64_t bytes) {
  const Error error = memory_.Allocate(bytes);
  if (error == Error::kNone) std::memset(memory_.data(), 0, static_cast<size_t>(bytes));
  return error;
}

Error EmulatedCopy(Stream, void* to, const void* from, int64_t bytes) {
  if (recording != nullptr) return kNotWhileRecording;
  emulated_hang.Waits();
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));  // 0 bytes: may be nullptr
  return Error::kNone;
}

Error EmulatedFill(Stream, void* to, uint8_t value, int64_t bytes) {
  if (recording != nullptr) return kNotWhileRecording;
  if (bytes > 0) std::memset(to, value, static_cast<size_t>(bytes));
  return Error::kNone;
}

Error EmulatedOwnedStream::Wait() const {
  emulated_hang.Waits();
  return recording != nullptr ? kNotWhileRecording : Error::kNone;
}

Error EmulatedEvent::Record(Stream) {
  if (recording != nullptr) return kNotWhileRecording;
  recorded_ = true;
  product_rows_ = product_rows;
  return Error::kNone;
}

Error EmulatedEvent::Wait() const {
  return recording != nullptr || !recorded_ ? kNotWhileRecording : Error::kNone;
}

Error EmulatedEvent::WaitAtMost(std::chrono::nanoseconds limit, bool* came) const {
  if (recording != nullptr || !recorded_) return kNotWhileRecording;
  *came = !emulated_hang.hung;
  if (emulated_hang.hung) emulated_hang.limit_s = std::chrono::duration<double>(limit).count();
  return Error::kNone;
}

Error EmulatedEvent::MillisecondsSince(const EmulatedEvent& begin, float* milliseconds) const {
  const auto rows = static_cast<double>(product_rows_ - begin.product_rows_);
  *milliseconds = kMilliseconds + static_cast<float>(1000 * rows * product_row_seconds);
  return begin.recorded_ && recorded_ ? Error::kNone : kInvalidValue;
}

Error EmulatedGraph::Record(Stream, const std::function<Error()>& launches) {
  Free();
  recording = &launches_;
  const Error error = launches();
  recording = nullptr;
  graph_bytes += nodes() * kNodeBytes;
  return error;
}

Error EmulatedGraph::Launch(Stream) const {
  if (recording != nullptr || launches_.empty()) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(OneAtATime());
  for (const Call& call : launches_) {
    const int64_t before = emulation::launches;
    const Error error = call.launch();
    if (error != Error::kNone) return error;
    const int64_t kernels = emulation::launches - before;
    if (kernels != (call.nodes.emulated ? call.nodes.nodes : 0)) return kMiscounted;
  }
  return Error::kNone;
}

void EmulatedGraph::Free() {
  graph_bytes -= nodes() * kNodeBytes;
  launches_.clear();
}

int64_t EmulatedGraph::nodes() const {
  int64_t nodes = 0;
  for (const Call& call : launches_) nodes += call.nodes.nodes;
  return nodes;
}

int64_t EmulatedGraph::early_nodes() const {
  int64_t nodes = 0;
  for (const Call& call : launches_) nodes += call.early ? call.nodes.nodes : 0;
  return nodes;
}

std::unique_ptr<EmulatedBlas> EmulatedBlas::Create(std::string*) {
  return std::make_unique<EmulatedBlas>();
}

std::unique_ptr<EmulatedLinear> EmulatedLinear::Create(const EmulatedBlas* blas,
                                                       const LinearOptions& options,
                                                       const void* weight, const void* bias,
                                                       std::span<const int> buckets,
                                                       std::string* why) {
  if (blas == nullptr || options.in % 8 != 0 || buckets.empty()) {
    *why = "the emulation does not take these options";
    return nullptr;
  }
  EmulatedLinear::made.push_back(options);
  return std::make_unique<HostLinear>(options, weight, bias, buckets);
}

std::unique_ptr<EmulatedFusedOutput> EmulatedFusedOutput::Create(ComputeType type,
                                                                 QuantizedType quantized,
                                                                 const void* weight,
                                                                 const float* bias, int d,
                                                                 int vocabulary, std::string* why) {
  constexpr int kProcessors = 4;
  auto fused =
      EmulatedFusedOutputOf(kProcessors, type, quantized, weight, bias, d, vocabulary, why);
  if (fused == nullptr) return nullptr;
  return std::make_unique<HostFusedOutput>(std::move(fused));
}

Error LaunchEmulatedMultiplyQuantized(Stream stream, const QuantizedProduct& product, const void* x,
                                      int64_t rows, const int32_t* count, void* workspace,
                                      void* y) {
  const bool fault = emulated_quantized_fault != QuantizedForm::kAuto &&
                     emulated_quantized_fault == product.form && rows > 0;
  return EmulateLaunch(
      [=] {
        const Error error =
            EmulatedMultiplyQuantized(stream, product, x, rows, count, workspace, y);
        product_rows += rows;
        if (fault) static_cast<uint16_t*>(y)[rows * product.out - 1] ^= 1U;
        return error;
      },
      {EmulatedQuantizedProductNodes(product, rows), true});
}

Error EmulatedFormatBatch(Stream, const BatchTables& tables) {
  dragoman::kernels::FormatBatch(SingleThread(), tables);
  return Error::kNone;
}

Error EmulatedBeginStep(Stream, const BatchTables& tables, const StepMailboxes& mailboxes) {
  dragoman::kernels::BeginStep(SingleThread(), tables, MailboxOf(tables, mailboxes));
  return Error::kNone;
}

Error EmulatedPrepareRows(Stream, const BatchTables& tables, int64_t rows, MaterializedList list) {
  if (tables.now->plan.rows > rows) return kInvalidValue;
  for (int32_t row = 0; row < tables.now->plan.rows; ++row) {
    PrepareStepRow(tables, row);
    WriteRowPages(tables, row, 0, 1);
  }
  if (list == MaterializedList::kNone) return Error::kNone;
  ListMaterializedRows(SingleThread(), tables, [&](const SearchOptions& o) {
    return list == MaterializedList::kAll || !MayFuse(o);
  });
  return Error::kNone;
}

Error EmulatedFoldMaterializedRows(Stream, const BatchTables& tables, int64_t first, int64_t n) {
  if (first + n > tables.limits.materialized_rows) return kInvalidValue;
  const auto end =
      static_cast<int32_t>(std::min<int64_t>(first + n, tables.now->materialized_count));
  for (auto i = static_cast<int32_t>(first); i < end; ++i) {
    FoldMaterializedStepRow(
        SingleThread(), tables, i,
        tables.materialized_workspaces[i % tables.limits.materialized_workspaces]);
  }
  return Error::kNone;
}

Error EmulatedStepSlots(Stream, const BatchTables& tables, int64_t rows) {
  if (tables.now->plan.slot_count > rows) return kInvalidValue;
  for (int32_t i = 0; i < tables.now->plan.slot_count; ++i) {
    StepSlot(SingleThread(), tables, i, tables.step_workspaces[i % tables.limits.workspaces]);
  }
  return Error::kNone;
}

Error EmulatedDeliver(Stream, const BatchTables& tables, const StepMailboxes& mailboxes,
                      int64_t rows) {
  if (rows <= 0) return kInvalidValue;
  for (int32_t i = 0; i < tables.now->order_count; ++i) {
    dragoman::kernels::Deliver(SingleThread(), tables, i, MailboxOf(tables, mailboxes));
  }
  return Error::kNone;
}

Error EmulatedEndStep(Stream, const BatchTables& tables, const StepMailboxes& mailboxes) {
  dragoman::kernels::EndStep(SingleThread(), tables, MailboxOf(tables, mailboxes));
  return Error::kNone;
}

}  // namespace dragoman::kernels::cuda

namespace dragoman::engine {

// Returns 1e12 bytes and 1e15 flop per second.
absl::StatusOr<DeviceRates> MeasureEmulatedRates(int, kernels::ComputeType) {
  return DeviceRates{1e12, 1e15};
}

void EmulatedGiveUpDevice(int, std::string why, std::shared_ptr<void> held) {
  kernels::cuda::emulated_hang.why = std::move(why);
  kernels::cuda::emulated_hang.held = std::move(held);
}

std::string EmulatedWhyGivenUp(int) { return kernels::cuda::emulated_hang.why; }

void SetEmulatedCapability(int capability) { kernels::cuda::emulated_capability = capability; }
void SetEmulatedOtherBits(int rows) { kernels::cuda::EmulatedLinear::other_bits = rows; }

}  // namespace dragoman::engine
