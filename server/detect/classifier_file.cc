#include "server/detect/classifier_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/error_text.h"

namespace dragoman {
namespace {

constexpr int32_t kMagic = 793712314;
constexpr int32_t kOldestVersion = 11;
constexpr int32_t kNewestVersion = 12;
// The first version whose classifiers look at the parts of words.
constexpr int32_t kVersionWithParts = 12;

// fastText's names of its losses and models, as numbers.
constexpr int32_t kHierarchicalSoftmax = 1;
constexpr int32_t kNegativeSampling = 2;
constexpr int32_t kLastLoss = 4;
constexpr int32_t kSupervised = 3;

// More than any classifier of languages has; so sums of products of int32 fit int64.
constexpr int32_t kMostDimensions = 4096;
constexpr int32_t kMostEntries = 30'000'000;  // fastText's own limit of words
constexpr int32_t kMostLabels = 8192;
constexpr int32_t kMostNgrams = 64;
constexpr size_t kMostWordBytes = 1 << 16;

// The size of a number up to which no sum or product of them overflows: a hidden layer's infinity
// would become an index in fastText's table of sigmoids.
constexpr float kLargest = 1e6F;

// Leaves of Huffman's tree begin with this count, and those that are not there yet have it.
constexpr int64_t kMostCount = 1'000'000'000'000'000 - 1;

constexpr int64_t kCentroids = 256;  // of each part of a quantized row

// Memory beside a vector's or string's own bytes, of the allocator.
constexpr int64_t kBlock = 32;
constexpr int64_t kEntry = 80;   // fasttext::entry
constexpr int64_t kPruned = 64;  // a node of the hash table of kept parts, and its bucket
constexpr int64_t kNegatives = 10'000'000 * int64_t{sizeof(int32_t)};
// The library, tables of its functions, and ICU's of Chinese characters.
constexpr int64_t kLibrary = int64_t{6} << 20;

// Takes the parts of a file in their order. After the first error it takes nothing more.
class Checker {
 public:
  explicit Checker(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  absl::StatusOr<int64_t> Run() {
    ReadSettings();
    ReadDictionary();
    if (!status_.ok()) return status_;
    const bool quantized = ReadFlag("whether the input matrix is quantized");
    if (!quantized && pruned_ >= 0) Fail("pruned words and a dense matrix", "a quantized one");
    int64_t rows = words_;
    if (pruned_ > 0) rows = std::max<int64_t>(rows, words_ + last_kept_ + 1);
    if (pruned_ < 0 && uses_buckets_) rows = int64_t{words_} + buckets_;
    ReadMatrix("input matrix", quantized, rows, std::numeric_limits<int32_t>::max());
    const bool output_quantized = ReadFlag("whether the output matrix is quantized");
    ReadMatrix("output matrix", quantized && output_quantized, labels_, labels_);
    if (!rest_.empty()) {
      Fail(absl::StrCat(rest_.size(), " bytes after the output matrix"), "the end of the file");
    }
    if (!status_.ok()) return status_;
    return memory_;
  }

 private:
  // Notes the error, unless there is one already.
  void Fail(const std::string& found, const std::string& expected) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat("found ", found, ", expected ", expected));
  }
  void ExpectRange(const char* what, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return;
    Fail(absl::StrCat(what, " ", value),
         least == most ? absl::StrCat(least) : absl::StrCat(least, " to ", most));
  }

  std::string_view Take(uint64_t count, const char* what) {
    if (count > rest_.size()) {
      Fail(absl::StrCat("the end at byte ", size_, ", in its ", what), "a whole file");
    }
    if (!status_.ok()) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T Read(const char* what) {
    T number{};
    const std::string_view bytes = Take(sizeof(T), what);
    if (bytes.size() == sizeof(T)) std::memcpy(&number, bytes.data(), sizeof(T));
    return number;
  }
  bool ReadFlag(const char* what) {
    const auto byte = Read<uint8_t>(what);
    if (byte > 1) Fail(absl::StrCat(int{byte}, " for ", what), "0 or 1");
    return byte == 1;
  }
  void ReadNumbers(int64_t count, const char* what) {
    const std::string_view bytes = Take(static_cast<uint64_t>(count) * sizeof(float), what);
    for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      float number = 0;
      std::memcpy(&number, bytes.data() + at, sizeof(float));
      if (std::abs(number) <= kLargest) continue;  // false for NaN
      Fail(absl::StrCat("the number ", number, " in its ", what),
           absl::StrCat("at most ", kLargest));
      return;
    }
    memory_ += static_cast<int64_t>(bytes.size()) + kBlock;
  }

