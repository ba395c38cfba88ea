// Measures the time of the CPU's operations in every number type: products (next to oneDNN's), the
// output layer, and one complete decoding step of the bundled model and of an OPUS-MT base model.
// Uses one thread. kernels/README.md has the results. DRAGOMAN_CPU_ISA and ONEDNN_MAX_CPU_ISA
// choose a lower instruction set.
//
//   kernels_bench --benchmark_filter=DecodeStep --benchmark_min_time=1
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cmath>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <unordered_map>
#include <vector>

#include "kernels/base/float_buffer.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"
#include "kernels/ops/row_norm.h"

namespace dragoman {
namespace {

std::vector<float> RandomFloats(size_t n, float deviation = 1.0F) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-deviation, deviation);
  std::vector<float> x(n);
  for (float& v : x) v = uniform(generator);
  return x;
}

struct Model {
  int d;
  int ffn;
  int heads;
  int decoder_layers;
  int encoder_layers;
  int vocabulary;
};

const Model kBundled = {256, 1024, 4, 2, 4, 5999};
const Model kOpusBase = {512, 2048, 8, 6, 6, 58101};

void Gflops(benchmark::State& state, double flop) {
  state.counters["GFLOPs"] = benchmark::Counter(
      flop * static_cast<double>(state.iterations()) * 1e-9, benchmark::Counter::kIsRate);
}

void LinearOwn(benchmark::State& state, int in, int out, kernels::ComputeType type) {
  const int64_t rows = state.range(0);
  const auto w = RandomFloats(size_t(in) * out, 0.1F);
  const auto x = RandomFloats(size_t(rows) * in);
  std::vector<float> y(size_t(rows) * out);
  const auto linear =
      kernels::Linear::Create(w.data(), w.data(), in, out, kernels::Activation::kNone, type);
  kernels::OpContext context;
  context.Reserve(linear->ScratchFloats(rows));
  while (state.KeepRunning()) linear->Run(context, x.data(), rows, y.data());
  Gflops(state, 2.0 * static_cast<double>(rows) * in * out);
}

// Measures oneDNN's inner product with packed weights and f32 results. Its operands are already
// quantized, so its time excludes the quantization of rows, which LinearOwn includes. int8 has u8
// rows and s8 weights with a scale per column.
void LinearOneDnn(benchmark::State& state, int in, int out, kernels::ComputeType type) {
  const int64_t rows = state.range(0);
  omp_set_num_threads(1);
  using dnnl::memory;
  using Number = memory::data_type;
  const bool int8 = type == kernels::ComputeType::kInt8;
  const Number x_type = int8                                      ? Number::u8
                        : type == kernels::ComputeType::kBFloat16 ? Number::bf16
                                                                  : Number::f32;
  const Number w_type = int8 ? Number::s8 : x_type;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc x_desc({rows, in}, x_type, memory::format_tag::ab);
  const memory::desc b_desc({out}, Number::f32, memory::format_tag::a);
  const memory::desc y_desc({rows, out}, Number::f32, memory::format_tag::ab);
  dnnl::primitive_attr attributes;
  if (int8) attributes.set_output_scales(2, std::vector<float>(size_t(out), 1e-4F));
  const dnnl::inner_product_forward::primitive_desc desc(
      {dnnl::prop_kind::forward_inference, x_desc,
       memory::desc({out, in}, w_type, memory::format_tag::any), b_desc, y_desc},
      attributes, engine);
  memory weights(desc.weights_desc(), engine), x(x_desc, engine), b(b_desc, engine),
      y(y_desc, engine);
  for (memory* part : {&weights, &x, &b}) {
    auto* const bytes = static_cast<uint8_t*>(part->get_data_handle());
    // Small numbers in each type: 0x3c3c is 0.0115 in bfloat16, 0x3c3c3c3c in f32.
    std::fill_n(bytes, part->get_desc().get_size(), uint8_t{0x3c});
  }
  const dnnl::inner_product_forward product(desc);
  const std::unordered_map<int, memory> args = {
      {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}};
  while (state.KeepRunning()) product.execute(stream, args);
  Gflops(state, 2.0 * static_cast<double>(rows) * in * out);
}

