// Runs the test case of each form in forms.h. `--gtest_list_tests` names the forms, and
// forms_test.py reads this list.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

class Isa : public testing::TestWithParam<Form> {};

TEST_P(Isa, DoesWhatTheTextSays) { GetParam().check(GetParam().name); }

// Returns "add_s32" for "add.s32".
std::string CaseName(const testing::TestParamInfo<Form>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Integer, Isa, testing::ValuesIn(IntegerForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Logic, Isa, testing::ValuesIn(LogicForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Comparison, Isa, testing::ValuesIn(ComparisonForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Float, Isa, testing::ValuesIn(FloatForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Conversion, Isa, testing::ValuesIn(ConversionForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Move, Isa, testing::ValuesIn(MoveForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Memory, Isa, testing::ValuesIn(MemoryForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Copy, Isa, testing::ValuesIn(CopyForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Atomic, Isa, testing::ValuesIn(AtomicForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Control, Isa, testing::ValuesIn(ControlForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Warp, Isa, testing::ValuesIn(WarpForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Synchronisation, Isa, testing::ValuesIn(SynchronisationForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(Matrix, Isa, testing::ValuesIn(MatrixForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(SmallMatrix, Isa, testing::ValuesIn(SmallMatrixForms()), CaseName);
INSTANTIATE_TEST_SUITE_P(ByteProduct, Isa, testing::ValuesIn(ByteProductForms()), CaseName);

}  // namespace
}  // namespace dragoman::ptx::isa
