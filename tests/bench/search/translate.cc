#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  size_t begin = 0;
  for (size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', begin)) {
    fields.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

// "hf" (the server's default), "fixed", "var:DELTA:M".
DecodingOptions SearchOf(const std::string& name, int beam) {
  DecodingOptions asked;
  asked.beam_size = beam;
  if (name == "hf") return asked;
  if (name == "fixed") return Fixed(beam);
  if (name == "fixed-ours") return FixedOurs(beam);
  const size_t colon = name.rfind(':');
  if (name.rfind("var:", 0) == 0 && colon > 4 && colon != std::string::npos) {
    return Variable(beam, std::stof(name.substr(4, colon - 4)), std::stoi(name.substr(colon + 1)));
  }
  std::cerr << "search_bench: --search is " << name << ", expected hf, fixed, fixed-ours or "
            << "var:DELTA:M\n";
  std::exit(2);
}

double Rounded(double x, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(x * scale) / scale;
}

}  // namespace

bool RunTranslate(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const std::string input = arguments.Text("pairs", "");
  const std::string output = arguments.Text("output", "");
  const int beam = static_cast<int>(arguments.Number("beam", 5));
  const int n = static_cast<int>(arguments.Number("segments", 16));
  const DecodingOptions asked = SearchOf(arguments.Text("search", "hf"), beam);
  const std::string prune = arguments.Text("constraint-prune", "20");
  const float threshold =
      prune == "off" ? std::numeric_limits<float>::infinity() : std::stof(prune);
  arguments.RefuseOthers();
  std::ifstream file(input);
  std::vector<Task> tasks;
  std::string line;
  int64_t left_out = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = Fields(line);
    std::vector<std::vector<int32_t>> phrases;
    for (size_t i = 1; i < fields.size(); ++i) {
      const std::vector<int> ids = model.tokenizer().EncodeTarget(fields[i]).ids;
      bool known = !ids.empty();
      for (const int id : ids) known = known && !model.tokenizer().IsSpecial(id);
      if (known) {
        phrases.emplace_back(ids.begin(), ids.end());
      } else {
        ++left_out;  // the server refuses such a phrase
      }
    }
    tasks.push_back(model.MakeTask(model.Encode({fields[0]})[0], asked, std::move(phrases)));
    tasks.back().search.constraint_prune = threshold;
  }
  const RunResult result = runner.Run(
      OfSegments(RefillRule::kContinuous, WindowOrder::kLongestFirst, n, beam, 4 * int64_t{n}),
      tasks);
  std::ofstream out(output);
  int64_t unmet = 0;
  double score = 0;
  for (const auto& nbest : result.nbest) {
    const std::vector<int> ids(nbest.front().tokens.begin(), nbest.front().tokens.end());
    out << model.tokenizer().Decode(ids) << "\n";
    score += double{nbest.front().score};
    if (nbest.front().reason == FinishReason::kConstraintsUnmet) ++unmet;
  }
  report.Counts({{"texts", tasks.size()},
                 {"row_steps", result.row_steps},
                 {"seconds", Rounded(result.decode_seconds, 3)},
                 {"score", Rounded(score / static_cast<double>(tasks.size()), 4)},
                 {"left_out", left_out},
                 {"unmet", unmet}});
  return unmet == 0 && out.good();
}

}  // namespace dragoman::bench