// The requests of every row to the output layer: the 4 best tokens, and EOS.
struct Requests {
  Requests(int64_t rows, bool normaliser) : top(rows * 4), wanted(rows), summaries(rows) {
    for (int64_t r = 0; r < rows; ++r) {
      requests.push_back({.k = 4, .need_normaliser = normaliser, .wanted = {&eos, 1}});
      summaries[r].top = top.data() + r * 4;
      summaries[r].wanted = wanted.data() + r;
    }
  }
  const int32_t eos = 0;
  std::vector<kernels::LogitRequest> requests;
  std::vector<kernels::TokenScore> top;
  std::vector<float> wanted;
  std::vector<kernels::LogitSummary> summaries;
};

void Output(benchmark::State& state, const Model& m, kernels::ComputeType type) {
  const int64_t rows = state.range(0);
  const auto w = RandomFloats(size_t(m.d) * m.vocabulary, 0.1F);
  const auto x = RandomFloats(size_t(rows) * m.d);
  const auto output = kernels::OutputLayer::Create(w.data(), nullptr, m.d, m.vocabulary, type);
  kernels::OpContext context;
  context.Reserve(output->ScratchFloats(rows));
  Requests q(rows, state.range(1) != 0);
  while (state.KeepRunning()) {
    output->Fold(context, x.data(), rows, q.requests.data(), q.summaries.data());
  }
  Gflops(state, 2.0 * static_cast<double>(rows) * m.d * m.vocabulary);
}

struct Layer {
  Layer(const Model& m, kernels::ComputeType type) {
    const auto make = [type](int in, int out, kernels::Activation a = kernels::Activation::kNone) {
      const auto w = RandomFloats(size_t(in) * out, 0.1F);
      return kernels::Linear::Create(w.data(), w.data(), in, out, a, type);
    };
    qkv = make(m.d, 3 * m.d);
    self_out = make(m.d, m.d);
    cross_q = make(m.d, m.d);
    cross_out = make(m.d, m.d);
    up = make(m.d, m.ffn, kernels::Activation::kSwish);
    down = make(m.ffn, m.d);
    norm = RandomFloats(m.d);
  }
  std::unique_ptr<kernels::Linear> qkv, self_out, cross_q, cross_out, up, down;
  std::vector<float> norm;
};

// A decoding step of slots of 4 lanes that are all at target position 20, with sources of 30
// tokens. Parts of the step can be left out, which shows what each part costs.
class Step {
 public:
  static constexpr int kBeam = 4;
  static constexpr int kPosition = 20;
  static constexpr int kSource = 30;

  Step(const Model& m, int64_t rows, kernels::ComputeType type)
      : model_(m),
        rows_(rows),
        layout_{m.decoder_layers, m.heads, m.d / m.heads,
                type == kernels::ComputeType::kFloat32 ? type : kernels::ComputeType::kBFloat16},
        requests_(rows, true) {
    for (int l = 0; l < m.decoder_layers; ++l) layers_.emplace_back(m, type);
    table_ = RandomFloats(size_t(m.vocabulary) * m.d, 0.1F);
    output_ = kernels::OutputLayer::Create(table_.data(), nullptr, m.d, m.vocabulary, type);
    const int64_t slots = (rows + kBeam - 1) / kBeam;
    // Uses large pages, as the engine's memory does.
    const size_t pool = size_t(rows + slots) * layout_.HostPageBytes();
    pool_ = kernels::cpu::AllocateFloats(pool / sizeof(float));
    // These bytes are 0.0115 in bfloat16 and in f32.
    std::fill_n(reinterpret_cast<uint8_t*>(pool_.get()), pool, uint8_t{0x3c});
    slot_lanes_.assign(slots * kernels::kMaxSlotLanes, 0);
    for (int64_t r = 0; r < rows; ++r) {
      slot_.push_back(static_cast<int32_t>(r / kBeam));
      lane_.push_back(static_cast<int32_t>(r % kBeam));
      position_.push_back(kPosition);
      token_.push_back(static_cast<int32_t>(r * 37 % m.vocabulary));
      slot_lanes_[slot_[r] * kernels::kMaxSlotLanes + lane_[r]] = static_cast<int32_t>(r);
      lane_pages_.push_back(static_cast<int32_t>(r));
      // The hypotheses of a slot share all but their last few positions.
      const int64_t lanes = std::min<int64_t>(kBeam, rows - r + r % kBeam);
      for (int p = 0; p < 32; ++p) {
        ancestry_.push_back(static_cast<uint8_t>((p < kPosition - 4 ? p * 7 : p * 7 + r) % lanes));
      }
    }
    for (int64_t s = 0; s < slots; ++s) {
      cross_pages_.push_back(static_cast<int32_t>(rows + s));
      source_length_.push_back(kSource);
    }
    context_.Reserve(output_->ScratchFloats(rows));
    for (const Layer& layer : layers_) context_.Reserve(layer.down->ScratchFloats(rows));
    for (auto* buffer : {&x_, &y_}) buffer->resize(rows * m.d);
    wide_.resize(rows * std::max(3 * m.d, m.ffn));
  }

