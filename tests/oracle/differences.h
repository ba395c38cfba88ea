// Collects the differences between found and expected values, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/oracle/fields.h"

namespace dragoman::oracle {

std::string ToText(const Tokens& tokens);  // [1, 2]
std::string ToText(double value);

class Differences {
 public:
  explicit Differences(double tolerance) : tolerance_(tolerance) {}

  void Real(const std::string& field, double found, double expected);
  void Reals(const std::string& field, const std::vector<double>& found,
             const std::vector<double>& expected);
  void Integer(const std::string& field, int64_t found, int64_t expected);
  void Boolean(const std::string& field, bool found, bool expected);
  void Ids(const std::string& field, const Tokens& found, const Tokens& expected);
  void Say(const std::string& text) { lines_.push_back(text); }

  bool none() const { return lines_.empty(); }
  // Returns OK if there are no differences, else an error that names the first few.
  absl::Status status() const;

 private:
  bool Equal(double a, double b) const;

  const double tolerance_;
  std::vector<std::string> lines_;
};

}  // namespace dragoman::oracle
