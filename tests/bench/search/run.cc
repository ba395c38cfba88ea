#include "tests/bench/search/run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include "engine/decode/decoding_batch.h"
#include "engine/schedule/decode_loop.h"
#include "engine/schedule/encoder_worker.h"
#include "tests/bench/search/or_end.h"
#include "tests/engine/support/fakes.h"

namespace dragoman::bench {
namespace {

// Counts steps as the loop reports them.
class StepCounter : public testing::CountingObserver {
 public:
  explicit StepCounter(RunResult* result) : result_(result) {}

  void OnStep(const Step& step) override {
    ++result_->steps;
    result_->row_steps += step.rows;
    const auto segments = static_cast<size_t>(step.segments);
    if (result_->live.size() <= segments) result_->live.resize(segments + 1);
    ++result_->live[segments];
  }

 private:
  RunResult* const result_;
};

// Passes steps on and counts the positions that they read.
class CountingDecoder : public engine::Decoder {
 public:
  CountingDecoder(std::unique_ptr<engine::Decoder> inner, Positions* self, Positions* cross)
      : inner_(std::move(inner)), self_(self), cross_(cross) {}

  absl::Status Step(const engine::StepInput& input, kernels::LogitSummary* summaries) override {
    int64_t longest = 0;
    int64_t longest_source = 0;
    int64_t positions = 0;
    int64_t sources = 0;
    for (int64_t r = 0; r < input.rows.count; ++r) {
      const int64_t length = int64_t{input.rows.position[r]} + 1;
      const int64_t source = input.cross.source_length[input.rows.slot[r]];
      positions += length;
      sources += source;
      longest = std::max(longest, length);
      longest_source = std::max(longest_source, source);
    }
    self_->read += positions;
    self_->padding += longest * input.rows.count - positions;
    cross_->read += sources;
    cross_->padding += longest_source * input.rows.count - sources;
    return inner_->Step(input, summaries);
  }

 private:
  const std::unique_ptr<engine::Decoder> inner_;
  Positions* const self_;
  Positions* const cross_;
};

bool SameBits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return SameBits(x, y); });
}

bool Same(const engine::DecodedHypothesis& a, const engine::DecodedHypothesis& b) {
  return a.tokens == b.tokens && a.reason == b.reason && SameBits(a.score, b.score) &&
         SameBits(a.log_prob, b.log_prob) && SameBits(a.token_log_probs, b.token_log_probs);
}

std::unique_ptr<engine::Segment> MakeSegment(const Task& task, int index,
                                             const std::shared_ptr<engine::SegmentOwner>& owner) {
  auto segment = std::make_unique<engine::Segment>();
  segment->owner = owner;
  segment->index = index;
  segment->source = task.source;
  segment->search = task.search;
  segment->divisor = engine::LengthDivisors(task.search.max_tokens, task.search.length_penalty,
                                            task.search.penalty);
  segment->constraints = engine::ConstraintTable(task.phrases);
  segment->forbidden = task.forbidden;
  segment->wants_partials = task.partials;
  return segment;
}

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// The parts of a worker. The batch is destroyed before the memory.
struct Runner::Parts {
  std::unique_ptr<engine::KvMemory> memory;
  std::unique_ptr<engine::Encoder> encoder;
  std::unique_ptr<engine::Batch> batch;
  const engine::DecodingBatch* open = nullptr;  // the batch, if its slots can be read
};

Runner::Parts Runner::MakeOnCpu(const engine::BatchConfig& shape, const engine::PagePlan& pages,
                                RunResult* result) const {
  const engine::StepModel& model = model_->model();
  result->expansions = 0;
  Parts parts;
  parts.memory =
      OrEnd(engine::KvMemory::Create(model.kv_layout(), pages.self_pages, pages.cross_pages));
  parts.encoder = model.CreateEncoder(1);
  auto batch = std::make_unique<engine::DecodingBatch>(
      shape, parts.memory.get(),
      std::make_unique<CountingDecoder>(model.CreateDecoder(1, shape.max_rows),
                                        &result->self.emplace(), &result->cross.emplace()));
  parts.open = batch.get();
  parts.batch = std::move(batch);
  return parts;
}

Runner::Parts Runner::MakeOnDevice(const engine::BatchConfig& shape,
                                   const engine::PagePlan& pages) {
  std::shared_ptr<const engine::Backend>& backend = backends_[{shape.max_rows, shape.lane_count()}];
  if (backend == nullptr) backend = OrEnd(make_(shape));
  Parts parts;
  parts.memory = OrEnd(backend->CreateKvMemory(pages));
  parts.encoder = OrEnd(backend->CreateEncoder(1));
  parts.batch = OrEnd(backend->CreateBatch(shape, 1, parts.memory.get()));
  return parts;
}

