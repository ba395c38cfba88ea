// Search and scheduling measured on the production pieces, offline: see README.md for what each
// subcommand shows.
//
//   search_bench SUBCOMMAND [--model DIR] [--name value ...]
//
// Exit status: 0; 1 if something that must be equal or must hold did not; 2 for a wrong use.
#include <iostream>
#include <map>
#include <string>

#include "tests/bench/search/subcommands.h"

int main(int argc, char** argv) {
  using dragoman::bench::Arguments;
  using dragoman::bench::BenchModel;
  const std::map<std::string, bool (*)(const BenchModel&, Arguments&)> subcommands = {
      {"schedulers", dragoman::bench::RunSchedulers},
      {"pruning", dragoman::bench::RunPruning},
      {"topup", dragoman::bench::RunTopUp},
      {"translate", dragoman::bench::RunTranslate},
      {"variants", dragoman::bench::RunVariants},
      {"constraints", dragoman::bench::RunConstraints},
      {"constraint-cost", dragoman::bench::RunConstraintCost},
  };
  const auto found = subcommands.find(argc > 1 ? argv[1] : "");
  if (found == subcommands.end()) {
    std::cerr << "usage: search_bench SUBCOMMAND [--model DIR] [--name value ...]\nsubcommands:";
    for (const auto& [name, run] : subcommands) std::cerr << " " << name;
    std::cerr << "\n";
    return 2;
  }
  Arguments arguments(argc, argv, 2);
  const BenchModel model(arguments.Text("model", DRAGOMAN_SOURCE_DIR "/deploy/models/de-en"));
  return found->second(model, arguments) ? 0 : 1;
}
