// Puts more load on the daemon than it can serve. Every accepted call is answered, the others are
// refused with a retry hint, memory stays bounded, the ledger balances in every scrape, and SIGTERM
// drains.
//
// DRAGOMAN_LOAD_SECONDS (default 12) is the duration of the load. The test compares the resident
// memory before and after a point in time: second 20 if the load lasts at least 40 seconds, else
// half-time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;
using testing::ChildProcess;
using testing::Daemon;

const char kInput[] = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";

int LoadSeconds() {
  const char* value = std::getenv("DRAGOMAN_LOAD_SECONDS");
  return value == nullptr ? 12 : std::max(4, std::atoi(value));
}

std::vector<std::string> SmallQueues() {
  return {"--max-queue-segments", "48", "--max-queue-tokens", "2400", "--max-rows", "64"};
}

std::vector<std::string> TwoHundredClients(const Daemon& daemon, int seconds) {
  return testing::ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput,
                                 "--concurrency", "200", "--connections", "20", "--duration",
                                 std::to_string(seconds), "--max-failed", "100%", "--json"});
}

void ExpectBalanced(const Daemon::Samples& samples) {
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(testing::Sum(samples, "dragoman_segments_accepted_total"),
            testing::Sum(samples, "dragoman_segments_total") +
                testing::Sum(samples, "dragoman_segments_waiting") +
                testing::Sum(samples, "dragoman_segments_running"));
}

// Returns how many Translate calls the daemon's log reports with this status code.
int64_t LoggedCalls(const std::string& log, const std::string& code) {
  int64_t calls = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const json entry = json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("msg", "") == "call" &&
        entry.value("method", "") == "Translate" && entry.value("code", "") == code) {
      ++calls;
    }
  }
  return calls;
}

TEST(Load, TwoHundredClientsAgainstSmallQueues) {
  const int seconds = LoadSeconds();
  Daemon daemon(SmallQueues());
  ChildProcess load(TwoHundredClients(daemon, seconds));
  const auto start = steady_clock::now();
  const auto elapsed = [&start] {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
  };
  const double settled = seconds >= 40 ? 20 : seconds / 2.0;
  int scrapes = 0;
  int64_t resident_then = 0;
  int64_t resident_most = 0;
  bool rows_seen = false;
  while (load.running()) {
    const Daemon::Samples samples = daemon.Metrics();
    ExpectBalanced(samples);
    rows_seen = rows_seen || testing::Sum(samples, "dragoman_decode_rows") > 0;
    ++scrapes;
    const int64_t resident = daemon.process().ResidentBytes();
    if (elapsed() < settled) {
      resident_then = std::max(resident_then, resident);
    } else {
      resident_most = std::max(resident_most, resident);
    }
    // Only limits the rate of scrapes; no event is awaited.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const std::string output = load.ReadAll();
  EXPECT_EQ(load.Wait(), 0) << load.Errors();
  const json report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;

  EXPECT_GT(scrapes, seconds);
  EXPECT_TRUE(rows_seen);
  EXPECT_EQ(report["sent"], report["answered"]);
  EXPECT_GT(report["ok"].get<int64_t>(), 100);
  EXPECT_EQ(report["accepted"], report["ok"]);
  EXPECT_GT(report["refused"].get<int64_t>(), 0);
  EXPECT_EQ(report["refused"], report["refused_with_hint"]);
  for (const auto& [code, count] : report["errors"].items()) {
    EXPECT_EQ(code, "RESOURCE_EXHAUSTED") << count;
  }
  const int64_t allowed = std::max<int64_t>(8 << 20, resident_then / 50);
  EXPECT_LT(resident_most - resident_then, allowed);

  const Daemon::Samples after = daemon.Metrics();
  ExpectBalanced(after);
  EXPECT_EQ(testing::Sum(after, "dragoman_segments_waiting") +
                testing::Sum(after, "dragoman_segments_running"),
            0);
  EXPECT_EQ(testing::Sum(after, "dragoman_requests_waiting") +
                testing::Sum(after, "dragoman_requests_running"),
            0);
  EXPECT_EQ(testing::Sum(after, "dragoman_engine_errors_total"), 0);
  std::cout << "load: " << report["ok"] << " ok, " << report["refused"] << " refused, " << scrapes
            << " scrapes, resident " << (resident_then >> 20) << " MiB, later "
            << (resident_most >> 20) << " MiB, " << report["sentences_per_second"]
            << " sentences/s\n";

  daemon.Stop();
}

// The client and /metrics count source characters in the same way. Machines are sized in this unit
// (deploy/SIZING.md).
TEST(Load, CharactersAreCountedAlikeOnBothSides) {
  Daemon daemon;
  const auto count = [&daemon] {
    return daemon.Metrics()["dragoman_source_characters_total{model=\"de-en\"}"];
  };
  EXPECT_EQ(count(), 0);
  ChildProcess load(testing::ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput,
                                            "--concurrency", "4", "--requests", "40", "--batch",
                                            "2", "--beam-size", "1", "--json"}));
  const std::string output = load.ReadAll();
  ASSERT_EQ(load.Wait(), 0) << load.Errors();
  const json report = json::parse(output, nullptr, false);
  const double characters = report["characters"].get<double>();
  EXPECT_GT(characters, 80 * 10);
  EXPECT_EQ(count(), characters);
  EXPECT_NEAR(report["characters_per_second"].get<double>(),
              characters / report["seconds"].get<double>(), 1e-6 * characters);
  daemon.Stop();
}