  void ReadSettings() {
    if (Read<int32_t>("first bytes") != kMagic) {
      Fail("another kind of file", "a model of fastText");
    }
    const auto version = Read<int32_t>("version");
    ExpectRange("version", version, kOldestVersion, kNewestVersion);
    dim_ = Read<int32_t>("settings");
    Take(4 * sizeof(int32_t), "settings");  // of training
    const auto word_ngrams = Read<int32_t>("settings");
    const auto loss = Read<int32_t>("settings");
    const auto model = Read<int32_t>("settings");
    buckets_ = Read<int32_t>("settings");
    const auto shortest = Read<int32_t>("settings");
    longest_part_ = Read<int32_t>("settings");
    Take(sizeof(int32_t) + sizeof(double), "settings");
    if (model != kSupervised) Fail("no classifier but word vectors", "a supervised model");
    ExpectRange("loss", loss, kHierarchicalSoftmax, kLastLoss);
    ExpectRange("dim", dim_, 1, kMostDimensions);
    ExpectRange("wordNgrams", word_ngrams, 0, kMostNgrams);
    ExpectRange("minn", shortest, 0, kMostNgrams);
    ExpectRange("maxn", longest_part_, 0, kMostNgrams);
    if (version < kVersionWithParts) longest_part_ = 0;
    uses_buckets_ = longest_part_ > 0 || word_ngrams > 1;
    ExpectRange("bucket", buckets_, uses_buckets_ ? 1 : 0, std::numeric_limits<int32_t>::max());
    if (loss == kNegativeSampling) memory_ += kNegatives;
    has_tree_ = loss == kHierarchicalSoftmax;
  }

  void ReadDictionary() {
    const auto entries = Read<int32_t>("dictionary");
    words_ = Read<int32_t>("dictionary");
    labels_ = Read<int32_t>("dictionary");
    Take(sizeof(int64_t), "dictionary");
    pruned_ = Read<int64_t>("dictionary");
    ExpectRange("number of labels", labels_, 1, kMostLabels);
    ExpectRange("number of words", words_, 0, kMostEntries);
    if (entries != int64_t{words_} + labels_) {
      Fail(absl::StrCat(entries, " entries"),
           absl::StrCat(words_, " words and ", labels_, " labels"));
    }
    if (!status_.ok()) return;  // the numbers are of any size then
    if (uses_buckets_ && pruned_ < 0) {
      ExpectRange("bucket", buckets_, 1, int64_t{std::numeric_limits<int32_t>::max()} - words_);
    }
    for (int32_t i = 0; i < entries && status_.ok(); ++i) ReadEntry(i);
    ExpectRange("number of kept parts", pruned_, -1, std::numeric_limits<int32_t>::max() - words_);
    for (int64_t i = 0; i < pruned_ && status_.ok(); ++i) {
      Take(sizeof(int32_t), "kept parts");
      const auto place = Read<int32_t>("kept parts");
      ExpectRange("place of a kept part", place, 0, pruned_ - 1);
      last_kept_ = std::max(last_kept_, place);
      memory_ += kPruned;
    }
    if (!status_.ok()) return;
    // The table of words, and Huffman's tree with the ways to its leaves.
    memory_ += 8 * int64_t{std::max(entries, 0)};
    if (has_tree_) memory_ += 5 * int64_t{labels_} * labels_ + 64 * int64_t{labels_};
  }

  void ReadEntry(int32_t index) {
    const size_t end = rest_.substr(0, kMostWordBytes + 1).find('\0');
    if (end == std::string_view::npos && rest_.size() > kMostWordBytes) {
      Fail(absl::StrCat("a word of more than ", kMostWordBytes, " bytes"), "a shorter one");
    }
    Take(end == std::string_view::npos ? rest_.size() + 1 : end + 1, "dictionary");
    const auto count = Read<int64_t>("dictionary");
    const auto type = Read<int8_t>("dictionary");
    ExpectRange("count of a word", count, 0, kMostCount);
    // fastText takes the place of a word for its row, and that after the words for a label's.
    ExpectRange("kind of an entry", type, index < words_ ? 0 : 1, index < words_ ? 0 : 1);
    // The entry is copied as their list grows, and so are its parts.
    const auto length = static_cast<int64_t>(end);
    memory_ += 3 * kEntry + length + kBlock;
    if (pruned_ != 0)
      memory_ += 2 * int64_t{sizeof(int32_t)} * (length + 2) * longest_part_ + kBlock;
  }

