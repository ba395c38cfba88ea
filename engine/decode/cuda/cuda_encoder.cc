#include "engine/decode/cuda/cuda_encoder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/nvtx.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/layer_norm.h"

namespace dragoman {
namespace {

// The integers of a pass, one after the other in one block, so that one copy brings them all.
struct PassInputs {
  int64_t tokens = 0;
  int64_t positions = 0;
  int64_t offsets = 0;
  int64_t page_offsets = 0;
  int64_t pages = 0;
  int64_t end = 0;

  // A pass of `count` tokens has at most as many segments and as many pages.
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
        shape_(model_->spec().shape),
        capacity_(model_->encoder_buckets().back()) {}

  ~CudaEncoder() override { static_cast<void>(cuda::SetDevice(model_->device())); }

  absl::Status Init();
  absl::Status Encode(const EncodeInput& in) override;
  int64_t max_tokens() const override { return capacity_; }
  int64_t workspace_bytes() const override {
    return inputs_.bytes() + workspace_.bytes() + hidden_.bytes() + scratch_.bytes();
  }

 private:
  // Runs `launch` unless something has failed before.
  template <class Launch>
  void Do(const char* op, Launch launch) {
    if (!status_.ok()) return;
    status_ = CudaStatus(model_->device(), op, launch());
  }

  absl::Status Allocate(cuda::DeviceBuffer* buffer, int64_t elements);
  absl::Status RunOnce();
  void SendInputs(const EncodeInput& in, const PassInputs& at);
  void RunLayer(const CudaEncoderLayer& layer, int64_t tokens, int64_t segments, int64_t longest);
  void Project(const char* op, const cuda::Linear& linear, const void* x, void* y);
  void Residual(const CudaNorm& norm, int64_t tokens);
  void WriteCross(const EncodeInput& in, const PassInputs& at);
  const int32_t* Input(int64_t at) const {
    return static_cast<const int32_t*>(inputs_.data()) + at;
  }

  const std::shared_ptr<const CudaModel> model_;
  const ModelShape& shape_;
  const int64_t capacity_;

  cuda::OwnedStream stream_;
  cuda::Event done_;
  cuda::PinnedBuffer staging_;
  cuda::DeviceBuffer inputs_;
  cuda::DeviceBuffer workspace_;
  cuda::DeviceBuffer hidden_;   // [capacity, d]
  cuda::DeviceBuffer scratch_;  // of a layer, then of the cross-attention K/V
  // Within scratch_, of a layer.
  void* sublayer_ = nullptr;  // [capacity, d]
  void* context_ = nullptr;   // [capacity, d]
  void* wide_ = nullptr;      // [capacity, max(3 d, ffn)]

