// Measures search and scheduling with the production code, without a server. See
// tests/bench/README.md, "Search".
//
//   search_bench SUBCOMMAND [--model DIR] [--device cpu|host|cuda:N] [--compute-type TYPE]
//                [--members N] [--noise-percent P] [--member-seed S] [--json FILE]
//                [--name value ...]
//
// With --members, the model is an ensemble on the CPU, made from the directory's model
// (seeded_members.h).
//
// Exit status: 0 on success, 1 if a check fails, 2 for wrong usage.
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "tests/bench/search/device.h"
#include "tests/bench/search/subcommands.h"

namespace {

using dragoman::bench::Arguments;
using dragoman::bench::Report;
using dragoman::bench::Runner;

struct Subcommand {
  bool (*run)(Runner&, Arguments&, Report&);
  bool only_plain = false;  // measures its own float32 loops, on the CPU only
};

[[noreturn]] void Refuse(const std::string& why) {
  std::cerr << "search_bench: " << why << "\n";
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Subcommand> subcommands = {
      {"schedulers", {dragoman::bench::RunSchedulers}},
      {"pruning", {dragoman::bench::RunPruning}},
      {"experiment", {dragoman::bench::RunExperiment}},
      {"topup", {dragoman::bench::RunTopUp}},
      {"translate", {dragoman::bench::RunTranslate}},
      {"variants", {dragoman::bench::RunVariants, true}},
      {"constraints", {dragoman::bench::RunConstraints}},
      {"constraint-cost", {dragoman::bench::RunConstraintCost}},
      {"row-costs", {dragoman::bench::RunRowCosts}},
  };
  const auto found = subcommands.find(argc > 1 ? argv[1] : "");
  if (found == subcommands.end()) {
    std::cerr << "usage: search_bench SUBCOMMAND [--model DIR] [--device cpu|host|cuda:N] "
                 "[--compute-type TYPE] [--members N] [--noise-percent P] [--member-seed S] "
                 "[--json FILE] [--name value ...]\nsubcommands:";
    for (const auto& [name, subcommand] : subcommands) std::cerr << " " << name;
    std::cerr << "\n";
    return 2;
  }
  Arguments arguments(argc, argv, 2);
  const auto asked = dragoman::bench::ParseDevice(arguments.Text("device", "cpu"),
                                                  arguments.Text("compute-type", "auto"));
  if (!asked.ok()) Refuse(std::string(asked.status().message()));
  dragoman::bench::MemberOptions members;
  members.count = static_cast<int>(arguments.Number("members", 1));
  members.noise_percent = static_cast<int>(arguments.Number("noise-percent", 0));
  members.seed = static_cast<uint64_t>(arguments.Number("member-seed", 1));
  if (members.count < 1 || members.count > dragoman::kernels::kMaxEnsembleMembers) {
    Refuse("--members is " + std::to_string(members.count) + ", expected 1 to " +
           std::to_string(dragoman::kernels::kMaxEnsembleMembers));
  }
  if (!members.AreTheModel() && !asked->request.cuda.empty()) {
    Refuse("--members and --noise-percent are of the CPU's model, found --device " +
           arguments.Text("device", "cpu"));
  }
  const dragoman::bench::BenchModel model(
      arguments.Text("model", DRAGOMAN_SOURCE_DIR "/deploy/models/de-en"), asked->cpu_type(),
      members);
  auto device = dragoman::bench::ChooseDevice(*asked, model);
  if (!device.ok()) Refuse(std::string(device.status().message()));
  const bool on_cpu = device->make == nullptr;
  if (found->second.only_plain &&
      (!on_cpu || device->compute_type != "float32" || !members.AreTheModel())) {
    Refuse(found->first + " runs on the CPU in float32 with one model only, found " + device->name +
           " in " + device->compute_type + " with " + std::to_string(members.count) + " members");
  }
  const std::string json_path = arguments.Text("json", "");
  std::ofstream json(json_path);
  if (!json_path.empty() && !json.is_open()) Refuse("cannot write " + json_path);

  Report report(device->name, device->compute_type);
  Runner runner = on_cpu ? Runner(&model) : Runner(&model, device->make);
  const bool held = found->second.run(runner, arguments, report);
  if (json.is_open()) json << report.json().dump(1) << "\n";
  return held ? 0 : 1;
}
