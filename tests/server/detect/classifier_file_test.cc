#include "server/detect/classifier_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "tests/server/detect/classifier_bytes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Both of a pruned, quantized classifier, as a .ftz is.
ClassifierBytes Quantized() {
  ClassifierBytes made;
  made.input_quantized = 1;
  made.pruned = 3;
  made.kept = {{7, 0}, {2, 2}, {9, 1}};
  made.input_rows = 5;
  return made;
}

void ExpectRefused(const ClassifierBytes& made, const std::string& found,
                   const std::string& expected) {
  const auto checked = CheckClassifier(made.Build());
  EXPECT_EQ(checked.status().code(), absl::StatusCode::kInvalidArgument) << found;
  EXPECT_THAT(std::string(checked.status().message()),
              AllOf(HasSubstr("found " + found), HasSubstr("expected " + expected)));
}

TEST(CheckClassifier, TakesEveryKindOfClassifier) {
  ClassifierBytes made;
  for (made.loss = 1; made.loss <= 4; ++made.loss) {
    EXPECT_TRUE(CheckClassifier(made.Build()).ok()) << CheckClassifier(made.Build()).status();
  }
  EXPECT_TRUE(CheckClassifier(Quantized().Build()).ok())
      << CheckClassifier(Quantized().Build()).status();
  ClassifierBytes without_norms = Quantized();
  without_norms.has_norms = 0;
  EXPECT_TRUE(CheckClassifier(without_norms.Build()).ok());
  // Without parts of words there are no buckets.
  ClassifierBytes whole_words;
  whole_words.maxn = whole_words.bucket = 0;
  whole_words.input_rows = 2;
  EXPECT_TRUE(CheckClassifier(whole_words.Build()).ok());
  ClassifierBytes old;
  old.version = 11;
  old.input_rows = 2;
  EXPECT_TRUE(CheckClassifier(old.Build()).ok());
}

TEST(CheckClassifier, RefusesWhateverEndsTooSoon) {
  for (const std::string& bytes : {ClassifierBytes().Build(), Quantized().Build()}) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto checked = CheckClassifier(std::string_view(bytes).substr(0, size));
      ASSERT_EQ(checked.status().code(), absl::StatusCode::kInvalidArgument) << size;
    }
  }
  ClassifierBytes longer;
  longer.after = "x";
  ExpectRefused(longer, "1 bytes after the output matrix", "the end of the file");
}

TEST(CheckClassifier, SaysWhatIsWrongInTheSettings) {
  const auto refused = [](int32_t ClassifierBytes::*field, int32_t value, const std::string& found,
                          const std::string& expected) {
    ClassifierBytes made;
    made.*field = value;
    ExpectRefused(made, found, expected);
  };
  refused(&ClassifierBytes::magic, 7, "another kind of file", "a model of fastText");
  refused(&ClassifierBytes::version, 13, "version 13", "11 to 12");
  refused(&ClassifierBytes::version, 10, "version 10", "11 to 12");
  refused(&ClassifierBytes::dim, 0, "dim 0", "1 to 4096");
  refused(&ClassifierBytes::dim, -4, "dim -4", "1 to 4096");
  refused(&ClassifierBytes::dim, 5, "columns of the input matrix 4", "5");
  refused(&ClassifierBytes::loss, 0, "loss 0", "1 to 4");
  refused(&ClassifierBytes::loss, 5, "loss 5", "1 to 4");
  refused(&ClassifierBytes::model, 1, "no classifier but word vectors", "a supervised model");
  // A remainder of a division by zero ends the process.
  refused(&ClassifierBytes::bucket, 0, "bucket 0", "1 to");
  refused(&ClassifierBytes::bucket, -1, "bucket -1", "1 to");
  refused(&ClassifierBytes::bucket, 11, "rows of the input matrix 12", "13 to");
  refused(&ClassifierBytes::bucket, std::numeric_limits<int32_t>::max(), "bucket 2147483647",
          "1 to 2147483645");
  refused(&ClassifierBytes::maxn, 65, "maxn 65", "0 to 64");
  refused(&ClassifierBytes::minn, -1, "minn -1", "0 to 64");
  refused(&ClassifierBytes::word_ngrams, 1000, "wordNgrams 1000", "0 to 64");
}

