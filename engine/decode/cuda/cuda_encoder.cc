#include "engine/decode/cuda/cuda_model.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/memory_plan.h"
#include "engine/decode/cuda/nvtx.h"
#include "engine/decode/cuda/pass_limit.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/row_norm.h"

namespace dragoman::engine {
namespace {

// The integer arrays of an encoder pass are in one block of memory, so one copy sends them all to
// the device. This struct has the offset of each array in the block, in integers.
struct PassInputs {
  int64_t tokens = 0;
  int64_t positions = 0;
  int64_t offsets = 0;
  int64_t page_offsets = 0;
  int64_t pages = 0;
  int64_t end = 0;

  // Returns the number of integers that suffice for a pass of `count` tokens, which has at most
  // `count` segments and `count` pages.
  static int64_t Capacity(int64_t count) { return 5 * (count + 1); }

  PassInputs(int64_t count, int64_t segments, int64_t page_count)
      : positions(count),
        offsets(positions + count),
        page_offsets(offsets + segments + 1),
        pages(page_offsets + segments + 1),
        end(pages + page_count) {}
};

class CudaEncoder final : public Encoder {
 public:
  explicit CudaEncoder(std::shared_ptr<const CudaModel> model)
      : model_(std::move(model)),
        program_(model_->program()),
        capacity_(model_->encoder_buckets().back()),
        limit_(model_->encoder_buckets()) {}

  ~CudaEncoder() override { static_cast<void>(cuda::SetDevice(model_->device())); }

  absl::Status Init();
  absl::Status Encode(const EncodeInput& in) override;
  int64_t max_tokens() const override { return limit_.tokens(); }
  int64_t workspace_bytes() const override {
    return inputs_.bytes() + workspace_.bytes() + activations_.bytes();
  }

 private:
  class Launcher;

  // Calls `launch` if the pass has not failed yet.
  template <class Launch>
  void Do(const char* op, Launch launch) {
    if (!status_.ok()) return;
    status_ = CudaStatus(model_->device(), op, launch());
  }

  absl::Status RunFirst();
  // Adds the time of the pass that has just ended to limit_. The pass was launched for `rows` rows.
  void Measure(int64_t rows);
  void SendInputs(const EncodeInput& in, const PassInputs& at);
  const int32_t* Input(int64_t at) const {
    return static_cast<const int32_t*>(inputs_.data()) + at;
  }
  void* At(BufferId buffer) const {
    if (buffer == kNoBuffer) return nullptr;
    return static_cast<uint8_t*>(activations_.data()) +
           model_->encoder_buffers().offset[static_cast<size_t>(buffer)] * capacity_ *
               kernels::ElementBytes(model_->type());
  }

  const std::shared_ptr<const CudaModel> model_;
  const Program& program_;
  const int64_t capacity_;

  PassLimit limit_;

  cuda::Event begun_;
  cuda::Event done_;
  cuda::PinnedBuffer staging_;
  cuda::DeviceBuffer inputs_;
  cuda::DeviceBuffer workspace_;  // workspace of the products
  // The encoder's buffers (CudaModel::encoder_buffers) for capacity_ rows.
  cuda::DeviceBuffer activations_;
  cuda::OwnedStream stream_;

  absl::Status status_;  // status of the current pass
};

// Puts the operations of one pass on the stream.
class CudaEncoder::Launcher {
 public:
  Launcher(const CudaEncoder& encoder, const EncodeInput& in, const PassInputs& at)
      : encoder_(encoder),
        model_(*encoder.model_),
        stream_(encoder.stream_.get()),
        in_(in),
        at_(at),
        tokens_(in.offsets[in.segments]),
        rows_(BucketFor(model_.encoder_buckets(), tokens_)) {
    for (int64_t i = 0; i < in.segments; ++i) {
      longest_ = std::max<int64_t>(longest_, in.offsets[i + 1] - in.offsets[i]);
    }
  }

  int64_t rows() const { return rows_; }

  cuda::Error Launch(size_t op) {
    number_ = op;
    return std::visit(*this, encoder_.program_.encoder.ops[op].what);
  }

