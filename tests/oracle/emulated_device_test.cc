// The searches of the oracle on the emulated device: what oracle_runner --cuda --trace does on a card,
// by the same code and the same text of the kernels.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
// The last two, for the class is that of the emulated device.
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
