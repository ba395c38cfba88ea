// The command lines of marian-decoder and marian-scorer (marian-nmt.github.io/docs/cmd), and their
// configuration files.
//
// Thread-safety: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

// The values of the options. Options that change no output (sizes of batches, memory, log) are read
// and dropped.
struct MarianOptions {
  std::vector<std::string> models;        // several are an ensemble
  std::vector<std::string> vocabularies;  // of the source and of the target
  std::vector<double> weights;            // of the models; empty: equal
  std::string shortlist;                  // a binary one; "": none
  std::string input = "stdin";
  std::string output = "stdout";
  std::string log;  // a file for messages besides standard error; "": none

  int beam = 12;
  double normalize = 0;  // the length penalty
  bool n_best = false;
  double max_length_factor = 3;
  bool allow_unk = false;
  bool is_tsv = false;
  // Sampling among all tokens (0) or the k best.
  std::optional<int> sampling_top_k;

  std::vector<std::string> devices;  // numbers of GPUs; empty: a GPU, or the CPU if there is none
  int cpu_threads = 0;               // above 0: no GPU
  std::string compute_type = "float32";

  // marian-scorer alone: the files of sources and targets, and what is printed.
  std::vector<std::string> pairs;
  std::optional<std::string> summary;

  bool quiet = false;
};

enum class MarianProgram { kDecoder, kScorer };

// Parses the arguments after the program's name, and the files that -c names. Returns
// INVALID_ARGUMENT, which names the option, for unknown and malformed ones, and UNIMPLEMENTED for
// those that would change the output and are not supported.
absl::StatusOr<MarianOptions> ParseMarianOptions(MarianProgram program,
                                                 const std::vector<std::string>& arguments);

}  // namespace dragoman::client
