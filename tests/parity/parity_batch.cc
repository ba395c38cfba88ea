#include "tests/parity/parity_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <utility>

#include "engine/api/devices.h"
#include "engine/decode/backend.h"
#include "engine/decode/cpu_model.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/request/source_rules.h"
#include "engine/schedule/worker.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/gzip_file.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

constexpr int kMaxRows = 96;

kernels::StopRule StopRuleOf(const json& early_stopping) {
  if (early_stopping.is_string()) return kernels::StopRule::kNever;
  return early_stopping.get<bool>() ? kernels::StopRule::kFirstK : kernels::StopRule::kHeuristic;
}

engine::EarlyStopping EarlyStoppingOf(const json& early_stopping) {
  if (early_stopping.is_string()) return engine::EarlyStopping::kNever;
  return early_stopping.get<bool>() ? engine::EarlyStopping::kTrue : engine::EarlyStopping::kFalse;
}

absl::StatusOr<std::shared_ptr<const engine::Backend>> CreateBackend(
    const ParityModel& model, const engine::BatchConfig& batch) {
  const engine::Program& program = model.loaded->program;
  if (model.ensemble != nullptr) return engine::CreateCpuBackend(model.ensemble);
  const engine::Weights& weights = *model.loaded->weights;
  if (model.place == Place::kCpu) {
    auto cpu = engine::CreateCpuModel(program, weights, model.type, 1, nullptr,
                                      model.loaded->shortlist != nullptr);
    if (!cpu.ok()) return cpu.status();
    return engine::CreateCpuBackend(*std::move(cpu));
  }
  if (absl::Status status = engine::CheckCudaModel(program); !status.ok()) return status;
  const auto image = engine::MakeWeightImage(program, weights, kernels::ComputeType::kFloat32);
  if (!image.ok()) return image.status();
  engine::CudaBackendConfig config;
  config.batch = batch;
  return engine::CreateCudaBackend(config, program, *image);
}

// Skips the test only if the engine refuses to load the model. A model that it loads must be right.
void SkipIfRefused(const ParityModel& model) {
  if (model.place == Place::kCpu) return;
  const absl::Status status = engine::CheckCudaModel(model.loaded->program);
  if (absl::IsUnimplemented(status)) GTEST_SKIP() << "CUDA cases skipped: " << status.message();
}

}  // namespace

void ReadFixture(const std::string& name, Fixture* out) {
  const auto text = ExpectOk(
      engine::ReadGzipFile(DRAGOMAN_SOURCE_DIR "/tests/parity/fixtures/" + name + ".jsonl.gz"));
  std::istringstream lines(*text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line)) << name;
  out->header = json::parse(line);
  while (std::getline(lines, line)) out->cases.push_back(json::parse(line));
  ASSERT_EQ(out->cases.size(), out->header["kept"].get<size_t>()) << name;
}

void LoadParityModel(const std::string& directory, Place place, ParityModel* out) {
  auto loaded = ExpectOk(engine::LoadModel(DRAGOMAN_SOURCE_DIR "/" + directory));
  out->loaded.emplace(*std::move(loaded));
  out->place = place;
  SkipIfRefused(*out);
}

void LoadFixturesModel(const Fixture& fixture, const ParityCase& which, ParityModel* out) {
  const std::filesystem::path path = fixture.header["models"][which.fixture].get<std::string>();
  const json changes = fixture.header.value("changes", json::object());
  if (!changes.contains(which.fixture)) {
    ASSERT_NO_FATAL_FAILURE(LoadParityModel(path.string(), which.place, out));
    return;
  }
  engine::ModelDirectory directory(path.filename().string());
  for (const auto& [file, fields] : changes[which.fixture].items()) directory.Change(file, fields);
  auto loaded = ExpectOk(directory.Load());
  out->loaded.emplace(*std::move(loaded));
  out->place = which.place;
  SkipIfRefused(*out);
}

std::string ParityCaseName(const ::testing::TestParamInfo<ParityCase>& info) {
  std::string name = info.param.fixture;
  std::replace(name.begin(), name.end(), '-', '_');
  return info.param.place == Place::kCuda ? "Cuda_" + name : name;
}

void OnPlace::SetUp() {
  if (GetParam().place == Place::kCpu) return;
  const engine::CudaProbe probe = engine::ProbeCuda();
  if (!probe.why_none.empty()) GTEST_SKIP() << "CUDA cases skipped: " << probe.why_none;
}

