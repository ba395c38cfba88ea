#include "server/observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "server/base/steady_clock.h"
#include "server/transport/http.h"
#include "server/transport/listener.h"
#include "server/transport/routes.h"
#include "tests/server/fake_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class MetricsTest : public ::testing::Test {
 protected:
  std::string Text() const { return "\n" + metrics_.Scrape(); }
  // Expects that the scrape has the sample `line` on a line of its own.
  void ExpectLine(const std::string& line) const {
    EXPECT_THAT(Text(), HasSubstr("\n" + line + "\n"));
  }

  void AttachModel(const FakeEngine* engine) {
    series_ = metrics_.ForModel("de-en");
    metrics_.AttachModels([engine]() -> std::vector<ModelStats> {
      const engine::ModelInfo& info = engine->info();
      return {{"de-en", engine->Stats(), info.family, info.device, info.compute_type, "c0ffee", 2,
               3 * kNanosPerSecond}};
    });
  }

  // Expects that every name in the current scrape is in the list of server/README.md, which omits
  // the prefix.
  void ExpectNamedInTheReadme() const {
    std::ifstream file(DRAGOMAN_SOURCE_DIR "/server/README.md");
    const std::string readme(std::istreambuf_iterator<char>(file), {});
    const size_t begin = readme.find("The full list, without the prefix: ");
    ASSERT_NE(begin, std::string::npos);
    std::set<std::string> listed;
    std::string word;
    for (const char c : readme.substr(begin, readme.find("\n\n", begin) - begin)) {
      if ((c >= 'a' && c <= 'z') || c == '_') {
        word += c;
      } else {
        listed.insert(std::exchange(word, ""));
      }
    }
    listed.insert(word);
    std::istringstream lines(Text());
    const std::string start = "# TYPE dragoman_";
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(start)) continue;
      ++found;
      const std::string name = line.substr(start.size(), line.rfind(' ') - start.size());
      EXPECT_TRUE(listed.contains(name)) << name;
    }
    EXPECT_GT(found, 20);
  }

  ManualClock clock_;
  Metrics metrics_{&clock_};
  std::shared_ptr<ModelMetrics> series_;
};

TEST_F(MetricsTest, CountsCallsByMethodAndCode) {
  series_ = metrics_.ForModel("de-en");
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                 "de-en");
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, 40 * kNanosPerMilli,
                 "de-en");
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kNotFound, kNanosPerMilli,
                 "");
  ExpectLine(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Translate"} 2)");
  ExpectLine(R"(dragoman_rpcs_total{api="dragoman",code="NOT_FOUND",method="Translate"} 1)");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_bucket{api="dragoman",method="Translate",model="de-en",le="0.03"} 1)");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_bucket{api="dragoman",method="Translate",model="de-en",le="0.05"} 2)");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model=""} 1)");
}

TEST_F(MetricsTest, HasEveryReasonFromTheStart) {
  for (const char* reason : {"queue_full", "token_budget", "client_share", "invalid", "unsupported",
                             "draining", "deadline", "rate", "denied"}) {
    ExpectLine("dragoman_rejected_total{reason=\"" + std::string(reason) + "\"} 0");
  }
  metrics_.OnRejected(engine::RejectReason::kTokenBudget);
  metrics_.OnRejected(engine::RejectReason::kClientShare);
  metrics_.OnRejected(engine::RejectReason::kDenied);
  metrics_.OnRejected(engine::RejectReason::kNone);
  ExpectLine(R"(dragoman_rejected_total{reason="token_budget"} 1)");
  ExpectLine(R"(dragoman_rejected_total{reason="client_share"} 1)");
  ExpectLine(R"(dragoman_rejected_total{reason="denied"} 1)");
  ExpectLine(R"(dragoman_rejected_total{reason="queue_full"} 0)");
}