  void ReadMatrix(const char* name, bool quantized, int64_t least_rows, int64_t most_rows) {
    const bool has_norms = quantized && ReadFlag("norms of rows");
    const auto rows = Read<int64_t>(name);
    const auto columns = Read<int64_t>(name);
    ExpectRange(absl::StrCat("rows of the ", name).c_str(), rows, least_rows, most_rows);
    ExpectRange(absl::StrCat("columns of the ", name).c_str(), columns, dim_, dim_);
    if (!status_.ok()) return;
    if (!quantized) {
      ReadNumbers(rows * columns, name);
      return;
    }
    const auto codes = Read<int32_t>(name);
    if (codes < 0) Fail(absl::StrCat(codes, " bytes of codes"), "a number");
    memory_ += Keep(Take(static_cast<uint64_t>(std::max(codes, 0)), name));
    const int64_t parts = ReadQuantizer(name, dim_);
    if (codes != rows * parts) {
      Fail(absl::StrCat(codes, " codes of the ", name), absl::StrCat(rows, " rows of ", parts));
    }
    if (!has_norms || !status_.ok()) return;
    memory_ += Keep(Take(static_cast<uint64_t>(rows), name));
    ReadQuantizer("norms", 1);
  }

  // The number of parts of a row.
  int64_t ReadQuantizer(const char* name, int32_t dim) {
    const auto dimensions = Read<int32_t>(name);
    const auto parts = Read<int32_t>(name);
    const auto width = Read<int32_t>(name);
    const auto last = Read<int32_t>(name);
    ExpectRange("quantized dimensions", dimensions, dim, dim);
    ExpectRange("dimensions of a part", width, 1, dim);
    if (!status_.ok()) return 0;
    const int32_t all = (dim + width - 1) / width;
    ExpectRange("parts of a row", parts, all, all);
    const int32_t left = dim - (all - 1) * width;
    ExpectRange("dimensions of the last part", last, left, left);
    ReadNumbers(kCentroids * dim, name);
    return all;
  }

  static int64_t Keep(std::string_view bytes) {
    return static_cast<int64_t>(bytes.size()) + kBlock;
  }

  std::string_view rest_;
  const size_t size_;
  absl::Status status_;
  int64_t memory_ = kLibrary;
  int32_t dim_ = 0;
  int32_t buckets_ = 0;
  int32_t longest_part_ = 0;
  bool uses_buckets_ = false;
  bool has_tree_ = false;
  int32_t words_ = 0;
  int32_t labels_ = 0;
  int64_t pruned_ = -1;  // the number of parts that were kept; -1: all
  int32_t last_kept_ = -1;
};

// All of an open file, or the error.
absl::StatusOr<std::string> ReadAll(int fd, int64_t most) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return absl::InvalidArgumentError(ErrorText(errno));
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(S_ISDIR(info.st_mode)
                                          ? "found a directory, expected a file"
                                          : "found no regular file, expected one");
  }
  if (info.st_size > most) {
    return absl::ResourceExhaustedError(absl::StrCat("found ", info.st_size,
                                                     " bytes, expected at most ", most,
                                                     ", which is the memory that is left"));
  }
  // One byte more shows that the file has grown.
  std::string bytes(static_cast<size_t>(info.st_size) + 1, '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t count = read(fd, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::InvalidArgumentError(ErrorText(errno));
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size != static_cast<size_t>(info.st_size)) {
    return absl::InvalidArgumentError("found a file that changes while it is read");
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadClassifierFile(const std::string& path, int64_t most) {
  // O_NONBLOCK, so as not to wait for the writer of a pipe.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return absl::InvalidArgumentError(ErrorText(errno));
  absl::StatusOr<std::string> bytes = ReadAll(fd, most);
  close(fd);
  return bytes;
}

absl::StatusOr<int64_t> CheckClassifier(std::string_view bytes) { return Checker(bytes).Run(); }

}  // namespace dragoman
