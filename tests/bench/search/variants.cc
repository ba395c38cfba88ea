#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"
#include "tests/bench/search/sweeps.h"

namespace dragoman::bench {
namespace {

struct Shape {
  std::string name;
  int d, ffn, heads, layers, vocabulary;
};
const Shape kBundled = {"bundled", 256, 1024, 4, 2, 5999};
const Shape kOpusBase = {"OPUS-MT base", 512, 2048, 8, 6, 58101};

std::vector<float> Floats(int64_t n, float deviation) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-deviation, deviation);
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = uniform(generator);
  return x;
}

// Returns the median milliseconds of processor time of each work. The works alternate in every
// round. The first round is not measured.
std::vector<double> Times(int64_t rounds, const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> times(works.size());
  for (int64_t round = -1; round < rounds; ++round) {
    for (size_t i = 0; i < works.size(); ++i) {
      const double begun = ThreadSeconds();
      works[i]();
      if (round >= 0) times[i].push_back((ThreadSeconds() - begun) * 1e3);
    }
  }
  std::vector<double> medians;
  medians.reserve(times.size());
  for (auto& t : times) medians.push_back(Median(t));
  return medians;
}

// b1, b3: compares the fused output layer with a product into memory and separate sweeps over it.
bool OutputLayers(int64_t rounds, Report& report) {
  struct Case {
    Shape shape;
    int64_t rows;
    int k;
  };
  const Shape wide = {"V = 85,000", 512, 0, 0, 0, 85000};
  const std::vector<Case> cases = {{kBundled, 128, 1},  {kBundled, 128, 5}, {kOpusBase, 128, 1},
                                   {kOpusBase, 128, 5}, {wide, 128, 1},     {wide, 640, 5}};
  report.Table("Output layer, one thread: product and five sweeps, against the fused fold",
               {"shape", "rows", "k", "product ms", "sweeps ms", "fused layer ms",
                "fused / unfused layer", "(fused - product) / sweeps", "same tokens"});
  bool equal = true;
  for (const Case& c : cases) {
    const int64_t v = c.shape.vocabulary;
    const auto weight = Floats(v * c.shape.d, 0.1F);
    const auto bias = Floats(v, 0.1F);
    const auto hidden = Floats(c.rows * c.shape.d, 1.0F);
    std::vector<float> logits(static_cast<size_t>(c.rows * v));
    std::vector<int32_t> best(static_cast<size_t>(c.rows * c.k));
    std::vector<float> scores(best.size());
    const auto product =
        kernels::Linear::Create(weight.data(), nullptr, c.shape.d, static_cast<int>(v));
    const auto fused =
        kernels::OutputLayer::Create(weight.data(), bias.data(), c.shape.d, static_cast<int>(v));
    kernels::OpContext context;
    context.Reserve(product->ScratchFloats(c.rows));
    context.Reserve(fused->ScratchFloats(c.rows));
    std::vector<kernels::TokenScore> top(best.size());
    std::vector<kernels::LogitRequest> requests(static_cast<size_t>(c.rows));
    std::vector<kernels::LogitSummary> summaries(requests.size());
    for (size_t r = 0; r < requests.size(); ++r) {
      requests[r].k = c.k;
      requests[r].need_normaliser = true;
      summaries[r].top = top.data() + r * static_cast<size_t>(c.k);
    }
    const auto ms = Times(
        rounds,
        {[&] { product->Run(context, hidden.data(), c.rows, logits.data()); },
         [&] {
           SeparateSweeps(logits.data(), bias.data(), c.rows, v, c.k, best.data(), scores.data());
         },
         [&] { fused->Fold(context, hidden.data(), c.rows, requests.data(), summaries.data()); }});
    bool same = true;
    for (size_t i = 0; i < best.size(); ++i) same = same && best[i] == top[i].token;
    equal = equal && same;
    report.Row({c.shape.name, Cell(c.rows), Cell(int64_t{c.k}), Cell(ms[0], 2), Cell(ms[1], 2),
                Cell(ms[2], 2), Cell(ms[2] / (ms[0] + ms[1]), 3), Cell((ms[2] - ms[0]) / ms[1], 3),
                same ? "yes" : "NO"});
  }
  return equal;
}

