// The results of a subcommand: Markdown tables and lines on the standard output, and the same kept
// as JSON.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::bench {

// A cell of a table, as text and as JSON; numbers are not rounded there.
struct Cell {
  // NOLINTBEGIN(google-explicit-constructor): rows begin with names.
  Cell(const char* words) : text(words), value(text) {}
  Cell(std::string words) : text(std::move(words)), value(text) {}
  // NOLINTEND(google-explicit-constructor)
  explicit Cell(int64_t n) : text(std::to_string(n)), value(n) {}
  Cell(double x, int digits);

  std::string text;
  nlohmann::json value;
};
// A count, or '-' and null where nothing was counted.
Cell Counted(const std::optional<int64_t>& n);
Cell Counted(const std::optional<double>& x, int digits);
// Per cent.
Cell Percent(const std::optional<double>& share);

class Report {
 public:
  // The device and type are named before the first table, unless it is the CPU.
  Report(const std::string& device, const std::string& compute_type);

  // Begins a table.
  void Table(const std::string& title, const std::vector<std::string>& columns);
  void Row(const std::vector<Cell>& cells);

  // A line that says whether `what` came out the same everywhere; returns it.
  bool Identical(const std::string& what, bool identical);

  // Counts without a table, as one line of JSON.
  void Counts(const nlohmann::json& counts);

  // {"device", "compute_type", "tables": [{"title", "columns", "rows": [[...]]}],
  // "identical": {what: bool}, "counts": {...}}, the last three as far as there is something.
  const nlohmann::json& json() const { return json_; }

 private:
  std::string preface_;
  nlohmann::json json_;
};

}  // namespace dragoman::bench