TEST_F(MetricsTest, CountsFilesThatWereReadAgainAndTellsTheCertificatesEnd) {
  FakeEngine engine;
  AttachModel(&engine);
  metrics_.SetCertificateEnd(1'797'099'511);
  metrics_.OnFilesInUse("certificates");
  metrics_.OnFilesInUse("api_keys");
  metrics_.OnFilesRead("certificates", true);
  metrics_.OnFilesRead("certificates", false);
  metrics_.OnFilesRead("certificates", false);
  ExpectLine("dragoman_tls_cert_not_after_seconds 1797099511");
  ExpectLine(R"(dragoman_files_read_total{files="certificates",outcome="ok"} 1)");
  ExpectLine(R"(dragoman_files_read_total{files="certificates",outcome="error"} 2)");
  ExpectLine(R"(dragoman_files_last_read_successful{files="certificates"} 0)");
  ExpectLine(R"(dragoman_files_last_read_successful{files="api_keys"} 1)");
  metrics_.OnFilesRead("certificates", true);
  ExpectLine(R"(dragoman_files_last_read_successful{files="certificates"} 1)");
  ExpectNamedInTheReadme();
  metrics_.AttachModels(nullptr);
}

TEST_F(MetricsTest, TurnsTheEnginesEventsIntoSeries) {
  series_ = metrics_.ForModel("de-en");
  ModelMetrics& model = *series_;
  model.OnStep({2 * kNanosPerMilli, 12, 16, 3, 2});
  model.OnStep({2 * kNanosPerMilli, 4, 16, 1, 0});
  model.OnStep({3 * kNanosPerMilli, 0, 0, 1, 0, /*beside_pass=*/true});
  model.OnEncode(5, 100, 7);
  model.OnStage(engine::Stage::kSlotWait, 10 * kNanosPerMilli);
  metrics_.Find("de-en")->OnSent(kNanosPerMilli);
  model.OnJobTokenized(20, 4);
  model.OnSegmentTranslated(20, 24);
  model.OnSegmentSearchedAgain();
  model.OnJobTranslated(24);
  metrics_.Find("de-en")->OnCharacters(71);
  metrics_.Find("de-en")->OnCharacters(9);
  model.OnSegmentCancelled(engine::Stage::kDecode, engine::CancelCause::kDeadline, 9);
  model.OnError("nan");
  metrics_.Find("de-en")->OnFirstResult(Api::kDragoman, RpcMethod::kStreamTranslate,
                                        kNanosPerMilli);
  ExpectLine(R"(dragoman_decode_row_steps_total{model="de-en",state="busy"} 16)");
  ExpectLine(R"(dragoman_decode_row_steps_total{model="de-en",state="idle"} 16)");
  ExpectLine(R"(dragoman_decode_step_duration_seconds_bucket{model="de-en",le="0.0015"} 0)");
  ExpectLine(R"(dragoman_decode_step_duration_seconds_bucket{model="de-en",le="0.002"} 2)");
  ExpectLine(R"(dragoman_decode_step_duration_seconds_count{model="de-en"} 3)");
  ExpectLine(R"(dragoman_decode_step_beside_encoder_seconds_bucket{model="de-en",le="0.002"} 0)");
  ExpectLine(R"(dragoman_decode_step_beside_encoder_seconds_count{model="de-en"} 1)");
  ExpectLine(R"(dragoman_decode_batch_rows_bucket{model="de-en",le="8"} 2)");
  ExpectLine(R"(dragoman_decode_batch_segments_sum{model="de-en"} 5)");
  ExpectLine(R"(dragoman_topup_segments_count{model="de-en"} 1)");
  ExpectLine(R"(dragoman_encode_batch_segments_sum{model="de-en"} 5)");
  ExpectLine(R"(dragoman_encoder_tokens_total{kind="real",model="de-en"} 100)");
  ExpectLine(R"(dragoman_encoder_tokens_total{kind="padding",model="de-en"} 7)");
  ExpectLine(R"(dragoman_stage_duration_seconds_count{model="de-en",stage="slot_wait"} 1)");
  ExpectLine(R"(dragoman_stage_duration_seconds_count{model="de-en",stage="send"} 1)");
  ExpectLine(R"(dragoman_request_source_tokens_bucket{model="de-en",le="32"} 1)");
  ExpectLine(R"(dragoman_request_beam_size_sum{model="de-en"} 4)");
  ExpectLine(R"(dragoman_source_tokens_total{model="de-en"} 20)");
  ExpectLine(R"(dragoman_target_tokens_total{model="de-en"} 24)");
  ExpectLine(R"(dragoman_source_characters_total{model="de-en"} 80)");
  ExpectLine(R"(dragoman_request_target_tokens_count{model="de-en"} 1)");
  ExpectLine(R"(dragoman_cancelled_total{cause="deadline",model="de-en",stage="decode"} 1)");
  ExpectLine(R"(dragoman_wasted_target_tokens_total{cause="deadline",model="de-en"} 9)");
  ExpectLine(R"(dragoman_engine_errors_total{kind="nan",model="de-en"} 1)");
  ExpectLine(
      R"(dragoman_first_result_seconds_count{api="dragoman",method="StreamTranslate",model="de-en"} 1)");
  // Another model gets its own series, and the first model keeps its own.
  const auto other = metrics_.ForModel("en-fr");
  other->OnError("nan");
  EXPECT_EQ(metrics_.ForModel("de-en"), series_);
  ExpectLine(R"(dragoman_engine_errors_total{kind="nan",model="de-en"} 1)");
  ExpectLine(R"(dragoman_engine_errors_total{kind="nan",model="en-fr"} 1)");
  ExpectLine(R"(dragoman_decode_row_steps_total{model="en-fr",state="busy"} 0)");
  metrics_.Find("en-fr")->OnReload(false);
  ExpectLine(R"(dragoman_model_reloads_total{model="en-fr",result="failed"} 1)");
  ExpectLine(R"(dragoman_model_reloads_total{model="de-en",result="ok"} 0)");
  ExpectNamedInTheReadme();
}

TEST_F(MetricsTest, ANameThatNobodyHoldsHasNoSeriesAndCountsAsNone) {
  auto model = metrics_.ForModel("de-en");
  const auto pivot = metrics_.ForPivot("de-en+en-fr");
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                 "de-en");
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                 "de-en+en-fr");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="de-en"} 1)");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="de-en+en-fr"} 1)");
  EXPECT_THAT(Text(), Not(HasSubstr(R"(dragoman_source_tokens_total{model="de-en+en-fr"})")));
  ExpectLine(R"(dragoman_source_characters_total{model="de-en+en-fr"} 0)");
  // Each metric family appears once, no matter how many models have series of it.
  const std::string type = "# TYPE dragoman_rpc_duration_seconds ";
  const std::string text = Text();
  EXPECT_EQ(text.find(type), text.rfind(type));

  model.reset();
  EXPECT_THAT(Text(), Not(HasSubstr(R"(model="de-en")")));
  for (const char* gone : {"de-en", "x", "y", "z"}) {
    metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                   gone);
    metrics_.Find(gone)->OnFirstResult(Api::kDragoman, RpcMethod::kStreamTranslate, kNanosPerMilli);
    metrics_.Find(gone)->OnSent(kNanosPerMilli);
    metrics_.Find(gone)->OnReload(false);
  }
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model=""} 4)");
  ExpectLine(
      R"(dragoman_first_result_seconds_count{api="dragoman",method="StreamTranslate",model=""} 4)");
  ExpectLine(R"(dragoman_stage_duration_seconds_count{model="",stage="send"} 4)");
  ExpectLine(R"(dragoman_model_reloads_total{model="",result="failed"} 4)");
  // Counters without a model label never decrease.
  ExpectLine(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Translate"} 6)");
  model = metrics_.ForModel("de-en");
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="de-en"} 0)");
}