// Slots of `beam` lanes that are all at one position, and the tables that attention reads.
struct Batch {
  Batch(const Shape& shape, int64_t rows, int beam, int position, int source)
      : layout{shape.layers, shape.heads, shape.d / shape.heads},
        per_lane(kernels::KvLayout::PagesFor(position + 1)),
        per_source(kernels::KvLayout::PagesFor(source)) {
    const int64_t slots = rows / beam;
    slot_lanes.assign(static_cast<size_t>(slots * kernels::kMaxSlotLanes), 0);
    for (int64_t r = 0; r < rows; ++r) {
      slot.push_back(static_cast<int32_t>(r / beam));
      lane.push_back(static_cast<int32_t>(r % beam));
      row.push_back(static_cast<int32_t>(r));
      positions.push_back(position);
      slot_lanes[static_cast<size_t>(int64_t{slot.back()} * kernels::kMaxSlotLanes + lane.back())] =
          row.back();
      for (int64_t p = 0; p < per_lane; ++p) {
        lane_pages.push_back(static_cast<int32_t>(r * per_lane + p));
      }
      for (int p = 0; p <= position; ++p) {
        own.push_back(static_cast<uint8_t>(lane.back()));
        // After reorders, few lanes have written the older positions of all lanes.
        shared.push_back(static_cast<uint8_t>((p < position - 4 ? p * 7 : p * 7 + r) % beam));
      }
    }
    // The pages of one source per row. If sources are per slot, the slots use the first ones.
    const auto after = static_cast<int32_t>(rows * per_lane);
    for (int64_t i = 0; i < rows * per_source; ++i) {
      cross_pages.push_back(after + static_cast<int32_t>(i));
      source_length.push_back(source);
    }
    pool = Floats((rows * per_lane + rows * per_source) * layout.ElementsPerPage(), 1.0F);
  }

  const kernels::KvLayout layout;
  const int64_t per_lane, per_source;
  std::vector<int32_t> slot, lane, row, positions, slot_lanes, lane_pages, cross_pages,
      source_length;
  std::vector<uint8_t> own, shared;
  std::vector<float> pool;
};