  cuda::Error operator()(const EmbedOp& op) const {
    return cuda::EmbedTokens(stream_, model_.type(), model_.weight(op.table),
                             kernels::PositionTable{model_.float_weight(op.positions), op.unplaced},
                             op.scale, encoder_.Input(at_.tokens), encoder_.Input(at_.positions),
                             tokens_, nullptr, Cols(op.table), encoder_.At(op.y));
  }
  cuda::Error operator()(const ProductOp& op) const {
    return model_.encoder_product(number_).Run(
        stream_, encoder_.workspace_.data(), encoder_.At(op.x), rows_, nullptr, encoder_.At(op.y));
  }
  cuda::Error operator()(const GateOp& op) const {
    return cuda::GateRows(stream_, model_.type(), op.activation, encoder_.At(op.x), tokens_,
                          nullptr, static_cast<int>(op.width), encoder_.At(op.y));
  }
  cuda::Error operator()(const AddNormOp& op) const {
    if (op.kind == NormKind::kRms) {
      return cuda::AddRmsNorm(stream_, model_.type(), encoder_.At(op.x), encoder_.At(op.residual),
                              model_.float_weight(op.gain), op.epsilon, tokens_, nullptr,
                              Cols(op.gain), encoder_.At(op.y), encoder_.At(op.sum));
    }
    return cuda::AddLayerNorm(stream_, model_.type(), encoder_.At(op.x), encoder_.At(op.residual),
                              model_.float_weight(op.gain), model_.float_weight(op.bias),
                              op.epsilon, tokens_, nullptr, Cols(op.gain), encoder_.At(op.y),
                              encoder_.At(op.sum));
  }
  cuda::Error operator()(const EncoderAttentionOp& op) const {
    return cuda::EncoderAttention(
        stream_, model_.type(), encoder_.At(op.qkv), encoder_.Input(at_.offsets), in_.segments,
        longest_, op.heads, op.head_dim, encoder_.At(op.context), model_.relative_bias(op.bias));
  }
  cuda::Error operator()(const WriteCrossKvOp& op) const {
    return cuda::WriteCrossKv(stream_, model_.type(), encoder_.program_.KvOf(op.first_layer),
                              op.first_layer, op.layers, encoder_.At(op.kv),
                              encoder_.Input(at_.offsets), in_.segments,
                              encoder_.Input(at_.page_offsets), encoder_.Input(at_.pages),
                              in_.page_offsets[in_.segments], in_.pool);
  }
  template <class Other>
  cuda::Error operator()(const Other&) const {
    NotOfThisStage();
  }

 private:
  int Cols(WeightId id) const { return static_cast<int>(encoder_.program_.weight(id).cols); }