TEST(Load, APlanFollowsFromAMeasurementOfTheModel) {
  const std::string model = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
  const std::vector<std::string> command = {"plan",
                                            "--dragomand",
                                            DRAGOMAN_DAEMON,
                                            "--input",
                                            kInput,
                                            "--chars-per-second",
                                            "1000000",
                                            "--cores",
                                            "4",
                                            "--beam-size",
                                            "1",
                                            "--seconds",
                                            "1",
                                            "--concurrency",
                                            "32"};
  const auto run = [&command](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return std::make_unique<ChildProcess>(testing::ClientCommand(more));
  };
  auto plan = run({"--model", model, "--set", "compute-type=float32", "--json"});
  const std::string output = plan->ReadAll();
  ASSERT_EQ(plan->Wait(), 0) << plan->Errors();
  const json report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(report["model"], "de-en");
  EXPECT_EQ(report["compute_type"], "float32");  // --set has reached the daemon
  const json& measured = report["measured"];
  EXPECT_GT(measured["characters"].get<double>(), 100);
  EXPECT_EQ(report["note"].get<std::string>().find("two halves") != std::string::npos,
            measured["halves_differ"].get<double>() > 0.1);
  EXPECT_GT(measured["at_rest_bytes"].get<double>(), 20 << 20);
  EXPECT_GE(measured["under_load_bytes"].get<double>(), measured["at_rest_bytes"].get<double>());
  EXPECT_GE(measured["bound_bytes"].get<double>(), measured["under_load_bytes"].get<double>());
  const double per_core =
      measured["characters"].get<double>() / measured["cpu_seconds"].get<double>();
  EXPECT_NEAR(report["characters_per_core_second"].get<double>(), per_core, 1e-6 * per_core);
  EXPECT_NEAR(report["cores"].get<double>(), 1e6 / per_core / 0.7, 1e-3);
  EXPECT_EQ(report["replicas"], std::ceil(report["cores"].get<double>() / 4) + 1);

  auto missing = run({"--model", "no/such/model"});
  EXPECT_EQ(missing->Wait(), 1);
  EXPECT_NE(missing->Errors().find("no/such/model"), std::string::npos) << missing->Errors();
  auto wrong = run({"--model", model, "--set", "max-rows=0.5"});
  EXPECT_EQ(wrong->Wait(), 1);
  EXPECT_NE(wrong->Errors().find("max-rows"), std::string::npos) << wrong->Errors();
}

TEST(Load, SigtermUnderLoadLosesNothingAccepted) {
  Daemon daemon(SmallQueues());
  ChildProcess load(TwoHundredClients(daemon, 6));
  // Waits until some translations have finished and others occupy slots.
  for (;;) {
    const Daemon::Samples samples = daemon.Metrics();
    if (testing::Sum(samples, "dragoman_segments_total") > 100 &&
        testing::Sum(samples, "dragoman_segments_running") > 0) {
      break;
    }
    ASSERT_TRUE(load.running());
  }
  daemon.Stop();
  const std::string output = load.ReadAll();
  load.Wait();
  const json report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(report["sent"], report["answered"]);
  for (const auto& [code, count] : report["errors"].items()) {
    EXPECT_TRUE(code == "RESOURCE_EXHAUSTED" || code == "UNAVAILABLE") << code << " " << count;
  }
  const std::string log = daemon.process().Errors();
  // The daemon translated everything that it accepted, and every answer reached its caller.
  const int64_t translated = LoggedCalls(log, "OK");
  EXPECT_GT(translated, 100);
  EXPECT_EQ(report["ok"].get<int64_t>(), translated);
  EXPECT_EQ(LoggedCalls(log, "CANCELLED") + LoggedCalls(log, "INTERNAL") +
                LoggedCalls(log, "DEADLINE_EXCEEDED"),
            0);
}

}  // namespace
}  // namespace dragoman
