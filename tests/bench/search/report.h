// The results of a subcommand: Markdown tables and lines on the standard output, also as JSON.
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

// A cell of a table, as text and as JSON. Numbers are not rounded in the JSON.
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
// A count; '-' and null if nothing was counted.
Cell Counted(const std::optional<int64_t>& n);
Cell Counted(const std::optional<double>& x, int digits);
// A percentage.
Cell Percent(const std::optional<double>& share);

class Report {
 public:
  // Names the device and type before the first table, unless the device is the CPU.
  Report(const std::string& device, const std::string& compute_type);

  // Begins a table.
  void Table(const std::string& title, const std::vector<std::string>& columns);
  void Row(const std::vector<Cell>& cells);

  // Prints whether `what` was the same everywhere. Returns `identical`.
  bool Identical(const std::string& what, bool identical);

  // Adds counts without a table, as one line of JSON.
  void Counts(const nlohmann::json& counts);

  // {"device", "compute_type", "tables": [{"title", "columns", "rows": [[...]]}], "identical":
  // {what: bool}, "counts": {...}}. The last three are present only if not empty.
  const nlohmann::json& json() const { return json_; }

 private:
  std::string preface_;
  nlohmann::json json_;
};

}  // namespace dragoman::bench