TEST(CheckClassifier, SaysWhatIsWrongInTheDictionary) {
  ClassifierBytes made;
  made.extra_entries = 1;
  // The entry that is announced is read from what comes after, and is not one.
  EXPECT_FALSE(CheckClassifier(made.Build()).ok());
  made = {};
  made.extra_entries = std::numeric_limits<int32_t>::max() - 4;
  ExpectRefused(made, "number of words 2147483645", "0 to 30000000");
  made = {};
  made.labels.clear();
  ExpectRefused(made, "number of labels 0", "1 to 8192");
  made = {};
  made.label_kind = 0;
  ExpectRefused(made, "kind of an entry 0", "1");
  made = {};
  made.count = -1;
  ExpectRefused(made, "count of a word -1", "0 to");
  made.count = 1'000'000'000'000'000;
  ExpectRefused(made, "count of a word 1000000000000000", "0 to 999999999999999");
  made = {};
  made.words[1] = std::string(70'000, 'a');
  ExpectRefused(made, "a word of more than 65536 bytes", "a shorter one");
  made = Quantized();
  made.kept[1].second = 3;
  ExpectRefused(made, "place of a kept part 3", "0 to 2");
  made.kept[1].second = -1;
  ExpectRefused(made, "place of a kept part -1", "0 to 2");
  made = Quantized();
  made.pruned = -2;
  made.kept.clear();
  ExpectRefused(made, "number of kept parts -2", "-1 to");
  made = {};
  made.pruned = 0;
  ExpectRefused(made, "pruned words and a dense matrix", "a quantized one");
}

TEST(CheckClassifier, SaysWhatIsWrongInTheMatrices) {
  ClassifierBytes made;
  made.input_rows = 11;
  ExpectRefused(made, "rows of the input matrix 11", "12 to");
  made.input_rows = -1;
  ExpectRefused(made, "rows of the input matrix -1", "12 to");
  made.input_rows = 2'000'000'000;  // 32 GB that are not there
  ExpectRefused(made, "the end at byte", "a whole file");
  made = {};
  made.output_rows = 3;
  ExpectRefused(made, "rows of the output matrix 3", "2");
  made = {};
  made.columns = 1'000'000'000;
  ExpectRefused(made, "columns of the input matrix 1000000000", "4");
  made = {};
  made.input_quantized = 2;
  ExpectRefused(made, "2 for whether the input matrix is quantized", "0 or 1");
  // A sum that is not a number would become a place in a table.
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -2e6F}) {
    made = {};
    made.number = number;
    ExpectRefused(made, "the number", "at most 1e+06");
  }
  made = Quantized();
  made.input_rows = 4;
  ExpectRefused(made, "rows of the input matrix 4", "5 to");
  made = Quantized();
  made.codes_too_many = 1;
  ExpectRefused(made, "11 codes of the input matrix", "5 rows of 2");
  made = Quantized();
  made.part_width = 0;
  ExpectRefused(made, "dimensions of a part 0", "1 to 4");
  made = Quantized();
  made.last_width = 4;
  ExpectRefused(made, "dimensions of the last part 4", "2");
  made = Quantized();
  made.has_norms = 3;
  ExpectRefused(made, "3 for norms of rows", "0 or 1");
}

TEST(CheckClassifier, CountsTheMemoryThatTheNumbersTake) {
  ClassifierBytes small;
  ClassifierBytes more = small;
  more.words.assign(1000, "das");
  more.input_rows = 1010;
  // More entries and rows; PutDense leaves the numbers of such a matrix out.
  const std::string rows(static_cast<size_t>(1010 * 4 * 4), '\0');
  std::string bytes = more.Build();
  const size_t output = 1 + 2 * 8 + 2 * 4 * 4;
  bytes.insert(bytes.size() - output, rows);
  const auto least = CheckClassifier(small.Build());
  const auto most = CheckClassifier(bytes);
  ASSERT_TRUE(least.ok() && most.ok()) << most.status();
  EXPECT_GT(*most - *least, 1000 * 80 + static_cast<int64_t>(rows.size()) - 1000);
}

TEST(ReadClassifierFile, TakesRegularFilesOfABoundedSize) {
  const TempDirectory directory;
  const std::string path = directory.Write("classifier", "abc");
  EXPECT_EQ(ReadClassifierFile(path, 3).value_or(""), "abc");
  const auto large = ReadClassifierFile(path, 2);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(large.status().message()),
              HasSubstr("found 3 bytes, expected at most 2"));
  EXPECT_THAT(std::string(ReadClassifierFile(directory.path(), 9).status().message()),
              HasSubstr("found a directory, expected a file"));
  EXPECT_THAT(std::string(ReadClassifierFile(path + "x", 9).status().message()),
              HasSubstr("No such file"));
  // Nobody writes to it, and nothing waits for that.
  const std::string pipe = std::string(directory.path()) + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadClassifierFile(pipe, 9).status().message()),
              HasSubstr("found no regular file, expected one"));
}

}  // namespace
}  // namespace dragoman