  // Of the pass at hand.
  absl::Status status_;
  int64_t rows_ = 0;  // of the products: the bucket
  const int32_t* offsets_ = nullptr;
};

absl::Status CudaEncoder::Allocate(cuda::DeviceBuffer* buffer, int64_t elements) {
  const int64_t bytes = elements * ElementBytes(model_->type());
  if (const cuda::Error error = buffer->Allocate(bytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(model_->device(), "encoder activations", bytes, error);
  }
  // Rows of a bucket beyond the pass are computed and never read; they begin as zeros so that
  // nothing that looks at memory finds any without a value.
  return CudaStatus(model_->device(), "clearing encoder activations",
                    cuda::Fill(stream_.get(), buffer->data(), 0, bytes));
}

absl::Status CudaEncoder::Init() {
  const int device = model_->device();
  cuda::Error error = cuda::SetDevice(device);
  if (error == cuda::Error::kNone) error = stream_.Create(cuda::StreamPriority::kLow);
  if (error == cuda::Error::kNone) {
    error = done_.Create(cuda::Event::Timing::kOff, cuda::Event::HostWait::kSleep);
  }
  if (error != cuda::Error::kNone) return CudaStatus(device, "making the encoder's stream", error);

  const int64_t integers = PassInputs::Capacity(capacity_) * static_cast<int64_t>(sizeof(int32_t));
  error = staging_.Allocate(integers);
  if (error == cuda::Error::kNone) error = inputs_.Allocate(integers);
  if (error == cuda::Error::kNone) error = workspace_.Allocate(cuda::Blas::kWorkspaceBytes);
  if (error != cuda::Error::kNone) {
    return CudaMemoryStatus(device, "encoder inputs", integers, error);
  }
  const int64_t d = shape_.d_model;
  const int64_t wide = std::max<int64_t>(3 * d, shape_.encoder_ffn);
  const int64_t layer = capacity_ * (2 * d + wide);
  const int64_t cross = capacity_ * model_->cross_layers() * 2 * d;
  absl::Status status = Allocate(&hidden_, capacity_ * d);
  if (status.ok()) status = Allocate(&scratch_, std::max(layer, cross));
  if (!status.ok()) return status;
  auto* base = static_cast<uint8_t*>(scratch_.data());
  const int64_t plane = capacity_ * d * ElementBytes(model_->type());
  sublayer_ = base;
  context_ = base + plane;
  wide_ = base + 2 * plane;
  status = CudaStatus(device, "clearing encoder activations", stream_.Wait());
  return status.ok() ? RunOnce() : status;
}

// A pass over one token, into a page that goes with it. What does not work shows here, and the
// device, which loads a kernel at its first launch, has them all before it serves.
absl::Status CudaEncoder::RunOnce() {
  const int64_t bytes = model_->kv_layout().ElementsPerPage() * ElementBytes(model_->type());
  cuda::DeviceBuffer page;
  if (const cuda::Error error = page.Allocate(bytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(model_->device(), "a page of the first pass", bytes, error);
  }
  const int32_t none = 0;  // the token and the page
  const int32_t offsets[] = {0, 1};
  return Encode({&none, offsets, 1, offsets, &none, page.data()});
}

absl::Status CudaEncoder::Encode(const EncodeInput& in) {
  const NvtxRange range("encode");
  const int64_t tokens = in.offsets[in.segments];
  const int64_t page_count = in.page_offsets[in.segments];
  if (tokens > capacity_ || in.segments > tokens || page_count > tokens) {
    return absl::InternalError(absl::StrCat(
        "encoder: ", tokens, " tokens, ", in.segments, " segments, ", page_count,
        " pages in one pass, expected at most ", capacity_, " tokens and no more of the others"));
  }
  int64_t longest = 0;
  for (int64_t i = 0; i < in.segments; ++i) {
    longest = std::max<int64_t>(longest, in.offsets[i + 1] - in.offsets[i]);
  }
  const PassInputs at(tokens, in.segments, page_count);
  status_ = absl::OkStatus();
  rows_ = BucketFor(model_->encoder_buckets(), tokens);
  offsets_ = Input(at.offsets);

  Do("selecting the device", [&] { return cuda::SetDevice(model_->device()); });
  SendInputs(in, at);
  Do("embedding", [&] {
    return cuda::EmbedTokens(stream_.get(), model_->type(), model_->source_embedding(),
                             model_->encoder_positions(), model_->spec().embedding_scale,
                             Input(at.tokens), Input(at.positions), tokens, nullptr, shape_.d_model,
                             hidden_.data());
  });
  for (const CudaEncoderLayer& layer : model_->encoder()) {
    RunLayer(layer, tokens, in.segments, longest);
  }
  WriteCross(in, at);
  // The wait shows what became of the kernels. It is needed in any case, for the buffers of the
  // pass are the caller's and ours again when this returns.
  Do("encoder", [&] { return done_.Record(stream_.get()); });
  const cuda::Error waited =
      status_.ok() ? done_.Wait() : stream_.Wait();  // of a failed pass, what was begun
  Do("encoder", [&] { return waited; });
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

void CudaEncoder::RunLayer(const CudaEncoderLayer& layer, int64_t tokens, int64_t segments,
                           int64_t longest) {
  Project("encoder query, key, value", *layer.self.query_key_value, hidden_.data(), wide_);
  Do("encoder attention", [&] {
    return cuda::EncoderAttention(stream_.get(), model_->type(), wide_, offsets_, segments, longest,
                                  shape_.encoder_heads, shape_.d_model / shape_.encoder_heads,
                                  context_);
  });
  Project("encoder attention output", *layer.self.output, context_, sublayer_);
  Residual(layer.self.norm, tokens);
  Project("encoder feed-forward up", *layer.ffn.up, hidden_.data(), wide_);
  Project("encoder feed-forward down", *layer.ffn.down, wide_, sublayer_);
  Residual(layer.ffn.norm, tokens);
}

void CudaEncoder::Project(const char* op, const cuda::Linear& linear, const void* x, void* y) {
  Do(op, [&] { return linear.Run(stream_.get(), workspace_.data(), x, rows_, nullptr, y); });
}

void CudaEncoder::Residual(const CudaNorm& norm, int64_t tokens) {
  Do("encoder layer norm", [&] {
    return cuda::AddLayerNorm(stream_.get(), model_->type(), sublayer_, hidden_.data(), norm.gamma,
                              norm.beta, model_->spec().norm_epsilon, tokens, nullptr,
                              shape_.d_model, hidden_.data());
  });
}

void CudaEncoder::WriteCross(const EncodeInput& in, const PassInputs& at) {
  int layer = 0;
  for (const std::unique_ptr<cuda::Linear>& product : model_->cross_key_value()) {
    Project("cross-attention key, value", *product, hidden_.data(), scratch_.data());
    Do("cross-attention pages", [&] {
      return cuda::WriteCrossKv(stream_.get(), model_->type(), model_->kv_layout(), layer,
                                model_->cross_layers(), scratch_.data(), offsets_, in.segments,
                                Input(at.page_offsets), Input(at.pages),
                                in.page_offsets[in.segments], in.pool);
    });
    layer += model_->cross_layers();
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model) {
  auto encoder = std::make_unique<CudaEncoder>(std::move(model));
  if (const absl::Status status = encoder->Init(); !status.ok()) return status;
  return encoder;
}

}  // namespace dragoman