RunResult Runner::Run(const RunConfig& config, const std::vector<Task>& tasks) {
  RunResult result;
  testing::FakeClock clock;
  StepCounter observer(&result);
  engine::Ledger ledger;
  const engine::SegmentAccounting accounting{&ledger, &observer};
  auto owner = std::make_shared<testing::RecordingOwner>(&ledger);

  std::vector<std::unique_ptr<engine::Segment>> segments;
  int64_t tokens = 0;
  int64_t cross_pages = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    segments.push_back(MakeSegment(tasks[i], static_cast<int>(i), owner));
    tokens += segments.back()->tokens();
    cross_pages += kernels::KvLayout::PagesFor(segments.back()->tokens());
  }
  // No segment may need more pages than there are.
  int64_t self_pages = int64_t{config.max_rows} * config.pages_per_row;
  for (const Task& task : tasks) {
    self_pages =
        std::max(self_pages, kernels::WorstCasePages(task.search.beam, task.search.max_tokens));
  }
  // An encoder pass takes at most half of the pages. There are twice as many as all segments need,
  // so this limit has no effect.
  const engine::PagePlan pages{static_cast<int32_t>(self_pages),
                               static_cast<int32_t>(2 * cross_pages)};

  const engine::ModelSpec& spec = model_->spec();
  engine::BatchConfig shape;
  shape.max_rows = config.max_rows;
  shape.lanes = config.scheduler.lanes;
  shape.max_positions = spec.shape.max_positions + 1;
  shape.start_token = spec.tokens.decoder_start;
  shape.vocabulary = spec.shape.target_vocab;

  const auto count = static_cast<int64_t>(tasks.size());
  engine::RequestQueue requests({count, tokens}, &clock);
  engine::EncodedQueue encoded(count + 1, &clock);
  const engine::Policy policy(config.scheduler);
  const Parts parts = on_cpu() ? MakeOnCpu(shape, pages, &result) : MakeOnDevice(shape, pages);
  // Encodes complete windows. The encoder finishes before the loop begins, so no pages are released
  // meanwhile.
  engine::EncoderWorker encoder_worker({config.scheduler.window, 1, true}, &requests,
                                       parts.encoder.get(), parts.memory.get(), &encoded,
                                       accounting, &clock);
  engine::DecodeLoop loop(parts.batch.get(), &encoded, &policy, accounting, &clock);

  ledger.Accept(count);
  engine::RequestQueue::Reservation reservation;
  if (requests.Reserve(0, 1, count, tokens, &reservation) != engine::RejectReason::kNone ||
      !requests.Push(reservation, std::move(segments)).empty()) {
    OrEnd(absl::InternalError("the request queue did not take all tasks"));
  }
  requests.Close();

  const auto seconds = on_cpu() ? ThreadSeconds : WallSeconds;
  double begun = seconds();
  encoder_worker.Run();
  result.encode_seconds = seconds() - begun;
  begun = seconds();
  for (;;) {
    const absl::StatusOr<bool> stepped = loop.RunOnce();
    if (!stepped.ok()) OrEnd(stepped.status());
    if (!*stepped) break;
    if (parts.open == nullptr) continue;
    // A slot that was freed keeps its counts until the next segment enters.
    for (const int32_t number : parts.open->stepped()) {
      if (parts.open->status(number) != kernels::SlotStatus::kFree) continue;
      *result.expansions += parts.open->slot(number).state->expansions;
    }
  }
  result.decode_seconds = seconds() - begun;

  if (encoded.waiting().load.segments > 0) OrEnd(absl::InternalError("a task was never admitted"));
  for (const auto& [index, status] : owner->failures()) OrEnd(status);
  result.nbest.resize(tasks.size());
  for (const auto& [index, hypotheses] : owner->results()) {
    result.nbest[static_cast<size_t>(index)] = hypotheses;
  }
  for (const auto& hypotheses : result.nbest) {
    if (hypotheses.empty()) OrEnd(absl::InternalError("a task has no output"));
  }
  return result;
}

int FirstDifference(const RunResult& a, const RunResult& b) {
  for (size_t i = 0; i < std::max(a.nbest.size(), b.nbest.size()); ++i) {
    if (i >= a.nbest.size() || i >= b.nbest.size() ||
        !std::equal(a.nbest[i].begin(), a.nbest[i].end(), b.nbest[i].begin(), b.nbest[i].end(),
                    Same)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

bool SameWork(const RunResult& a, const RunResult& b) {
  return a.row_steps == b.row_steps && a.expansions == b.expansions;
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace dragoman::bench
