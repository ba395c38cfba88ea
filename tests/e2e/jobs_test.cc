// Jobs of the daemon: documents by the client, and a daemon that is killed while clients wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/translation_client.h"
#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(Jobs, TheClientTranslatesDocumentsAndFolders) {
  const Daemon daemon;
  const ::dragoman::TempDirectory folder;
  const std::string in = folder.path() + "/in";
  const std::string out = folder.path() + "/out";
  std::filesystem::create_directories(in + "/sub");
  std::ofstream(in + "/a.html") << "<p>Guten <b>Morgen</b>!</p>";
  std::ofstream(in + "/sub/b.json") << R"({"a": "Guten Morgen!", "n": 1})";
  std::ofstream(in + "/c.unknown") << "x";
  int status = -1;
  const std::vector<std::string> flags = {"translate", "--server", daemon.grpc(),
                                          in,          "--output", out};
  RunClient(flags, &status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ReadFile(out + "/a.html"), "<p>Good <b>morning</b>.</p>");
  EXPECT_EQ(ReadFile(out + "/sub/b.json"), R"({"a": "Good morning.", "n": 1})");
  EXPECT_FALSE(std::filesystem::exists(out + "/c.unknown"));
  RunClient(flags, &status);
  EXPECT_EQ(status, 1);
  std::vector<std::string> again = flags;
  again.push_back("--resume");
  RunClient(again, &status);
  EXPECT_EQ(status, 0);
}

// Returns the number of kills: DRAGOMAN_JOB_KILLS, else few.
int Kills() {
  const char* const given = std::getenv("DRAGOMAN_JOB_KILLS");
  return given == nullptr ? 4 : std::atoi(given);
}

constexpr int kClients = 20;

// Clients whose jobs outlive the daemons.
TEST(Jobs, SurviveADaemonThatIsKilled) {
  const ::dragoman::TempDirectory folder;
  const std::string address = "unix:" + folder.path() + "/socket";
  const auto start = [&] {
    auto daemon = std::make_unique<ChildProcess>(std::vector<std::string>{
        DRAGOMAN_DAEMON, "--model", std::string("de-en=") + kModel, "--listen", address,
        "--metrics", "off", "--http", "off", "--jobs-dir", folder.path() + "/jobs"});
    EXPECT_THAT(daemon->ReadLine(), HasSubstr("listening")) << daemon->Errors();
    return daemon;
  };
  std::unique_ptr<ChildProcess> daemon = start();
  client::ClientOptions options;
  options.server = address;
  options.timeout = std::chrono::seconds(300);
  options.retry.patient = true;
  options.retry.answered = true;
  options.retry.max_attempts = 100'000;
  options.retry.budget = 1e9;

  std::atomic<bool> is_over{false};
  std::atomic<int64_t> accepted{0};
  std::atomic<int64_t> done{0};
  std::atomic<int64_t> wrong{0};
  const auto run = [&](int number) {
    const auto client = client::TranslationClient::Create(options);
    for (int i = 0; !is_over; ++i) {
      std::string document;
      std::string expected;
      for (int line = 0; line < 40; ++line) {
        document += "Guten Morgen!\nDas ist Zeile " + std::to_string(100 * number + line) + ".\n";
        expected += "Good morning.\n";
      }
      v1::CreateJobRequest request;
      request.set_name("a.txt");
      request.set_size(static_cast<int64_t>(document.size()));
      absl::StatusOr<v1::Job> job = (*client)->CreateJob(request);
      if (!job.ok()) continue;  // not accepted: the daemon died before its answer
      v1::AppendToJobRequest append;
      append.set_id(job->id());
      append.set_data(document);
      job = (*client)->AppendToJob(append);
      ASSERT_TRUE(job.ok()) << job.status();
      ++accepted;
      while (job->state() != v1::Job::DONE) {
        ASSERT_NE(job->state(), v1::Job::FAILED) << job->error().message();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // between two questions
        job = (*client)->GetJob(job->id());
        ASSERT_TRUE(job.ok()) << job.status();
      }
      ++done;
      v1::ReadJobRequest read;
      read.set_id(job->id());
      const absl::StatusOr<v1::ReadJobResponse> result = (*client)->ReadJob(read);
      ASSERT_TRUE(result.ok()) << result.status();
      const std::string text = result->data();
      if (std::count(text.begin(), text.end(), '\n') != 80 ||
          !text.starts_with("Good morning.\n")) {
        ++wrong;
      }
      EXPECT_EQ(job->translated(), 80);
      // The daemon may have been killed after it deleted the job.
      const absl::Status deleted = (*client)->DeleteJob(job->id());
      EXPECT_TRUE(deleted.ok() || absl::IsNotFound(deleted)) << deleted;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(run, i);
  std::minstd_rand random(1);
  for (int i = 0; i < Kills(); ++i) {
    // Some work between two kills, so that they come at any point of it.
    const int64_t before = done + static_cast<int64_t>(random() % 8);
    while (done < before) std::this_thread::yield();
    daemon->Signal(SIGKILL);
    daemon->Wait();
    daemon = start();
  }
  is_over = true;
  for (std::thread& thread : clients) thread.join();
  EXPECT_EQ(accepted, done);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(done, 0);
  RecordProperty("jobs", std::to_string(done));
  daemon->Stop();
}

}  // namespace
}  // namespace dragoman::testing