TEST_F(MetricsTest, CallsOverSeveralModelsHaveALabelOfTheirOwn) {
  EXPECT_THAT(Text(), Not(HasSubstr(R"(model="*")")));
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                 kSeveralModels);
  metrics_.Find(kSeveralModels)
      ->OnFirstResult(Api::kDragoman, RpcMethod::kStreamTranslate, kNanosPerMilli);
  metrics_.Find(kSeveralModels)->OnSent(kNanosPerMilli);
  ExpectLine(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="*"} 1)");
  ExpectLine(
      R"(dragoman_first_result_seconds_count{api="dragoman",method="StreamTranslate",model="*"} 1)");
  ExpectLine(R"(dragoman_stage_duration_seconds_count{model="*",stage="send"} 1)");
}

TEST_F(MetricsTest, TakesSegmentsAndQueuesFromTheEngine) {
  EXPECT_THAT(Text(), Not(HasSubstr("dragoman_segments_accepted_total")));
  FakeEngine engine;
  engine.HoldJobs();
  AttachModel(&engine);
  engine::TranslationJob job;
  job.contents = {"a", "b"};
  class Ignore final : public engine::TranslationSink {
    void OnSegment(engine::SegmentUpdate /*update*/) override {}
    void OnItem(engine::ItemResult /*result*/) override {}
    void OnDone(const absl::Status& /*status*/, const engine::JobTimings& /*timings*/) override {}
  };
  engine.Translate(job, std::make_shared<Ignore>());
  ExpectLine(R"(dragoman_segments_accepted_total{model="de-en"} 2)");
  ExpectLine(R"(dragoman_segments_running{model="de-en"} 2)");
  ExpectLine(R"(dragoman_segments_waiting{model="de-en"} 0)");
  ExpectLine(R"(dragoman_segments_total{model="de-en",outcome="eos"} 0)");
  ExpectLine(R"(dragoman_queue_capacity{model="de-en",stage="encode",unit="segments"} 100)");
  ExpectLine(R"(dragoman_queue_capacity{model="de-en",stage="encode",unit="tokens"} 1000)");
  ExpectLine(R"(dragoman_device_memory_bytes{device="cuda:0",kind="weights",model="de-en"} 10)");
  ExpectLine(R"(dragoman_device_memory_bytes{device="cuda:0",kind="kv",model="de-en"} 20)");
  ExpectLine(R"(dragoman_device_memory_bytes{device="cuda:1",kind="workspace",model="de-en"} 31)");
  ExpectLine(R"(dragoman_kv_resident_bytes{device="cuda:1",model="de-en"} 19)");
  ExpectLine(R"(dragoman_model_load_seconds{model="de-en"} 3)");
  ExpectLine(R"(dragoman_model_version{model="de-en"} 2)");
  ExpectLine("dragoman_last_step_timestamp_seconds{model=\"de-en\"} 0");
  EXPECT_THAT(
      Text(),
      HasSubstr("dragoman_model_info{checksum=\"c0ffee\",compute_type=\"float32\",device=\"cpu\""));
  for (const char* name :
       {"dragoman_requests_waiting", "dragoman_requests_running", "dragoman_queue_segments",
        "dragoman_queue_tokens", "dragoman_queue_oldest_age_seconds", "dragoman_decode_rows",
        "dragoman_decode_rows_capacity", "dragoman_kv_cache_usage_ratio",
        "dragoman_device_memory_bytes", "dragoman_kv_resident_bytes", "dragoman_detokenize_backlog",
        "dragoman_ready", "dragoman_draining", "dragoman_model_reloads_total",
        "dragoman_build_info", "process_resident_memory_bytes", "process_cpu_seconds_total",
        "process_open_fds"}) {
    EXPECT_THAT(Text(), HasSubstr("\n# TYPE " + std::string(name) + " ")) << name;
  }
  ExpectNamedInTheReadme();
  metrics_.AttachModels(nullptr);
  EXPECT_THAT(Text(), Not(HasSubstr("dragoman_segments_accepted_total")));
}