std::unique_ptr<engine::Segment> MakeSegment(const engine::SearchSettings& settings,
                                             const std::vector<int32_t>& source, int ordinal,
                                             const std::vector<std::vector<int32_t>>& words) {
  auto segment = std::make_unique<engine::Segment>();
  segment->source = source;
  segment->search =
      engine::SearchForSegment(settings, static_cast<int>(source.size()) - 1, false, ordinal);
  segment->divisor = engine::LengthDivisors(
      segment->search.max_tokens, segment->search.length_penalty, segment->search.penalty);
  std::vector<std::vector<int32_t>> forbidden = settings.forbidden;
  forbidden.insert(forbidden.end(), words.begin(), words.end());
  for (auto& ngram : engine::SourceNgrams(source, settings.encoder_no_repeat_ngram)) {
    forbidden.push_back(std::move(ngram));
  }
  if (segment->search.encoder_repetition_penalty != 1.0F) {
    segment->source_ids = engine::DistinctTokens(source);
  }
  segment->forbidden = std::make_shared<const engine::ForbiddenTable>(forbidden, settings.excluded);
  if (settings.forced_bos.has_value()) {
    segment->prefix = {*settings.forced_bos};
    segment->search.free_prefix = 1;
  }
  return segment;
}

engine::DecodingOptions WideOptions(engine::Profile profile) {
  engine::DecodingOptions options;
  options.profile = profile;
  options.max_length_ratio = 1000.0F;
  options.max_length_extra = 1000;
  return options;
}

std::unique_ptr<engine::Segment> HfSegment(const json& fixture_case, const engine::ModelSpec& spec,
                                           Asked asked, bool scores) {
  const json& o = fixture_case["options"];
  const int beam = o["num_beams"].get<int>();
  const int max_length = o["max_length"].get<int>();
  const int min_length = o["min_length"].get<int>();
  const auto penalty = o["length_penalty"].get<float>();
  const int ngram = o.value("no_repeat_ngram_size", 0);
  const float repetition = o.value("repetition_penalty", 1.0F);
  const bool forced = o["forced_eos"].get<bool>();

  engine::ModelSpec checkpoint = spec;
  engine::GenerationDefaults& g = checkpoint.generation;
  if (!forced) g.forced_eos.reset();
  g.renormalize_logits = o["renormalize_logits"].get<bool>();
  g.max_length = max_length;
  for (const auto& word : o.value("bad_words_ids", std::vector<std::vector<int>>{})) {
    g.bad_words.push_back(word);
  }
  engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
  request.num_alternatives = beam;
  // A request's minimum length must fit its limit. A checkpoint's minimum yields to the limit.
  const int min_tokens = std::max(0, min_length - 1);
  if (asked == Asked::kByRequest && min_tokens <= max_length - (forced ? 2 : 1)) {
    request.beam_size = beam;
    request.length_penalty = penalty;
    request.stop_rule = StopRuleOf(o["early_stopping"]);
    request.min_output_tokens = min_tokens;
    request.no_repeat_ngram = ngram;
    request.repetition_penalty = repetition;
  } else {
    g.num_beams = beam;
    g.length_penalty = penalty;
    g.early_stopping = EarlyStoppingOf(o["early_stopping"]);
    g.min_length = min_length;
    g.no_repeat_ngram = ngram;
    g.repetition_penalty = repetition;
  }
  engine::SearchContext context;
  context.max_rows = kMaxRows;
  context.scores = scores;
  const auto settings = engine::ResolveSearch(request, checkpoint, context);
  if (!settings.ok()) {
    ADD_FAILURE() << fixture_case["id"] << ": " << settings.status();
    return nullptr;
  }
  auto segment = MakeSegment(*settings, fixture_case["source_ids"].get<std::vector<int32_t>>());
  segment->prefix = o.value("prefix", std::vector<int32_t>{});
  return segment;
}

