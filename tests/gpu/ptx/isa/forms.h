// Test cases for the forms of PTX instructions, derived from the text of the PTX ISA (8.x and 9.0;
// section numbers are those of 9.0). A form is a mnemonic with all of its qualifiers, or a special
// register. The author of these cases had not read the interpreter.
//
// Not thread-safe: cases run kernels with text_kernel.h and fail through gtest.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx::isa {

struct Form {
  std::string name;
  std::function<void(const std::string& name)> check;
};

// Prints the name. forms_test.py reads it in gtest's list of cases, to learn which forms have a
// case.
void PrintTo(const Form& form, std::ostream* out);

// The expected result is any NaN of a floating-point type.
inline constexpr uint64_t kAnyNan = 0x7ff8dead0000beef;

struct Row {
  Operands in;
  uint64_t expected = 0;
};

// An instruction with one result, of a kind that text_kernel.h's Results knows, with any number of
// rows. `operands` names the registers as Results does: "%r20, %r10, %r11".
struct Variant {
  std::string operands;
  std::string kind;
  std::vector<Row> rows;
};

Form OneResult(const std::string& name, std::vector<Variant> variants);
Form OneResult(const std::string& name, const std::string& operands, const std::string& kind,
               std::vector<Row> rows);

// Returns rows for every pair of values.
template <class F>
std::vector<Row> Pairs(const std::vector<uint64_t>& values, const F& expected) {
  std::vector<Row> rows;
  for (const uint64_t a : values) {
    for (const uint64_t b : values) rows.push_back({{a, b, 0}, expected(a, b)});
  }
  return rows;
}

struct KernelText {
  std::string body;
  std::string declarations;
  std::string directives;
};

// Runs a kernel that contains the form. Fails the test case if there is a finding, or if the text
// does not contain the form.
TextRun RunForm(const std::string& name, const KernelText& text, const TextOptions& options);

template <class T>
std::vector<uint8_t> Bytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The forms of each chapter of the ISA.
std::vector<Form> IntegerForms();
std::vector<Form> LogicForms();
std::vector<Form> ComparisonForms();
std::vector<Form> FloatForms();
std::vector<Form> ConversionForms();
std::vector<Form> MoveForms();
std::vector<Form> MemoryForms();
std::vector<Form> CopyForms();
std::vector<Form> AtomicForms();
std::vector<Form> ControlForms();
std::vector<Form> WarpForms();
std::vector<Form> SynchronisationForms();
std::vector<Form> MatrixForms();
std::vector<Form> SmallMatrixForms();
std::vector<Form> ByteProductForms();

}  // namespace dragoman::ptx::isa
