// Cases that hold the forms of PTX's instructions to the text of the PTX ISA (8.x and 9.0; sections
// are those of 9.0). A form is a mnemonic with all of its qualifiers, or a special register. Their
// author had not read the interpreter.
//
// Not thread-safe: cases run kernels by text_kernel.h and fail by gtest's means.
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

// The name, by which forms_test.py learns from gtest's list of cases which forms have one.
void PrintTo(const Form& form, std::ostream* out);

// An expected result of a floating-point type: a NaN, whichever.
inline constexpr uint64_t kAnyNan = 0x7ff8dead0000beef;

struct Row {
  Operands in;
  uint64_t expected = 0;
};

// An instruction with one result, of a kind of text_kernel.h's Results, for any number of rows.
// `operands` name the registers as Results does: "%r20, %r10, %r11".
struct Variant {
  std::string operands;
  std::string kind;
  std::vector<Row> rows;
};

Form OneResult(const std::string& name, std::vector<Variant> variants);
Form OneResult(const std::string& name, const std::string& operands, const std::string& kind,
               std::vector<Row> rows);

// Rows of every pair of values.
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

// Runs a kernel that has the form in it. Fails the case for a finding, and for a text without the
// form.
TextRun RunForm(const std::string& name, const KernelText& text, const TextOptions& options);

template <class T>
std::vector<uint8_t> Bytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The forms by chapter of the ISA.
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
