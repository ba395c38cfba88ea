#include "tests/oracle/schedule_cases.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/decode/decoding_batch.h"
#include "engine/schedule/decode_loop.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/scripted_model.h"

namespace dragoman::testing {
namespace {

using nlohmann::json;

constexpr int64_t kLongestLife = 1 << 16;

// The numbers of live hypotheses of a segment before each of its steps.
using Widths = std::vector<int>;

struct Round {
  std::vector<int> admitted;  // ids, before the step
  int live = 0;               // number of segments after admission
  std::vector<int> selected;
  int64_t max_length = 0;
  int64_t rows = 0;
};

// Tells the run that its segment has entered a slot.
class CaseOwner : public RecordingOwner {
 public:
  CaseOwner(engine::Ledger* ledger, int id, std::vector<int>* admitted)
      : RecordingOwner(ledger), id_(id), admitted_(admitted) {}
  void OnStarted() override { admitted_->push_back(id_); }

 private:
  const int id_;
  std::vector<int>* const admitted_;  // borrowed from the run
};

// The hypothesis of rank r ends in token r + 1. The hypotheses of the next step are children of the
// current ones in turn, so the beam has exactly the given widths. EOS, token 0, ends the segment
// with its last step.
std::vector<float> ScriptedLogits(const Widths& widths, std::span<const int32_t> prefix,
                                  size_t vocabulary) {
  std::vector<float> logits(vocabulary, -INFINITY);
  const size_t length = prefix.size();
  if (length + 1 == widths.size()) {
    logits[0] = 0;
    return logits;
  }
  const int rank = prefix.empty() ? 0 : prefix.back() - 1;
  for (int child = rank; child < widths[length + 1]; child += widths[length]) {
    logits[static_cast<size_t>(child) + 1] = 0;
  }
  return logits;
}

// Runs segments of these widths through the decode loop. All segments are encoded from the start.
absl::StatusOr<std::vector<Round>> RunLoop(const std::vector<Widths>& segments,
                                           const engine::SchedulerOptions& options) {
  int widest = 1;
  size_t longest = 1;
  int64_t most_steps = 0;
  for (const Widths& widths : segments) {
    widest = std::max(widest, *std::max_element(widths.begin(), widths.end()));
    longest = std::max(longest, widths.size());
    most_steps += static_cast<int64_t>(widths.size());
  }
  const auto vocabulary = static_cast<size_t>(widest) + 1;
  const auto max_tokens = static_cast<int>(longest);

  std::vector<int> admitted;
  std::vector<Round> rounds;
  ScriptedModel model([&](std::span<const int32_t> source, std::span<const int32_t> prefix) {
    Round& round = rounds.back();
    const int id = source[0];
    if (round.selected.empty() || round.selected.back() != id) round.selected.push_back(id);
    round.max_length = std::max(round.max_length, static_cast<int64_t>(prefix.size()));
    return ScriptedLogits(segments[static_cast<size_t>(id)], prefix, vocabulary);
  });

  FakeClock clock;
  CountingObserver observer;
  engine::Ledger ledger;
  const engine::Policy policy(options);
  engine::BatchConfig config;
  config.max_rows = static_cast<int>(options.capacity) * widest;
  config.max_positions = max_tokens + 1;
  config.vocabulary = widest + 1;
  const auto pages = static_cast<int32_t>(kernels::WorstCasePages(config.max_rows, max_tokens));
  absl::StatusOr<std::unique_ptr<engine::KvMemory>> memory =
      engine::KvMemory::Create(model.kv_layout(), pages, static_cast<int32_t>(segments.size()));
  if (!memory.ok()) return memory.status();
  engine::EncodedQueue queue(static_cast<int64_t>(segments.size()), &clock);
  engine::DecodingBatch batch(config, memory->get(), model.CreateDecoder(1, config.max_rows));
  engine::DecodeLoop loop(&batch, &queue, &policy, engine::SegmentAccounting{&ledger, &observer},
                          &clock);
  model.before_step = [&](int64_t rows) {
    Round round;
    round.admitted = std::exchange(admitted, {});
    round.live = static_cast<int>(batch.live().size());
    round.rows = rows;
    rounds.push_back(std::move(round));
    return absl::OkStatus();
  };

  for (size_t i = 0; i < segments.size(); ++i) {
    const auto id = static_cast<int>(i);
    auto segment = std::make_unique<engine::Segment>();
    segment->owner = std::make_shared<CaseOwner>(&ledger, id, &admitted);
    segment->index = id;
    segment->source = {id};
    segment->search.beam = *std::max_element(segments[i].begin(), segments[i].end());
    segment->search.max_tokens = max_tokens;
    segment->search.forced_eos = kernels::ForcedEos::kModel;
    segment->divisor = engine::LengthDivisors(max_tokens, 1.0F);
    segment->cross = EncodeScripted(segment->source, memory->get());
    ledger.Accept(1);
    if (queue.Push(std::move(segment)) != nullptr) return absl::InternalError("the queue is shut");
  }
  for (;;) {
    const absl::StatusOr<bool> stepped = loop.RunOnce();
    if (!stepped.ok()) return stepped.status();
    if (!*stepped) break;
    if (static_cast<int64_t>(rounds.size()) > most_steps) {
      return absl::InternalError("the loop makes more steps than the segments have");
    }
  }
  const engine::SegmentCounts counts = ledger.Snapshot();
  if (counts.waiting + counts.running + counts.error > 0) {
    return absl::InternalError(absl::StrCat(counts.waiting, " segments still wait, ",
                                            counts.running, " run, ", counts.error, " failed"));
  }
  return rounds;
}

absl::StatusOr<std::vector<Widths>> ReadSegments(const json& input) {
  const auto lifetimes = input.at("lifetimes").get<std::vector<int64_t>>();
  std::vector<Widths> segments;
  for (const int64_t life : lifetimes) {
    if (life < 1 || life > kLongestLife) {
      return absl::InvalidArgumentError(
          absl::StrCat("a lifetime is ", life, ", expected 1 to ", kLongestLife));
    }
    segments.emplace_back(static_cast<size_t>(life), 1);
  }
  if (!input.contains("widths") || input["widths"].is_null()) return segments;
  const auto widths = input["widths"].get<std::vector<Widths>>();
  if (widths.size() != segments.size()) {
    return absl::InvalidArgumentError("widths and lifetimes are not equally many");
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    const auto fits = [](int w) { return w >= 1 && w <= kernels::kMaxBeam; };
    if (widths[i].size() != segments[i].size() || widths[i].front() != 1 ||
        !std::all_of(widths[i].begin(), widths[i].end(), fits)) {
      return absl::InvalidArgumentError(
          absl::StrCat("widths of segment ", i, ": expected one of 1 to ", kernels::kMaxBeam,
                       " for each of its steps, and one hypothesis to begin with"));
    }
  }
  return widths;
}

absl::StatusOr<engine::SchedulerOptions> ReadOptions(const json& input) {
  engine::SchedulerOptions o;
  o.unit = engine::CapacityUnit::kSegments;
  o.capacity = input.at("n").get<int64_t>();
  o.max_pause = 0;
  if (o.capacity < 1 || o.capacity > 4096) {
    return absl::InvalidArgumentError(absl::StrCat("n is ", o.capacity, ", expected 1 to 4096"));
  }
  return o;
}

json ListOfRefills(const std::vector<Round>& rounds, bool with_live) {
  json list = json::array();
  for (size_t i = 0; i < rounds.size(); ++i) {
    if (rounds[i].admitted.empty()) continue;
    json refill = {{"iteration", i}, {"admitted", rounds[i].admitted}};
    if (with_live) refill["live_after"] = rounds[i].live;
    list.push_back(std::move(refill));
  }
  return list;
}

absl::StatusOr<json> RunStream(const json& input) {
  absl::StatusOr<std::vector<Widths>> segments = ReadSegments(input);
  if (!segments.ok()) return segments.status();
  absl::StatusOr<engine::SchedulerOptions> options = ReadOptions(input);
  if (!options.ok()) return options.status();
  options->refill = engine::RefillRule::kStream;
  options->eps_num = input.at("eps_num").get<int64_t>();
  options->eps_den = input.at("eps_den").get<int64_t>();
  const auto order = input.at("order").get<std::string>();
  if (order != "min" && order != "fifo") {
    return absl::InvalidArgumentError(
        absl::StrCat("order is '", order, "', expected 'min' or 'fifo'"));
  }
  options->selection =
      order == "min" ? kernels::SlotSelection::kShortest : kernels::SlotSelection::kLongest;
  if (input.contains("width_budget") && !input["width_budget"].is_null()) {
    options->width_budget = input["width_budget"].get<int32_t>();
  }
  absl::StatusOr<std::vector<Round>> rounds = RunLoop(*segments, *options);
  if (!rounds.ok()) return rounds.status();

  json log = json::array();
  int64_t expansions = 0;
  for (size_t i = 0; i < rounds->size(); ++i) {
    const Round& round = (*rounds)[i];
    log.push_back({{"iteration", i},
                   {"selected", round.selected},
                   {"max_l", round.max_length},
                   {"expansions", round.rows}});
    expansions += round.rows;
  }
  return json{{"timesteps", rounds->size()},
              {"refills", ListOfRefills(*rounds, true)},
              {"log", std::move(log)},
              {"expansions", expansions}};
}

absl::StatusOr<json> RunTopUp(const json& input) {
  absl::StatusOr<std::vector<Widths>> segments = ReadSegments(input);
  if (!segments.ok()) return segments.status();
  absl::StatusOr<engine::SchedulerOptions> options = ReadOptions(input);
  if (!options.ok()) return options.status();
  const auto rule = input.at("rule").get<std::string>();
  if (rule != "half" && rule != "any") {
    return absl::InvalidArgumentError(
        absl::StrCat("rule is '", rule, "', expected 'half' or 'any'"));
  }
  options->refill =
      rule == "half" ? engine::RefillRule::kHalfEmpty : engine::RefillRule::kContinuous;
  absl::StatusOr<std::vector<Round>> rounds = RunLoop(*segments, *options);
  if (!rounds.ok()) return rounds.status();
  options->refill = engine::RefillRule::kStatic;
  absl::StatusOr<std::vector<Round>> batches = RunLoop(*segments, *options);
  if (!batches.ok()) return batches.status();

  json active = json::array();
  for (const Round& round : *rounds) active.push_back(round.selected.size());
  return json{{"iterations", rounds->size()},
              {"active_per_iteration", std::move(active)},
              {"topups", ListOfRefills(*rounds, false)},
              {"minibatch_iterations", batches->size()}};
}

// The log does not promise an order of the selected segments.
void SortSelected(json& result) {
  if (!result.contains("log")) return;
  for (json& step : result["log"]) {
    if (step.contains("selected")) std::sort(step["selected"].begin(), step["selected"].end());
  }
}

absl::Status Compare(json expected, json found) {
  SortSelected(expected);
  SortSelected(found);
  for (const auto& [key, value] : expected.items()) {
    if (!found.contains(key)) {
      return absl::InvalidArgumentError(absl::StrCat("expected has an unknown field '", key, "'"));
    }
    if (value == found[key]) continue;
    if (value.is_array() && found[key].is_array()) {
      const size_t both = std::min(value.size(), found[key].size());
      for (size_t i = 0; i < both; ++i) {
        if (value[i] == found[key][i]) continue;
        return absl::InternalError(absl::StrCat(key, "[", i, "]: expected ", value[i].dump(),
                                                ", found ", found[key][i].dump()));
      }
      return absl::InternalError(
          absl::StrCat(key, ": expected ", value.size(), " entries, found ", found[key].size()));
    }
    return absl::InternalError(
        absl::StrCat(key, ": expected ", value.dump(), ", found ", found[key].dump()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunScheduleCase(const json& test_case) {
  try {
    const auto kind = test_case.at("kind").get<std::string>();
    const json& input = test_case.at("input");
    const json& expected = test_case.at("expected");
    if (kind != "stream_schedule" && kind != "topup_schedule") {
      return absl::InvalidArgumentError(absl::StrCat("kind '", kind, "' is no schedule"));
    }
    if (!expected.is_object() || expected.empty()) {
      return absl::InvalidArgumentError("the case expects nothing");
    }
    const absl::StatusOr<json> found =
        kind == "stream_schedule" ? RunStream(input) : RunTopUp(input);
    if (!found.ok()) return found.status();
    return Compare(expected, *found);
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("the case cannot be read: ", error.what()));
  }
}

}  // namespace dragoman::testing