  const CudaEncoder& encoder_;
  const CudaModel& model_;
  const cuda::Stream stream_;
  const EncodeInput& in_;
  const PassInputs& at_;
  const int64_t tokens_;
  const int64_t rows_;  // the pass's bucket, which is the row count of the products
  int64_t longest_ = 0;
  size_t number_ = 0;  // index of the current operation
};

absl::Status CudaEncoder::Init() {
  const int device = model_->device();
  cuda::Error error = cuda::SetDevice(device);
  if (error == cuda::Error::kNone) error = stream_.Create(cuda::StreamPriority::kLow);
  if (error == cuda::Error::kNone) error = begun_.Create(cuda::Event::Timing::kOn);
  if (error == cuda::Error::kNone) {
    error = done_.Create(cuda::Event::Timing::kOn, cuda::Event::HostWait::kSleep);
  }
  if (error != cuda::Error::kNone) return CudaStatus(device, "making the encoder's stream", error);

  const int64_t integers = PassInputs::Capacity(capacity_) * static_cast<int64_t>(sizeof(int32_t));
  error = staging_.Allocate(integers);
  if (error == cuda::Error::kNone) error = inputs_.Allocate(integers);
  if (error == cuda::Error::kNone) {
    error = workspace_.Allocate(
        ProductWorkspaceBytes(program_, program_.encoder, capacity_, model_->quantized_layers()));
  }
  if (error != cuda::Error::kNone) {
    return CudaMemoryStatus(device, "encoder inputs", integers, error);
  }
  const int64_t bytes =
      model_->encoder_buffers().Bytes(capacity_, kernels::ElementBytes(model_->type()));
  error = activations_.Allocate(bytes);
  if (error != cuda::Error::kNone) {
    return CudaMemoryStatus(device, "encoder activations", bytes, error);
  }
  // A pass also computes the rows from its number of tokens to its bucket, which are never read.
  // The memory is set to zeros only so that memory checkers do not report these rows.
  error = cuda::Fill(stream_.get(), activations_.data(), 0, bytes);
  if (error == cuda::Error::kNone) error = stream_.Wait();
  if (error != cuda::Error::kNone) {
    return CudaStatus(device, "clearing encoder activations", error);
  }
  return RunFirst();
}

// Makes two passes over a few short segments into temporary pages, so that errors occur at load.
// During the first pass the device loads the kernels, so only the time of the second pass is
// meaningful.
absl::Status CudaEncoder::RunFirst() {
  constexpr int kSegments = 4;
  // Each segment has at most kPagePositions tokens, so it needs one page.
  const int64_t length = std::clamp<int64_t>(
      capacity_ / kSegments, 1, std::min<int64_t>(kernels::kPagePositions, program_.max_positions));
  const int64_t bytes =
      kSegments * program_.kv.ElementsPerPage() * kernels::ElementBytes(model_->type());
  cuda::DeviceBuffer memory;
  if (const cuda::Error error = memory.Allocate(bytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(model_->device(), "pages of the first passes", bytes, error);
  }
  const std::vector<int32_t> zeros(static_cast<size_t>(kSegments * length), 0);
  std::vector<int32_t> offsets;
  std::vector<int32_t> page_offsets;
  std::vector<int32_t> pages;
  for (int i = 0; i <= kSegments; ++i) {
    offsets.push_back(static_cast<int32_t>(i * length));
    page_offsets.push_back(i);
    pages.push_back(i);
  }
  for (int pass = 0; pass < 2; ++pass) {
    const absl::Status status = Encode({zeros.data(), offsets.data(), kSegments,
                                        page_offsets.data(), pages.data(), memory.data()});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void CudaEncoder::Measure(int64_t rows) {
  float milliseconds = 0;
  Do("timing the encoder", [&] { return done_.MillisecondsSince(begun_, &milliseconds); });
  if (status_.ok()) limit_.Add(static_cast<int>(rows), milliseconds / 1000.0);
}

absl::Status CudaEncoder::Encode(const EncodeInput& in) {
  const NvtxRange range("encode");
  const cuda::EarlyLaunches early(model_->options().early_launch);
  const int64_t tokens = in.offsets[in.segments];
  const int64_t page_count = in.page_offsets[in.segments];
  if (tokens > capacity_ || in.segments > tokens || page_count > tokens) {
    return absl::InternalError(absl::StrCat(
        "encoder: ", tokens, " tokens, ", in.segments, " segments, ", page_count,
        " pages in one pass, expected at most ", capacity_, " tokens and no more of the others"));
  }
  const PassInputs at(tokens, in.segments, page_count);
  status_ = absl::OkStatus();
  Do("selecting the device", [&] { return cuda::SetDevice(model_->device()); });
  Do("encoder", [&] { return begun_.Record(stream_.get()); });
  SendInputs(in, at);
  Launcher launcher(*this, in, at);
  for (size_t i = 0; i < program_.encoder.ops.size(); ++i) {
    if (!status_.ok()) break;
    if (const cuda::Error error = launcher.Launch(i); error != cuda::Error::kNone) {
      const std::string op = absl::StrCat("encoder ", program_.encoder.ops[i].name);
      status_ = CudaStatus(model_->device(), op.c_str(), error);
    }
  }
  // The wait shows whether the kernels failed. It also makes sure that the kernels no longer use
  // the pass's buffers, which the caller and this object use again after the return.
  Do("encoder", [&] { return done_.Record(stream_.get()); });
  const cuda::Error waited =
      // A failed pass may have launched some operations.
      status_.ok() ? done_.Wait() : stream_.Wait();
  Do("encoder", [&] { return waited; });
  Measure(launcher.rows());
  return status_;
}

void CudaEncoder::SendInputs(const EncodeInput& in, const PassInputs& at) {
  auto* to = static_cast<int32_t*>(staging_.host());
  const int64_t tokens = in.offsets[in.segments];
  std::copy_n(in.tokens, tokens, to + at.tokens);
  for (int64_t i = 0; i < in.segments; ++i) {
    std::iota(to + at.positions + in.offsets[i], to + at.positions + in.offsets[i + 1], 0);
  }
  std::copy_n(in.offsets, in.segments + 1, to + at.offsets);
  std::copy_n(in.page_offsets, in.segments + 1, to + at.page_offsets);
  std::copy_n(in.pages, in.page_offsets[in.segments], to + at.pages);
  Do("encoder inputs", [&] {
    return cuda::Copy(stream_.get(), inputs_.data(), to,
                      at.end * static_cast<int64_t>(sizeof(int32_t)));
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model) {
  auto encoder = std::make_unique<CudaEncoder>(std::move(model));
  if (const absl::Status status = encoder->Init(); !status.ok()) return status;
  return encoder;
}

}  // namespace dragoman::engine
