// The parts of the production backend: everything except the searches.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "engine/schedule/segment.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"
#include "kernels/search/beam_step.h"
#include "kernels/search/constrained.h"
#include "kernels/search/fold.h"
#include "kernels/search/host_memory.h"
#include "kernels/search/prepare_row.h"
#include "tests/oracle/production_backend.h"

namespace dragoman::oracle {
namespace {

std::vector<float> ToFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> ToDoubles(const float* values, size_t count) {
  return {values, values + count};
}

std::vector<int32_t> Ascending(int32_t count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Returns x W + b, computed by the linear operation, which takes W transposed.
std::vector<float> Project(const std::vector<double>& x, const Matrix& w,
                           const std::vector<double>& b) {
  const size_t in = x.size();
  const size_t out = b.size();
  std::vector<float> transposed(in * out);
  for (size_t i = 0; i < in; ++i) {
    for (size_t o = 0; o < out; ++o) transposed[o * in + i] = static_cast<float>(w[i][o]);
  }
  const std::vector<float> bias = ToFloats(b);
  const std::vector<float> row = ToFloats(x);
  kernels::OpContext context;
  std::vector<float> y(out);
  kernels::Linear::Create(transposed.data(), bias.data(), static_cast<int>(in),
                          static_cast<int>(out))
      ->Run(context, row.data(), 1, y.data());
  return y;
}

}  // namespace

absl::StatusOr<LengthNorms> ProductionBackend::LengthNorm(double log_prob, int32_t real_tokens,
                                                          double alpha) {
  const auto length = static_cast<size_t>(real_tokens) + 1;
  const auto a = static_cast<float>(alpha);
  const auto path = static_cast<float>(log_prob);
  return LengthNorms{
      path / engine::LengthDivisors(real_tokens, a)[length],
      path / engine::LengthDivisors(real_tokens, a, kernels::LengthPenalty::kGnmt)[length]};
}

absl::StatusOr<FusedOutcome> ProductionBackend::FusedOutput(const FusedRow& row) {
  if (row.n > kernels::kMaxTopK)
    return absl::InvalidArgumentError("n above what a row may ask for");
  const std::vector<float> weight = ToFloats(row.logits);
  const std::vector<float> bias = ToFloats(row.bias);
  const auto layer =
      kernels::OutputLayer::Create(weight.data(), bias.data(), 1, static_cast<int>(weight.size()));
  Tokens forbid = row.forbid;
  std::sort(forbid.begin(), forbid.end());
  forbid.erase(std::unique(forbid.begin(), forbid.end()), forbid.end());
  kernels::LogitRequest request;
  request.k = row.n;
  request.need_normaliser = true;
  request.masked[0] = {forbid.data(), static_cast<int32_t>(forbid.size())};
  std::vector<kernels::TokenScore> top(static_cast<size_t>(row.n));
  kernels::LogitSummary summary;
  summary.top = top.data();
  kernels::OpContext context;
  const float one = 1.0F;
  layer->Fold(context, &one, 1, &request, &summary);
  if (summary.nan) return absl::InternalError("the row held a NaN");
  FusedOutcome outcome;
  outcome.lse = kernels::LogSumValue(summary.normaliser);
  for (int32_t i = 0; i < summary.count; ++i) {
    const kernels::TokenScore& t = top[static_cast<size_t>(i)];
    outcome.nbest.emplace_back(t.token, kernels::LogProb(t.score, summary.normaliser));
  }
  return outcome;
}

absl::StatusOr<double> ProductionBackend::OnlineSoftmax(
    const std::vector<std::pair<double, double>>& parts) {
  kernels::LogSum all;
  for (const auto& [max, sum] : parts) {
    kernels::Merge(all, kernels::LogSum{static_cast<float>(max), static_cast<float>(sum)});
  }
  return kernels::LogSumValue(all);
}

absl::StatusOr<std::vector<ConstraintView>> ProductionBackend::ConstraintStates(
    const std::vector<Tokens>& phrases, const Tokens& tokens) {
  size_t total = 0;
  for (const Tokens& phrase : phrases) total += phrase.size();
  if (total > static_cast<size_t>(kernels::kMaxConstraintTokens)) {
    return absl::InvalidArgumentError("too many constraint tokens");
  }
  const engine::ConstraintTable table(phrases);
  const kernels::ConstraintSet set = table.set();
  const auto view = [&](const kernels::ConstraintState& state) {
    std::set<int32_t> allowed;
    kernels::ForProgressTokens(set, state, [&](int32_t token) { allowed.insert(token); });
    return ConstraintView{
        kernels::Bank(state), kernels::Finished(set, state), {allowed.begin(), allowed.end()}};
  };
  kernels::ConstraintState state = kernels::StartConstraints(set);
  std::vector<ConstraintView> views = {view(state)};
  for (const int32_t token : tokens) {
    state = kernels::Advance(set, state, token);
    views.push_back(view(state));
  }
  return views;
}

absl::StatusOr<std::vector<int32_t>> ProductionBackend::BankAllocation(
    int32_t k, int32_t constraint_tokens, const std::vector<int32_t>& candidate_counts) {
  std::vector<int32_t> taken(candidate_counts.size());
  kernels::AllocateBanks(k, constraint_tokens, candidate_counts.data(), taken.data());
  return taken;
}

absl::StatusOr<std::vector<int32_t>> ProductionBackend::StripeSelect(
    int32_t k, const std::vector<StripeCandidate>& candidates) {
  int32_t highest = 0;
  for (const StripeCandidate& c : candidates) highest = std::max(highest, c.bank);
  std::vector<kernels::Candidate> pool;
  for (size_t i = 0; i < candidates.size(); ++i) {
    kernels::Candidate c;
    c.score = static_cast<float>(candidates[i].score);
    c.rank = static_cast<int32_t>(i);
    c.token = candidates[i].id;
    c.bank = candidates[i].bank;
    pool.push_back(c);
  }
  kernels::SingleThread().Sort(pool.data(), static_cast<int32_t>(pool.size()),
                               kernels::BetterInBank());
  std::vector<int32_t> available(static_cast<size_t>(highest) + 1);
  for (const kernels::Candidate& c : pool) ++available[static_cast<size_t>(c.bank)];
  std::vector<int32_t> taken(available.size());
  kernels::AllocateStripes(k, highest, available.data(), taken.data());
  // In production the beam is a set. Here its members are listed round by round.
  std::vector<int32_t> ids;
  for (int32_t round = 0; round < k; ++round) {
    size_t begin = 0;
    for (size_t bank = available.size(); bank-- > 0;) {
      if (round < taken[bank]) ids.push_back(pool[begin + static_cast<size_t>(round)].token);
      begin += static_cast<size_t>(available[bank]);
    }
  }
  return ids;
}

absl::StatusOr<Tokens> ProductionBackend::AvoidForbidden(const std::vector<Tokens>& avoid,
                                                         const Tokens& history, int32_t) {
  const engine::ForbiddenTable table(avoid);
  const kernels::ForbiddenAutomaton automaton = table.automaton();
  int32_t state = 0;
  for (const int32_t token : history) state = kernels::NextForbiddenState(automaton, state, token);
  std::set<int32_t> forbidden(automaton.always.ids, automaton.always.ids + automaton.always.count);
  kernels::ForForbiddenTokens(automaton, state, [&](int32_t token) { forbidden.insert(token); });
  return Tokens(forbidden.begin(), forbidden.end());
}

absl::StatusOr<Tokens> ProductionBackend::NoRepeatNgram(const Tokens& history, int32_t n) {
  std::set<int32_t> banned;
  kernels::ForRepeatedNgrams(
      n, static_cast<int32_t>(history.size()),
      [&](int32_t i) { return history[static_cast<size_t>(i)]; },
      [&](int32_t token) { banned.insert(token); });
  return Tokens(banned.begin(), banned.end());
}

absl::StatusOr<std::vector<std::vector<Tokens>>> ProductionBackend::CacheIndirection(
    int32_t beam, const std::vector<Tokens>& parents) {
  using Lane = uint16_t;
  if (beam > UINT16_MAX) return absl::InvalidArgumentError("a beam above 65535");
  const auto lanes = static_cast<size_t>(beam);
  kernels::SearchOptions options;
  options.beam = beam;
  options.max_tokens = static_cast<int32_t>(parents.size()) + 1;
  options.eos = -1;
  options.sampling.enabled = true;  // all lanes are live from the start
  const auto stride = static_cast<size_t>(options.max_tokens) + 2;
  kernels::LaneMemory<Lane> memory(lanes, stride);
  kernels::StepMemory<Lane> step(lanes, stride, 1);
  kernels::SlotState state;
  const std::vector<int32_t> numbers = Ascending(beam);
  const kernels::BasicSlotView<Lane> view{&state, numbers.data(), memory.arrays()};
  kernels::StartSlot(view, options, kernels::SegmentRules(), /*start_token=*/0);

  std::vector<std::vector<Tokens>> tables;
  for (size_t t = 0;; ++t) {
    std::vector<Tokens> table;
    for (int past = 0; past <= state.length; ++past) {
      Tokens row;
      for (int32_t lane = 0; lane < beam; ++lane) row.push_back(view.Writer(lane, past));
      table.push_back(row);
    }
    tables.push_back(table);
    if (t == parents.size()) return tables;
    std::vector<kernels::Candidate> chosen(lanes);
    for (size_t lane = 0; lane < lanes; ++lane) {
      chosen[lane].parent = parents[t][lane];
      chosen[lane].rank = static_cast<int32_t>(lane);
    }
    kernels::beam_step_internal::Reorder(kernels::SingleThread(), view, chosen.data(), beam,
                                         step.step());
  }
}

absl::StatusOr<Contexts> ProductionBackend::CrossAttention(const CrossAttentionCase& c) {
  const auto width = static_cast<int32_t>(c.query.size());
  if (c.heads > kernels::kMaxAttentionHeads) return absl::InvalidArgumentError("too many heads");
  const kernels::KvLayout layout{1, c.heads, width / c.heads};
  std::vector<float> kv;
  for (size_t i = 0; i < c.memory.size(); ++i) {
    if (c.mask[i] == 0) continue;
    const std::vector<float> k = Project(c.memory[i], c.wk, c.bk);
    const std::vector<float> v = Project(c.memory[i], c.wv, c.bv);
    kv.insert(kv.end(), k.begin(), k.end());
    kv.insert(kv.end(), v.begin(), v.end());
  }
  const auto length = static_cast<int32_t>(kv.size()) / (2 * width);
  const auto page_count = static_cast<int32_t>(kernels::KvLayout::PagesFor(length));
  const std::vector<int32_t> pages = Ascending(page_count);
  std::vector<float> pool(static_cast<size_t>(page_count * layout.ElementsPerPage()));
  kernels::OpContext context;
  const int32_t offsets[] = {0, length};
  const int32_t page_offsets[] = {0, page_count};
  kernels::WriteCrossKv(context, layout, 0, 1, kv.data(), offsets, 1, page_offsets, pages.data(),
                        pool.data());

  // Two hypotheses of one slot read the same pages.
  std::vector<float> q = Project(c.query, c.wq, c.bq);
  q.insert(q.end(), q.begin(), q.begin() + width);
  const int32_t slots[] = {0, 0};
  std::vector<float> out(q.size());
  ::dragoman::kernels::CrossAttention(
      context, layout, 0, kernels::DecodeRows{2, slots, nullptr, nullptr},
      kernels::CrossKvTables{pool.data(), pages.data(), page_count, &length}, q.data(), out.data());
  const auto d = static_cast<size_t>(width);
  return Contexts{{"first row", ToDoubles(out.data(), d)},
                  {"second row", ToDoubles(out.data() + d, d)}};
}

absl::StatusOr<Contexts> ProductionBackend::SplitAttention(const SplitAttentionCase& c) {
  const auto width = static_cast<int32_t>(c.query.size());
  const kernels::KvLayout layout{1, 1, width};
  Matrix keys = c.k_prefix;
  keys.insert(keys.end(), c.k_gen.begin(), c.k_gen.end());
  Matrix values = c.v_prefix;
  values.insert(values.end(), c.v_gen.begin(), c.v_gen.end());
  const auto positions = static_cast<int32_t>(keys.size());
  const auto pages_per_lane = static_cast<int32_t>(kernels::KvLayout::PagesFor(positions));

  // Lane 0 wrote the prefix, and lane 1 the later positions. The last position is the new one.
  constexpr int32_t kLanes = 2;
  const std::vector<int32_t> lane_pages = Ascending(kLanes * pages_per_lane);
  std::vector<float> pool(lane_pages.size() * static_cast<size_t>(layout.ElementsPerPage()));
  std::vector<uint8_t> ancestry(kLanes * keys.size(), 1);
  for (int32_t p = 0; p + 1 < positions; ++p) {
    const auto at = static_cast<size_t>(p);
    const int32_t lane = at < c.k_prefix.size() ? 0 : 1;
    ancestry[keys.size() + at] = static_cast<uint8_t>(lane);
    float* const page = pool.data() + (lane * pages_per_lane + p / kernels::kPagePositions) *
                                          layout.ElementsPerPage();
    const std::vector<float> k = ToFloats(keys[at]);
    const std::vector<float> v = ToFloats(values[at]);
    std::copy(k.begin(), k.end(), page + layout.SelfK(0, p % kernels::kPagePositions));
    std::copy(v.begin(), v.end(), page + layout.SelfV(0, p % kernels::kPagePositions));
  }
  std::vector<float> qkv(c.query.begin(), c.query.end());
  qkv.insert(qkv.end(), keys.back().begin(), keys.back().end());
  qkv.insert(qkv.end(), values.back().begin(), values.back().end());
  std::vector<int32_t> slot_lanes(kernels::kMaxSlotLanes, 0);
  slot_lanes[1] = 1;
  const int32_t slot = 0;
  const int32_t lane = 1;
  const int32_t position = positions - 1;
  std::vector<float> out(static_cast<size_t>(width));
  kernels::OpContext context;
  kernels::DecodeSelfAttention(context, layout, 0, kernels::DecodeRows{1, &slot, &lane, &position},
                               kernels::SelfKvTables{pool.data(), lane_pages.data(), pages_per_lane,
                                                     slot_lanes.data(), ancestry.data(), positions},
                               qkv.data(), out.data());
  return Contexts{{"through the ancestry", ToDoubles(out.data(), out.size())}};
}

}  // namespace dragoman::oracle
