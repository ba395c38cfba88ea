// Skips every test with a message if the interpreter does not support the processor.
#include <gtest/gtest.h>

#include "tests/gpu/ptx/processor.h"

namespace dragoman::ptx {
namespace {

class ProcessorListener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*info*/) override {
    const std::string why = WhyNoInterpreter();
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

[[maybe_unused]] const bool registered = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ProcessorListener);
  return true;
}();

}  // namespace
}  // namespace dragoman::ptx