std::vector<std::vector<engine::DecodedHypothesis>> Decode(
    const ParityModel& model, std::vector<std::unique_ptr<engine::Segment>> segments,
    int32_t start_token) {
  const size_t count = segments.size();
  testing::FakeClock clock;
  testing::CountingObserver observer;
  engine::Ledger ledger;
  const engine::Policy policy;
  engine::RequestQueue queue({100000, 10000000}, &clock);
  auto owner = std::make_shared<testing::RecordingOwner>(&ledger);
  engine::WorkerConfig config;
  config.batch.max_rows = kMaxRows;
  config.batch.max_positions = model.spec().shape.max_positions + 1;
  config.batch.start_token = start_token;
  config.batch.vocabulary = model.spec().shape.target_vocab;
  config.pages = {.self_pages = 1024, .cross_pages = 64};
  const auto backend = CreateBackend(model, config.batch);
  if (!backend.ok()) {
    ADD_FAILURE() << backend.status();
    return std::vector<std::vector<engine::DecodedHypothesis>>(count);
  }
  {
    const auto worker = engine::Worker::Create(
        config, **backend, {&queue, &ledger, &policy, &clock, &observer}, [] {});
    if (!worker.ok()) {
      ADD_FAILURE() << worker.status();
      return std::vector<std::vector<engine::DecodedHypothesis>>(count);
    }
    int64_t tokens = 0;
    for (size_t i = 0; i < count; ++i) {
      segments[i]->owner = owner;
      segments[i]->index = static_cast<int>(i);
      tokens += segments[i]->tokens();
    }
    ledger.Accept(static_cast<int64_t>(count));
    engine::RequestQueue::Reservation reservation;
    EXPECT_EQ(queue.Reserve(0, 1, static_cast<int64_t>(count), tokens, &reservation),
              engine::RejectReason::kNone);
    EXPECT_TRUE(queue.Push(reservation, std::move(segments)).empty());
    owner->WaitFor(count);
    queue.Close();
  }
  for (const auto& [index, status] : owner->failures()) {
    ADD_FAILURE() << "segment " << index << ": " << status;
  }
  std::vector<std::vector<engine::DecodedHypothesis>> results(count);
  for (auto& [index, hypotheses] : owner->results()) {
    results[static_cast<size_t>(index)] = hypotheses;
  }
  return results;
}

bool Equal(const json& fixture_case, const std::vector<engine::DecodedHypothesis>& found,
           double penalty, Differences* differences) {
  const json& expected = fixture_case["nbest"];
  bool equal = found.size() == expected.size();
  for (size_t rank = 0; equal && rank < found.size(); ++rank) {
    const engine::DecodedHypothesis& h = found[rank];
    equal = h.tokens == expected[rank]["tokens"].get<std::vector<int32_t>>();
    const auto terms = static_cast<double>(h.token_log_probs.size());
    const double share = penalty == 0.0 ? std::max(1.0, terms) : 1.0;
    if (!equal) break;
    const double difference =
        std::abs(double{h.score} - expected[rank]["score"].get<double>()) / share;
    differences->score = std::max(differences->score, difference);
    equal = difference <= 1e-4;
  }
  const auto scores = fixture_case.value("token_scores", std::vector<float>{});
  if (equal && !scores.empty()) equal = scores.size() == found[0].token_log_probs.size();
  for (size_t t = 0; equal && t < scores.size(); ++t) {
    const double difference = std::abs(double{scores[t]} - double{found[0].token_log_probs[t]});
    differences->token_score = std::max(differences->token_score, difference);
    equal = difference <= 1e-3;
  }
  return equal;
}

void ExpectLists(const json& expected, const std::vector<engine::DecodedHypothesis>& found,
                 double* worst) {
  ASSERT_EQ(found.size(), expected["tokens"].size());
  for (size_t rank = 0; rank < found.size(); ++rank) {
    EXPECT_EQ(json(found[rank].tokens), expected["tokens"][rank]) << "rank " << rank;
    const json& score = expected["scores"][rank];
    if (score.is_null()) continue;
    const double difference = std::abs(double{found[rank].score} - score.get<double>());
    *worst = std::max(*worst, difference);
    EXPECT_LE(difference, 1e-4) << "rank " << rank;
  }
}

std::string Describe(const json& fixture_case,
                     const std::vector<engine::DecodedHypothesis>& found) {
  std::string text = fixture_case["id"].dump() + " " +
                     fixture_case.value("options", json()).dump() + "\nexpected " +
                     fixture_case["nbest"].dump() + "\nfound";
  for (const engine::DecodedHypothesis& h : found) {
    text += "\n  " + json(h.tokens).dump() + " " + std::to_string(h.score);
  }
  return text;
}

}  // namespace dragoman::parity
