// Runs a whole daemon with --device cuda:0 on the PTX device. Over gRPC it must give the n-best
// lists of the emulated engine, and the device must have no findings from the start of the process
// to its end.
//
// In float32 every list must be the same. In float16, sums that differ in the last bit are rounded
// to different numbers, so near ties may be decided differently. The share of equal lists must then
// be that of the decided lists in ../engine_equality_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/processes.h"
#include "tests/engine/support/translate_all.h"
#include "tests/gpu/ptx/small_model.h"

namespace dragoman::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A file of these lines. It is removed when this object is destroyed.
class LinesFile {
 public:
  explicit LinesFile(const std::vector<std::string>& lines) {
    const int file = mkstemp(path_.data());
    EXPECT_GE(file, 0);
    close(file);
    std::ofstream out(path_);
    for (const std::string& line : lines) out << line << "\n";
  }
  ~LinesFile() { std::remove(path_.c_str()); }
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "/ptx-daemon-XXXXXX";
};

class PtxDaemon : public ::testing::TestWithParam<kernels::ComputeType> {};

TEST_P(PtxDaemon, TranslatesAsTheEmulation) {
  const std::vector<engine::TranslationJob> jobs = SmallJobs(Sentences(200));
  ChildProcess daemon({DRAGOMAN_DAEMON_ON_PTX, "--model=" + SmallModel(), "--device=cuda:0",
                       "--compute-type=" + std::string(kernels::ComputeTypeName(GetParam())),
                       "--max-rows=" + std::to_string(kSmallMaxRows),
                       "--kv-memory-mb=" + std::to_string(kSmallKvMegabytes),
                       "--listen=127.0.0.1:0", "--metrics=off", "--http=off"});
  const std::string ready = daemon.ReadLine();
  const size_t at = ready.find("grpc=");
  ASSERT_NE(at, std::string::npos) << ready << daemon.Errors();
  const std::string server = ready.substr(at + 5, ready.find(' ', at) - at - 5);
  // One call of the client for each beam width, because the client's options apply to a whole file.
  std::vector<json> found(jobs.size());
  constexpr size_t kWidths = std::size(kSmallBeams);
  for (size_t width = 0; width < kWidths; ++width) {
    std::vector<std::string> lines;
    for (size_t i = width; i < jobs.size(); i += kWidths) lines.push_back(jobs[i].contents[0]);
    const LinesFile file(lines);
    const std::string beam = std::to_string(kSmallBeams[width]);
    int status = 0;
    std::istringstream output(
        RunClient({"translate", "--server", server, "--json", "--beam", beam, "--nbest", beam,
                   "--max-output-tokens", std::to_string(kSmallTokens), file.path()},
                  &status));
    EXPECT_EQ(status, 0) << daemon.Errors();
    size_t i = width;
    for (std::string line; std::getline(output, line); i += kWidths) {
      ASSERT_LT(i, jobs.size());
      found[i] = json::parse(line);
    }
  }
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
  const std::string errors = daemon.Errors();
  EXPECT_THAT(errors, HasSubstr(", 0 findings\n"));

  const std::unique_ptr<engine::Engine> emulated = SmallEngineEmulated(GetParam());
  ASSERT_NE(emulated, nullptr);
  const auto expected = TranslateTogether(*emulated, jobs, InOrder(jobs.size()));
  Compared compared;
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(found[i].contains("text")) << found[i];
    std::vector<std::string> texts = {found[i]["text"]};
    std::vector<float> log_probs = {found[i]["log_prob"]};
    for (const json& alternative : found[i].value("alternatives", json::array())) {
      texts.push_back(alternative["text"]);
      log_probs.push_back(alternative["log_prob"]);
    }
    Compare(texts, log_probs, expected[i], &compared);
  }
  std::cout << Text(compared, jobs.size()) << "\n"
            << errors.substr(errors.rfind("PTX device sm_")) << "\n";
  if (GetParam() == kernels::ComputeType::kFloat32) {
    EXPECT_EQ(compared.lists, jobs.size());
  } else {
    EXPECT_GE(compared.lists * 200, jobs.size() * 195);
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, PtxDaemon,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kFloat16),
                         [](const ::testing::TestParamInfo<kernels::ComputeType>& info) {
                           return std::string(kernels::ComputeTypeName(info.param));
                         });

}  // namespace
}  // namespace dragoman::testing