  enum Part { kProducts = 1, kOutput = 2, kSelf = 4, kCross = 8, kRest = 16, kWhole = 31 };

  // `parts` is a sum of Parts.
  void Run(int parts) {
    const bool products = (parts & kProducts) != 0;
    const bool rest = (parts & kRest) != 0;
    const int d = model_.d;
    const auto product = [&](const kernels::Linear& linear, const float* in, float* out) {
      if (products) linear.Run(context_, in, rows_, out);
    };
    const auto norm = [&](const Layer& layer) {
      if (!rest) return;
      kernels::AddLayerNorm(context_, y_.data(), x_.data(), layer.norm.data(), layer.norm.data(),
                            1e-5F, rows_, d, x_.data());
    };
    const kernels::DecodeRows rows = {rows_, slot_.data(), lane_.data(), position_.data()};
    const kernels::SelfKvTables self = {pool_.get(),        lane_pages_.data(), 1,
                                        slot_lanes_.data(), ancestry_.data(),   32};
    const kernels::CrossKvTables cross = {pool_.get(), cross_pages_.data(), 1,
                                          source_length_.data()};
    if (rest) {
      kernels::EmbedTokens(context_, kernels::FloatEmbedding(table_.data(), d), table_.data(),
                           16.0F, token_.data(), position_.data(), rows_, x_.data());
    }
    for (int l = 0; l < model_.decoder_layers; ++l) {
      const Layer& layer = layers_[l];
      product(*layer.qkv, x_.data(), wide_.data());
      if ((parts & kSelf) != 0) {
        kernels::DecodeSelfAttention(context_, layout_, l, rows, self, wide_.data(), y_.data());
      }
      product(*layer.self_out, y_.data(), wide_.data());
      norm(layer);
      product(*layer.cross_q, x_.data(), wide_.data());
      if ((parts & kCross) != 0) {
        kernels::CrossAttention(context_, layout_, l, rows, cross, wide_.data(), y_.data());
      }
      product(*layer.cross_out, y_.data(), wide_.data());
      norm(layer);
      product(*layer.up, x_.data(), wide_.data());
      product(*layer.down, wide_.data(), y_.data());
      norm(layer);
    }
    if ((parts & kOutput) != 0) {
      output_->Fold(context_, x_.data(), rows_, requests_.requests.data(),
                    requests_.summaries.data());
    }
  }

  double Flop() const {
    const double d = model_.d;
    return 2.0 * static_cast<double>(rows_) *
           (model_.decoder_layers * (6.0 * d * d + 2.0 * d * model_.ffn) + d * model_.vocabulary);
  }

 private:
  const Model model_;
  const int64_t rows_;
  const kernels::KvLayout layout_;
  kernels::OpContext context_;
  std::vector<Layer> layers_;
  std::unique_ptr<kernels::OutputLayer> output_;
  std::vector<float> table_, x_, y_, wide_;
  kernels::cpu::FloatBuffer pool_;
  std::vector<int32_t> slot_, lane_, position_, token_, slot_lanes_, lane_pages_;
  std::vector<int32_t> cross_pages_, source_length_;
  std::vector<uint8_t> ancestry_;
  Requests requests_;
};

// Measures complete steps, and steps in which only some parts run.
void DecodeStep(benchmark::State& state, const Model& m, kernels::ComputeType type, int parts) {
  Step step(m, state.range(0), type);
  while (state.KeepRunning()) step.Run(parts);
  if (parts == Step::kWhole) Gflops(state, step.Flop());
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * state.range(0)), benchmark::Counter::kIsRate);
}

