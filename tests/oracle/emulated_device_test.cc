// Runs the oracle's searches on the emulated device, as oracle_runner --cuda --trace does on a
// card, with the same host code and the same source code of the kernels.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
// emulated_names.h precedes device_backend.h, so that its class uses the emulated device.
#include "tests/engine/decode/cuda/emulated_names.h"
#include "tests/gpu/device_backend.h"
#include "tests/support/expect_ok.h"

namespace dragoman::oracle {
namespace {

TEST(OracleOnEmulatedDevice, EverySearchPassesBeamAfterBeam) {
  DeviceBackend backend;
  const auto files = ExpectOk(CaseFiles(DRAGOMAN_SOURCE_DIR "/tests/oracle/cases"));
  int searches = 0;
  for (const std::string& path : *files) {
    const auto c = ParseCase(ReadFile(path).value_or(""));
    ASSERT_TRUE(c.ok()) << path << ": " << c.status();
    if (!IsSearch(c->kind)) continue;
    EXPECT_EQ(RunCase(*c, backend, {.compare_traces = true}), absl::OkStatus()) << c->id;
    ++searches;
  }
  EXPECT_GE(searches, 21);
}

}  // namespace
}  // namespace dragoman::oracle
