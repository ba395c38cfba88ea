// A small classifier in fastText's format, of which a test sets what it wants to be wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

struct ClassifierBytes {
  int32_t magic = 793712314;
  int32_t version = 12;
  int32_t dim = 4;
  int32_t word_ngrams = 1;
  int32_t loss = 3;   // softmax
  int32_t model = 3;  // supervised
  int32_t bucket = 10;
  int32_t minn = 2;
  int32_t maxn = 3;
  std::vector<std::string> words = {"das", "the"};
  std::vector<std::string> labels = {"__label__de", "__label__en"};
  int32_t extra_entries = 0;  // that are announced and not there
  int64_t count = 5;
  int label_kind = 1;
  int64_t pruned = -1;
  std::vector<std::pair<int32_t, int32_t>> kept;
  int input_quantized = 0;
  int64_t input_rows = 12;
  int64_t columns = 4;
  int has_norms = 1;
  int32_t codes_too_many = 0;
  int32_t part_width = 2;
  int32_t last_width = 2;
  int64_t output_rows = 2;
  float number = 0.25F;
  std::string after;

  std::string Build() const {
    std::string out;
    for (const int32_t n :
         {magic, version, dim, 5, 5, 1, 5, word_ngrams, loss, model, bucket, minn, maxn, 100}) {
      Put(n, &out);
    }
    Put(1e-4, &out);
    const auto all = static_cast<int32_t>(words.size() + labels.size()) + extra_entries;
    Put(all, &out);
    Put(static_cast<int32_t>(words.size()) + extra_entries, &out);
    Put(static_cast<int32_t>(labels.size()), &out);
    Put(int64_t{100}, &out);
    Put(pruned, &out);
    for (const std::string& word : words) PutEntry(word, 0, &out);
    for (const std::string& label : labels) PutEntry(label, label_kind, &out);
    for (const auto& [from, to] : kept) {
      Put(from, &out);
      Put(to, &out);
    }
    Put(static_cast<uint8_t>(input_quantized), &out);
    if (input_quantized == 1) {
      PutQuantized(&out);
    } else {
      PutDense(input_rows, &out);
    }
    Put(uint8_t{0}, &out);  // the output matrix is dense
    PutDense(output_rows, &out);
    return out + after;
  }

 private:
  template <class T>
  static void Put(T number, std::string* out) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &number, sizeof(T));
    out->append(bytes, sizeof(T));
  }
  void PutEntry(const std::string& word, int kind, std::string* out) const {
    out->append(word).push_back('\0');
    Put(count, out);
    Put(static_cast<int8_t>(kind), out);
  }
  void PutNumbers(int64_t numbers, std::string* out) const {
    // The first is as asked for.
    for (int64_t i = 0; i < numbers; ++i) {
      Put(i == 0 ? number : 0.01F * static_cast<float>(i % 7), out);
    }
  }
  void PutDense(int64_t rows, std::string* out) const {
    Put(rows, out);
    Put(columns, out);
    if (rows >= 0 && rows < 1000 && columns >= 0 && columns < 1000) {
      PutNumbers(rows * columns, out);
    }
  }
  void PutQuantizer(int32_t width_in, int32_t last, int32_t dimensions, std::string* out) const {
    const int32_t width = width_in;
    const int32_t parts = width <= 0 ? 1 : (dimensions + width - 1) / width;
    for (const int32_t n : {dimensions, parts, width, last}) Put(n, out);
    PutNumbers(int64_t{dimensions} * 256, out);
  }
  void PutQuantized(std::string* out) const {
    Put(static_cast<uint8_t>(has_norms), out);
    Put(input_rows, out);
    Put(columns, out);
    const auto codes = static_cast<int32_t>(input_rows * 2) + codes_too_many;
    Put(codes, out);
    for (int32_t i = 0; i < codes; ++i) Put(static_cast<uint8_t>(37 * i), out);
    PutQuantizer(part_width, last_width, dim, out);
    if (has_norms == 0) return;
    for (int64_t i = 0; i < input_rows; ++i) Put(static_cast<uint8_t>(11 * i), out);
    PutQuantizer(1, 1, 1, out);
  }
};

}  // namespace dragoman
