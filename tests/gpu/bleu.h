// Corpus BLEU of up to four-grams with one reference, without smoothing. Meant for the difference
// between two runs of one test, not for publication. A word is a run of letters and digits; every
// other visible character is a word of its own. Bytes above 127 count as letters.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman::testing {

inline std::vector<std::string> BleuWords(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte > 127 || std::isalnum(byte) != 0;
    if (std::isspace(byte) != 0) {
      open = false;
    } else if (letter && open) {
      words.back() += c;
    } else {
      words.emplace_back(1, c);
      open = letter;
    }
  }
  return words;
}

// Returns BLEU from 0 to 100. REQUIRES: outputs and references have the same size.
inline double Bleu(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& references) {
  using Ngrams = std::map<std::vector<std::string>, int64_t>;
  const auto ngrams = [](const std::vector<std::string>& words, size_t n) {
    Ngrams counts;
    for (size_t i = 0; i + n <= words.size(); ++i) {
      ++counts[{words.begin() + static_cast<int64_t>(i),
                words.begin() + static_cast<int64_t>(i + n)}];
    }
    return counts;
  };
  std::array<double, 4> found{}, possible{};
  double output_length = 0;
  double reference_length = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto output = BleuWords(outputs[i]);
    const auto reference = BleuWords(references[i]);
    output_length += static_cast<double>(output.size());
    reference_length += static_cast<double>(reference.size());
    for (size_t n = 1; n <= 4; ++n) {
      const Ngrams expected = ngrams(reference, n);
      for (const auto& [ngram, count] : ngrams(output, n)) {
        const auto at = expected.find(ngram);
        const int64_t clipped = at == expected.end() ? 0 : std::min(count, at->second);
        found[n - 1] += static_cast<double>(clipped);
        possible[n - 1] += static_cast<double>(count);
      }
    }
  }
  double log_sum = 0;
  for (size_t n = 0; n < 4; ++n) {
    if (found[n] == 0) return 0;
    log_sum += std::log(found[n] / possible[n]) / 4;
  }
  const double brevity = std::min(0.0, 1 - reference_length / output_length);
  return 100 * std::exp(log_sum + brevity);
}

}  // namespace dragoman::testing
