// A fixture around an engine with the bundled German-English model.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"
#include "tests/support/expect_ok.h"

namespace dragoman::testing {

inline constexpr char kBundledModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

class BundledEngine : public ::testing::Test {
 protected:
  void Start(engine::EngineConfig config = {}) {
    config.max_rows = config.max_rows == 256 ? 32 : config.max_rows;
    auto engine = ExpectOk(engine::CreateEngine(kBundledModel, config, &clock_, &observer_));
    engine_ = std::move(*engine);
  }

  static engine::TranslationJob Job(std::vector<std::string> items) {
    engine::TranslationJob job;
    job.contents = std::move(items);
    return job;
  }

  // Runs a job to its end, with success or failure.
  std::shared_ptr<CollectingSink> Run(engine::TranslationJob job) {
    auto sink = std::make_shared<CollectingSink>();
    const engine::Admission admission = engine_->Translate(std::move(job), sink);
    EXPECT_TRUE(admission.status.ok()) << admission.status;
    if (admission.status.ok()) (void)sink->Wait();
    return sink;
  }
  // Translates. Expects success of the job, but not of every item.
  std::vector<engine::ItemResult> Translate(engine::TranslationJob job) {
    const auto sink = Run(std::move(job));
    if (sink->done_calls() == 0) return {};
    EXPECT_TRUE(sink->Wait().ok()) << sink->Wait();
    return sink->items();
  }
  // Like Translate, for a job of one item that must not fail.
  engine::ItemResult TranslateOne(engine::TranslationJob job) {
    std::vector<engine::ItemResult> items = Translate(std::move(job));
    if (items.size() != 1) {
      ADD_FAILURE() << items.size() << " items";
      return engine::ItemResult{.hypotheses = std::vector<engine::Hypothesis>(1)};
    }
    EXPECT_TRUE(items[0].status.ok()) << items[0].status;
    if (items[0].hypotheses.empty()) items[0].hypotheses.emplace_back();
    return std::move(items[0]);
  }
  std::string TextOf(engine::TranslationJob job) {
    return TranslateOne(std::move(job)).hypotheses.front().text;
  }
  std::string Text(const std::string& text) { return TextOf(Job({text})); }

  // Returns the status with which Submit refuses a job. Fails the test if it accepts the job.
  absl::Status Refused(engine::TranslationJob job) {
    const engine::Admission admission =
        engine_->Translate(std::move(job), std::make_shared<CollectingSink>());
    EXPECT_FALSE(admission.status.ok());
    EXPECT_EQ(admission.reason, engine::RejectReason::kInvalid);
    return admission.status;
  }

  FakeClock clock_;
  CountingObserver observer_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace dragoman::testing
