#include "tests/gpu/count/measured.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "nlohmann/json.hpp"

namespace dragoman::bench {
namespace {

[[noreturn]] void Refuse(const std::string& path, const char* expected) {
  std::fprintf(stderr, "%s: not found, or other than expected: %s\n", path.c_str(), expected);
  std::exit(2);
}

nlohmann::json ReadList(const std::string& path, const char* expected) {
  std::ifstream file(path);
  nlohmann::json list = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array() || list.empty()) Refuse(path, expected);
  for (const auto& line : list) {
    if (!line.contains("rows")) Refuse(path, expected);
  }
  return list;
}

}  // namespace

std::vector<MeasuredLayer> ReadOutputLayers(const std::string& path) {
  const char* const expected = "a list of output layers";
  std::vector<MeasuredLayer> layers;
  for (const auto& line : ReadList(path, expected)) {
    if (!line.contains("layer_fused_seconds")) Refuse(path, expected);
    layers.push_back({line["vocabulary"].get<int>(), line["rows"].get<int>(), line["k"].get<int>(),
                      line["layer_fused_seconds"].get<double>(),
                      line.value("layer_int8_seconds", 0.0)});
  }
  return layers;
}

std::vector<MeasuredLayer> ReadAblation(const std::string& path) {
  std::ifstream file(path);
  std::vector<MeasuredLayer> layers;
  bool whole = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) whole = line == "== base";
    int rows = 0;
    double us = 0;
    if (!whole || std::sscanf(line.c_str(), "%d | %lf", &rows, &us) != 2) continue;
    constexpr int kOtherList = 1280;  // the line with this number of rows has k 10
    if (rows != kOtherList) layers.push_back({58101, rows, 4, us / 1e6, 0});
  }
  if (layers.empty()) Refuse(path, "a block \"== base\"");
  return layers;
}

std::vector<MeasuredStep> ReadGraphSteps(const std::string& path) {
  const char* const expected = "a list of steps";
  std::vector<MeasuredStep> steps;
  for (const auto& line : ReadList(path, expected)) {
    if (!line.contains("early_launch")) Refuse(path, expected);
    steps.push_back(
        {line["rows"].get<int>(), line["early_launch"].get<bool>(), line["seconds"].get<double>()});
  }
  return steps;
}

std::vector<MeasuredNodes> ReadStepTables(const std::string& path) {
  constexpr size_t kNameColumns = 18;  // CostTable (engine/decode/cuda/step_costs.cc)
  std::ifstream file(path);
  std::vector<MeasuredNodes> tables;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    int rows = 0;
    double positions = 0;
    if (std::sscanf(line.c_str(), "%d rows, %*d slots, %lf self positions", &rows, &positions) ==
        2) {
      tables.push_back({rows, positions, {}});
    }
    if (line.starts_with("operation ")) {
      in_table = !tables.empty();
    } else if (line.starts_with("step ")) {
      in_table = false;
    } else if (in_table && line.size() > kNameColumns) {
      long long launches = 0;
      double us = 0;
      if (std::sscanf(line.c_str() + kNameColumns, "%lld %lf", &launches, &us) != 2) {
        Refuse(path, "tables of steps");
      }
      const size_t end = line.find_last_not_of(' ', kNameColumns - 1);
      tables.back().nodes.push_back({line.substr(0, end + 1), launches, us / 1e6});
    }
  }
  if (tables.empty()) Refuse(path, "tables of steps");
  return tables;
}

}  // namespace dragoman::bench