// Compares copies of K/V at every reorder with the ancestry table (SEARCH.md e).
void Reorder(int64_t rounds, Report& report) {
  report.Table("Self-attention of a step of 128 rows, beam 4, all layers, and the reorder after it",
               {"shape", "position", "attention ms", "copy of K/V ms",
                "attention through ancestry ms", "copy of the table ms", "ancestry / copy"});
  for (const Shape& shape : {kBundled, kOpusBase}) {
    for (const int position : {20, 60}) {
      constexpr int64_t kRows = 128;
      Batch batch(shape, kRows, 4, position, 30);
      const auto qkv = Floats(kRows * 3 * shape.d, 1.0F);
      std::vector<float> out(static_cast<size_t>(kRows * shape.d));
      std::vector<float> other(batch.pool.size());
      std::vector<uint8_t> table(batch.shared.size());
      kernels::OpContext context;
      const kernels::DecodeRows rows = {kRows, batch.slot.data(), batch.lane.data(),
                                        batch.positions.data()};
      const auto attend = [&](const std::vector<uint8_t>& ancestry) {
        const kernels::SelfKvTables self = {
            batch.pool.data(),       batch.lane_pages.data(), static_cast<int32_t>(batch.per_lane),
            batch.slot_lanes.data(), ancestry.data(),         position + 1};
        for (int layer = 0; layer < shape.layers; ++layer) {
          kernels::DecodeSelfAttention(context, batch.layout, layer, rows, self, qkv.data(),
                                       out.data());
        }
      };
      const auto parent = [](int64_t r) { return r / 4 * 4 + r * 7 % 3; };
      const auto copy = [&] {
        for (int64_t r = 0; r < kRows; ++r) {
          for (int p0 = 0; p0 <= position; p0 += kernels::kPagePositions) {
            const int count = std::min(kernels::kPagePositions, position + 1 - p0);
            const int64_t page = p0 / kernels::kPagePositions;
            const int64_t floats = batch.layout.ElementsPerPage();
            for (int layer = 0; layer < shape.layers; ++layer) {
              for (const int64_t at :
                   {batch.layout.SelfK(layer, 0), batch.layout.SelfV(layer, 0)}) {
                std::memcpy(other.data() + (r * batch.per_lane + page) * floats + at,
                            batch.pool.data() + (parent(r) * batch.per_lane + page) * floats + at,
                            sizeof(float) * static_cast<size_t>(count * shape.d));
              }
            }
          }
        }
      };
      const auto copy_table = [&] {
        const auto width = static_cast<size_t>(position) + 1;
        for (int64_t r = 0; r < kRows; ++r) {
          std::memcpy(table.data() + static_cast<size_t>(r) * width,
                      batch.shared.data() + static_cast<size_t>(parent(r)) * width, width);
        }
      };
      const auto ms = Times(
          rounds, {[&] { attend(batch.own); }, copy, [&] { attend(batch.shared); }, copy_table});
      report.Row({shape.name, Cell(int64_t{position}), Cell(ms[0], 3), Cell(ms[1], 3),
                  Cell(ms[2], 3), Cell(ms[3], 4), Cell((ms[2] + ms[3]) / (ms[0] + ms[1]), 3)});
    }
  }
}

// e2: compares cross K/V per hypothesis with cross K/V per segment.
void CrossPerBeam(int64_t rounds, Report& report) {
  report.Table("Cross-attention of a step of 128 rows, source of 30 tokens, all layers",
               {"shape", "beam", "MiB per segment's", "MiB per hypothesis'", "bytes",
                "per segment ms", "per hypothesis ms", "time"});
  for (const Shape& shape : {kBundled, kOpusBase}) {
    for (const int beam : {4, 16}) {
      constexpr int64_t kRows = 128;
      const Batch batch(shape, kRows, beam, 0, 30);
      const auto q = Floats(kRows * shape.d, 1.0F);
      std::vector<float> out(static_cast<size_t>(kRows * shape.d));
      kernels::OpContext context;
      const kernels::CrossKvTables cross = {batch.pool.data(), batch.cross_pages.data(),
                                            static_cast<int32_t>(batch.per_source),
                                            batch.source_length.data()};
      const auto attend = [&](const std::vector<int32_t>& slot) {
        const kernels::DecodeRows rows = {kRows, slot.data(), nullptr, nullptr};
        for (int layer = 0; layer < shape.layers; ++layer) {
          kernels::CrossAttention(context, batch.layout, layer, rows, cross, q.data(), out.data());
        }
      };
      const auto ms = Times(rounds, {[&] { attend(batch.slot); }, [&] { attend(batch.row); }});
      const double page = static_cast<double>(batch.layout.ElementsPerPage()) * 4 / (1 << 20);
      const double own = page * static_cast<double>(kRows * batch.per_source);
      const double once = own / beam;
      report.Row({shape.name, Cell(int64_t{beam}), Cell(once, 1), Cell(own, 1), Cell(once / own, 4),
                  Cell(ms[0], 3), Cell(ms[1], 3), Cell(ms[0] / ms[1], 3)});
    }
  }
}

