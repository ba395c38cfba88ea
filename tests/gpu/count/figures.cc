#include "tests/gpu/count/figures.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "nlohmann/json.hpp"

namespace dragoman::bench {

FiguresByArchitecture ReadFigures(const std::string& path) {
  FiguresByArchitecture figures;
  std::ifstream file(path);
  if (!file) return figures;
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  const auto refuse = [&](const std::string& what) {
    std::fprintf(stderr, "%s: found %s, expected what machine_code.py --figures writes\n",
                 path.c_str(), what.c_str());
    std::exit(2);
  };
  if (!all.is_object()) refuse("no JSON object");
  for (const auto& [architecture, kernels] : all.items()) {
    for (const auto& [symbol, of] : kernels.items()) {
      if (!of.contains("registers") || !of.contains("warps")) refuse(symbol + " without figures");
      figures[architecture][symbol] = {of["registers"].get<int>(), of["warps"].get<int>()};
    }
  }
  return figures;
}

const FiguresByKernel& FiguresOf(const FiguresByArchitecture& figures,
                                 std::string_view architecture) {
  static const FiguresByKernel none;
  const auto at = figures.find(architecture);
  return at == figures.end() ? none : at->second;
}

}  // namespace dragoman::bench