void EncoderAttend(benchmark::State& state, const Model& m) {
  const int tokens = static_cast<int>(state.range(0));
  const int segments = 2048 / tokens;
  std::vector<int32_t> offsets(segments + 1);
  for (int i = 0; i <= segments; ++i) offsets[i] = i * tokens;
  const auto qkv = RandomFloats(size_t(offsets.back()) * 3 * m.d);
  std::vector<float> y(size_t(offsets.back()) * m.d);
  kernels::OpContext context;
  context.Reserve(kernels::EncoderAttentionScratch(tokens, m.d / m.heads));
  while (state.KeepRunning()) {
    kernels::EncoderAttention(context, qkv.data(), offsets.data(), segments, m.heads, m.d / m.heads,
                              y.data());
  }
  Gflops(state, 4.0 * segments * tokens * tokens * m.d);
}

void Rows(benchmark::internal::Benchmark* b) {
  for (const int rows : {1, 4, 8, 32, 64, 128, 256}) b->Arg(rows);
}
void RowsWithAndWithoutNormaliser(benchmark::internal::Benchmark* b) {
  for (const int rows : {1, 4, 8, 32, 64, 128, 256}) b->Args({rows, 1})->Args({rows, 0});
}

constexpr kernels::ComputeType kF32 = kernels::ComputeType::kFloat32;
constexpr kernels::ComputeType kBf16 = kernels::ComputeType::kBFloat16;
constexpr kernels::ComputeType kInt8 = kernels::ComputeType::kInt8;

#define DRAGOMAN_BENCH_LINEAR_TYPE(in, out, type)                                   \
  BENCHMARK_CAPTURE(LinearOwn, in##x##out##_##type, in, out, k##type)->Apply(Rows); \
  BENCHMARK_CAPTURE(LinearOneDnn, in##x##out##_##type, in, out, k##type)->Apply(Rows)

#define DRAGOMAN_BENCH_LINEAR(in, out)       \
  DRAGOMAN_BENCH_LINEAR_TYPE(in, out, F32);  \
  DRAGOMAN_BENCH_LINEAR_TYPE(in, out, Bf16); \
  DRAGOMAN_BENCH_LINEAR_TYPE(in, out, Int8)

DRAGOMAN_BENCH_LINEAR(256, 256);
DRAGOMAN_BENCH_LINEAR(256, 768);
DRAGOMAN_BENCH_LINEAR(256, 1024);
DRAGOMAN_BENCH_LINEAR(1024, 256);
DRAGOMAN_BENCH_LINEAR(512, 512);
DRAGOMAN_BENCH_LINEAR(512, 1536);
DRAGOMAN_BENCH_LINEAR(512, 2048);
DRAGOMAN_BENCH_LINEAR(2048, 512);

#define DRAGOMAN_BENCH_STEP(model, type, part)                                             \
  BENCHMARK_CAPTURE(DecodeStep, model##_##type##_##part, k##model, k##type, Step::k##part) \
      ->Apply(Rows)

#define DRAGOMAN_BENCH_MODEL_TYPE(model, type)                 \
  BENCHMARK_CAPTURE(Output, model##_##type, k##model, k##type) \
      ->Apply(RowsWithAndWithoutNormaliser);                   \
  DRAGOMAN_BENCH_STEP(model, type, Whole);                     \
  DRAGOMAN_BENCH_STEP(model, type, Products);                  \
  DRAGOMAN_BENCH_STEP(model, type, Self);                      \
  DRAGOMAN_BENCH_STEP(model, type, Cross);                     \
  DRAGOMAN_BENCH_STEP(model, type, Output)

#define DRAGOMAN_BENCH_MODEL(model)       \
  DRAGOMAN_BENCH_MODEL_TYPE(model, F32);  \
  DRAGOMAN_BENCH_MODEL_TYPE(model, Bf16); \
  DRAGOMAN_BENCH_MODEL_TYPE(model, Int8); \
  DRAGOMAN_BENCH_STEP(model, F32, Self);  \
  DRAGOMAN_BENCH_STEP(model, F32, Cross); \
  DRAGOMAN_BENCH_STEP(model, F32, Rest);  \
  BENCHMARK_CAPTURE(EncoderAttend, model, k##model)->Arg(8)->Arg(30)->Arg(64)->Arg(256)

DRAGOMAN_BENCH_MODEL(Bundled);
DRAGOMAN_BENCH_MODEL(OpusBase);

}  // namespace
}  // namespace dragoman

BENCHMARK_MAIN();