TEST_F(MetricsTest, TheStatusPageAsksForWhatThereIs) {
  FakeEngine engine;
  AttachModel(&engine);
  ListenerOptions options;
  options.address = {.host = "127.0.0.1"};
  const auto listener = ExpectOk(Listener::Listen(options));
  metrics_.AttachConnections("grpc", [&listener] { return (*listener)->Stats(); });
  metrics_.OnRpc(Api::kDragoman, RpcMethod::kTranslate, absl::StatusCode::kOk, kNanosPerMilli,
                 "de-en");
  const std::string text = Text();
  const std::string page(StatusPage());
  const std::regex asked(
      R"((?:all|sum|values|rate|mean|buckets|quantile)\((?:at|to|from, to), '(\w+)')");
  std::set<std::string> names;
  for (std::sregex_iterator match(page.begin(), page.end(), asked), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  // The page queries these in loops, with a quantile before the name.
  for (const char* name : {"rpc_duration_seconds", "decode_step_duration_seconds",
                           "decode_step_beside_encoder_seconds"}) {
    ASSERT_THAT(page, HasSubstr("from, to, '" + std::string(name) + "'"));
    names.insert(name);
  }
  EXPECT_GT(names.size(), 20U);
  for (const std::string& name : names) {
    const bool own = !name.starts_with("process_");
    EXPECT_THAT(text, HasSubstr("\n# TYPE " + (own ? "dragoman_" + name : name) + " "));
  }
  metrics_.AttachConnections("grpc", nullptr);
  metrics_.AttachModels(nullptr);
}

TEST(Http, RoutesWhatThereIs) {
  std::string not_live;
  std::string not_ready = "loading";
  HttpHooks hooks;
  hooks.metrics = [] { return std::string("m 1\n"); };
  hooks.not_live = [&] { return not_live; };
  hooks.not_ready = [&] { return not_ready; };
  const HttpResponse metrics = RouteHttp("GET", "/metrics", hooks);
  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(metrics.body, "m 1\n");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(RouteHttp("GET", "/readyz", hooks).status, 503);
  EXPECT_EQ(RouteHttp("GET", "/readyz", hooks).body, "loading\n");
  not_ready = "";
  EXPECT_EQ(RouteHttp("GET", "/readyz", hooks).status, 200);
  EXPECT_EQ(RouteHttp("GET", "/livez", hooks).body, "ok\n");
  not_live = "stalled";
  EXPECT_EQ(RouteHttp("GET", "/livez", hooks).status, 503);
  const HttpResponse page = RouteHttp("GET", "/status", hooks);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  ASSERT_EQ(page.headers.size(), 1U);
  EXPECT_EQ(page.headers[0].first, "Content-Security-Policy");
  EXPECT_THAT(page.headers[0].second, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page.body, StartsWith("<!doctype html>"));
  EXPECT_THAT(page.body, EndsWith("</html>\n"));
  EXPECT_TRUE(metrics.headers.empty());
  EXPECT_EQ(RouteHttp("HEAD", "/metrics", hooks).status, 200);
  EXPECT_EQ(RouteHttp("POST", "/metrics", hooks).status, 405);
  EXPECT_EQ(RouteHttp("GET", "/metrics/", hooks).status, 404);
  EXPECT_EQ(RouteHttp("GET", "/", hooks).status, 404);
}

}  // namespace
}  // namespace dragoman::server
