#include "tests/gpu/ptx/isa/forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <utility>

namespace dragoman::ptx::isa {
namespace {

constexpr size_t kLanes = 32;

// Whether the bits are a NaN in the format of a register of the kind.
bool IsNan(const std::string& name, const std::string& kind, uint64_t bits) {
  if (kind == "fd") {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return std::isnan(value);
  }
  const bool brain = name.find("bf16") != std::string::npos;
  const uint32_t exponent = kind == "f" ? 0x7f800000 : brain ? 0x7f80 : 0x7c00;
  const uint32_t sign = kind == "f" ? 0x80000000 : 0x8000;
  return (bits & ~uint64_t{sign}) > exponent;
}

void Check(const std::string& name, const Variant& variant) {
  const std::string instruction = name + " " + variant.operands + ";";
  for (size_t begin = 0; begin < variant.rows.size(); begin += kLanes) {
    const std::span<const Row> rows =
        std::span(variant.rows).subspan(begin, std::min(kLanes, variant.rows.size() - begin));
    std::vector<Operands> operands;
    for (const Row& row : rows) operands.push_back(row.in);
    const std::vector<uint64_t> results = Results(instruction, variant.kind, operands);
    ASSERT_EQ(results.size(), rows.size()) << instruction;
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool right = rows[i].expected == kAnyNan ? IsNan(name, variant.kind, results[i])
                                                     : results[i] == rows[i].expected;
      EXPECT_TRUE(right) << std::hex << instruction << " of " << rows[i].in.a << ", "
                         << rows[i].in.b << ", " << rows[i].in.c << " is " << results[i]
                         << ", by the ISA "
                         << (rows[i].expected == kAnyNan ? "a NaN"
                                                         : testing::PrintToString(rows[i].expected))
                         << " (" << rows[i].expected << ")";
    }
  }
}

// Whether the text contains the name as a separate word.
bool Contains(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == text.size() || std::string(" ;,\n").find(text[end]) != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

Form OneResult(const std::string& name, std::vector<Variant> variants) {
  return {name, [variants = std::move(variants)](const std::string& form) {
            for (const Variant& variant : variants) Check(form, variant);
          }};
}

Form OneResult(const std::string& name, const std::string& operands, const std::string& kind,
               std::vector<Row> rows) {
  return OneResult(name, {{operands, kind, std::move(rows)}});
}

TextRun RunForm(const std::string& name, const KernelText& text, const TextOptions& options) {
  EXPECT_TRUE(Contains(text.body, name)) << "the kernel of the case has no " << name;
  TextRun run = RunText(ModuleText(text.body, text.declarations, text.directives), options);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.report.Text(), "");
  return run;
}

}  // namespace dragoman::ptx::isa