// e1, "no cache": computes the products of all positions again at every step.
void NoCache(int64_t rounds, Report& report) {
  report.Table(
      "The layers' products of a step of 32 rows at position 20 (attention and output layer left "
      "out)",
      {"shape", "with the cache ms", "without ms", "x"});
  for (const Shape& shape : {kBundled, kOpusBase}) {
    constexpr int64_t kRows = 32;
    constexpr int64_t kAll = kRows * 21;
    std::vector<std::unique_ptr<kernels::Linear>> products;
    for (const auto& [in, out] : std::vector<std::pair<int, int>>{{shape.d, 3 * shape.d},
                                                                  {shape.d, shape.d},
                                                                  {shape.d, shape.d},
                                                                  {shape.d, shape.d},
                                                                  {shape.d, shape.ffn},
                                                                  {shape.ffn, shape.d}}) {
      const auto weight = Floats(int64_t{in} * out, 0.1F);
      products.push_back(kernels::Linear::Create(weight.data(), weight.data(), in, out));
    }
    const auto x = Floats(kAll * shape.ffn, 1.0F);
    std::vector<float> y(static_cast<size_t>(kAll * std::max(3 * shape.d, shape.ffn)));
    kernels::OpContext context;
    const auto run = [&](int64_t rows) {
      for (int layer = 0; layer < shape.layers; ++layer) {
        for (const auto& product : products) product->Run(context, x.data(), rows, y.data());
      }
    };
    const auto ms = Times(rounds, {[&] { run(kRows); }, [&] { run(kAll); }});
    report.Row({shape.name, Cell(ms[0], 2), Cell(ms[1], 2), Cell(ms[1] / ms[0], 1)});
  }
}

// e1, e3, e4, with the production code: measures what n-gram bans and detokenisation add to the
// decode thread.
bool WholeRuns(Runner& runner, const std::vector<std::vector<int32_t>>& sources, int64_t rounds,
               Report& report) {
  const BenchModel& model = runner.model();
  engine::DecodingOptions asked;
  asked.beam_size = 4;
  const auto plain = model.Tasks(sources, asked);
  asked.no_repeat_ngram = 3;
  const auto banned = model.Tasks(sources, asked);
  const RunConfig config = TopUpByRows(32, 4, engine::WindowOrder::kLongestFirst, 64);
  std::vector<double> plain_us, banned_us, ratio, text_share;
  size_t bytes = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    const RunResult without = runner.Run(config, plain);
    const RunResult with = runner.Run(config, banned);
    const auto per_row = [](const RunResult& r) {
      return r.decode_seconds * 1e6 / static_cast<double>(r.row_steps);
    };
    plain_us.push_back(per_row(without));
    banned_us.push_back(per_row(with));
    ratio.push_back(banned_us.back() / plain_us.back());
    const double begun = ThreadSeconds();
    for (const auto& nbest : without.nbest) {
      const std::vector<int> ids(nbest.front().tokens.begin(), nbest.front().tokens.end());
      bytes += model.tokenizer().Decode(ids).size();
    }
    const double text = ThreadSeconds() - begun;
    text_share.push_back(text / (text + without.decode_seconds));
  }
  report.Table(absl::StrCat(sources.size(), " texts, beam 4, 128 rows"), {"what", "measured"});
  report.Row({"us per row-step, no n-gram bans", Cell(Median(plain_us), 2)});
  report.Row({"us per row-step, no_repeat_ngram 3", Cell(Median(banned_us), 2)});
  report.Row({"ratio", Cell(Median(ratio), 3)});
  report.Row({"share of detokenisation, if it ran inside the loop", Percent(Median(text_share))});
  return bytes > 0;
}

}  // namespace

bool RunVariants(Runner& runner, Arguments& arguments, Report& report) {
  const auto sources = InputSources(runner.model(), arguments, 200, 1, 4);
  const int64_t rounds = arguments.Number("rounds", 5);
  arguments.RefuseOthers();
  Reorder(4 * rounds, report);
  CrossPerBeam(4 * rounds, report);
  NoCache(rounds, report);
  const bool whole = WholeRuns(runner, sources, rounds, report);
  return OutputLayers(rounds, report) && whole;
}

}  // namespace dragoman::bench
