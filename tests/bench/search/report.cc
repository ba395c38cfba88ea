#include "tests/bench/search/report.h"

#include <cstdio>
#include <iostream>

namespace dragoman::bench {
namespace {

std::string Fixed(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

Cell NotCounted() {
  Cell cell("-");
  cell.value = nullptr;
  return cell;
}

// Rows come minutes apart.
void EndLine(const std::string& line) { std::cout << line << "|" << std::endl; }  // NOLINT

}  // namespace

Cell::Cell(double x, int digits) : text(Fixed(x, digits)), value(x) {}

Cell Counted(const std::optional<int64_t>& n) { return n.has_value() ? Cell(*n) : NotCounted(); }

Cell Counted(const std::optional<double>& x, int digits) {
  return x.has_value() ? Cell(*x, digits) : NotCounted();
}

Cell Percent(const std::optional<double>& share) {
  if (!share.has_value()) return NotCounted();
  Cell cell(100.0 * *share, 1);
  cell.text += " %";
  return cell;
}

Report::Report(const std::string& device, const std::string& compute_type)
    : json_({{"device", device}, {"compute_type", compute_type}}) {
  preface_ = device + ", " + compute_type;
  if (device != "cpu") {
    preface_ += "; seconds are those of a clock on the wall, '-' is not counted on a device";
  }
  preface_ += "\n\n";
}

void Report::Table(const std::string& title, const std::vector<std::string>& columns) {
  nlohmann::json& tables = json_["tables"];
  std::cout << (tables.empty() ? preface_ : "\n") << title << "\n\n";
  tables.push_back({{"title", title}, {"columns", columns}, {"rows", nlohmann::json::array()}});
  std::string names;
  std::string lines;
  for (const std::string& column : columns) {
    names += "| " + column + " ";
    lines += "|--";
  }
  EndLine(names);
  EndLine(lines);
}

void Report::Row(const std::vector<Cell>& cells) {
  nlohmann::json row;
  std::string line;
  for (const Cell& cell : cells) {
    row.push_back(cell.value);
    line += "| " + cell.text + " ";
  }
  json_["tables"].back()["rows"].push_back(row);
  EndLine(line);
}

bool Report::Identical(const std::string& what, bool identical) {
  std::cout << "\n"
            << what << ": " << (identical ? "identical, scores bit by bit" : "DIFFERENT") << "\n";
  json_["identical"][what] = identical;
  return identical;
}

void Report::Counts(const nlohmann::json& counts) {
  std::cout << counts.dump() << "\n";
  json_["counts"] = counts;
}

}  // namespace dragoman::bench
