#include "server/base/line_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string NoticeOf(int64_t dropped) { return absl::StrCat("lost ", dropped); }

// A pipe whose reader may stall.
class LineWriterTest : public ::testing::Test {
 protected:
  LineWriterTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
  }
  ~LineWriterTest() override {
    CloseReader();
    close(ends_[1]);
  }
  void CloseReader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  // Fills the pipe until it takes no more bytes.
  void FillPipe() {
    fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    const std::string block(4096, '.');
    while (write(ends_[1], block.data(), block.size()) > 0) {
    }
    while (write(ends_[1], ".", 1) > 0) {
    }
    fcntl(ends_[1], F_SETFL, 0);
  }
  // Returns the lines up to one that equals `last`, without the dots that fill the pipe.
  std::vector<std::string> ReadUntil(const std::string& last) {
    std::string text;
    char c = 0;
    while (read(ends_[0], &c, 1) == 1) {
      if (c == '.') continue;
      text += c;
      if (c == '\n' && text.ends_with(last + "\n")) break;
    }
    std::vector<std::string> lines = absl::StrSplit(text, '\n');
    lines.pop_back();
    return lines;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(LineWriterTest, WritesLinesInTheirOrder) {
  LineWriter writer(ends_[1], 1 << 20, NoticeOf);
  for (int i = 0; i < 100; ++i) writer.Write(absl::StrCat("line ", i));
  const std::vector<std::string> lines = ReadUntil("line 99");
  ASSERT_EQ(lines.size(), 100U);
  EXPECT_EQ(lines[42], "line 42");
  EXPECT_TRUE(writer.Flush(seconds(60)));
  EXPECT_EQ(writer.dropped(), 0);
}

TEST_F(LineWriterTest, AStalledReaderStopsNobodyAndIsToldWhatItMissed) {
  FillPipe();
  LineWriter writer(ends_[1], 1000, NoticeOf);
  // The test writes a thousand lines of ten bytes. The queue holds a thousand bytes, and one more
  // line may be in the middle of its write.
  for (int i = 0; i < 1000; ++i) writer.Write(absl::StrCat("line ", 10000 + i));
  EXPECT_FALSE(writer.Flush(milliseconds(1)));
  const int64_t dropped = writer.dropped();
  EXPECT_GE(dropped, 899);
  EXPECT_LE(dropped, 900);

  // The first lines arrive. A notice with the number of lost lines stands where lines are missing,
  // before the next line that arrives.
  std::vector<std::string> lines;
  std::thread reader([&] { lines = ReadUntil("after"); });
  EXPECT_TRUE(writer.Flush(seconds(60)));
  writer.Write("after");
  reader.join();
  EXPECT_EQ(lines.front(), "line 10000");
  EXPECT_THAT(lines[lines.size() - 2], HasSubstr("lost "));
  int64_t expected = 10000;
  int64_t lost = 0;
  for (const std::string& line : lines) {
    int64_t number = 0;
    if (absl::SimpleAtoi(absl::StripPrefix(line, "lost "), &number)) {
      lost += number;
      expected += number;
    } else if (absl::SimpleAtoi(absl::StripPrefix(line, "line "), &number)) {
      EXPECT_EQ(number, expected++);
    }
  }
  EXPECT_EQ(lost, dropped);
  EXPECT_EQ(expected, 11000);
}

TEST_F(LineWriterTest, AClosedPipeAndAFullDiskCountAsDropped) {
  CloseReader();
  LineWriter closed(ends_[1], 1 << 20, NoticeOf);
  for (int i = 0; i < 10; ++i) closed.Write("x");
  EXPECT_TRUE(closed.Flush(seconds(60)));
  EXPECT_EQ(closed.dropped(), 10);

  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    LineWriter disk(full, 1 << 20, NoticeOf);
    disk.Write("x");
    EXPECT_TRUE(disk.Flush(seconds(60)));
    EXPECT_EQ(disk.dropped(), 1);
  }
  close(full);
}

TEST_F(LineWriterTest, ADescriptorThatDoesNotBlockIsWaitedFor) {
  FillPipe();
  fcntl(ends_[1], F_SETFL, O_NONBLOCK);
  LineWriter writer(ends_[1], 1 << 20, NoticeOf);
  writer.Write("patience");
  EXPECT_FALSE(writer.Flush(milliseconds(1)));
  EXPECT_THAT(ReadUntil("patience"), ::testing::ElementsAre("patience"));
  EXPECT_TRUE(writer.Flush(seconds(60)));
  EXPECT_EQ(writer.dropped(), 0);
}

TEST_F(LineWriterTest, ALineLongerThanThePipeComesWhole) {
  LineWriter writer(ends_[1], 1 << 20, NoticeOf);
  const std::string line(300'000, 'a');
  writer.Write(line);
  EXPECT_THAT(ReadUntil(line), ::testing::ElementsAre(line));
}

TEST_F(LineWriterTest, TheEndDoesNotWaitForTheQueue) {
  FillPipe();
  auto writer = std::make_unique<LineWriter>(ends_[1], 1 << 20, NoticeOf);
  writer->Write("under way");
  writer->Write("behind it");
  CloseReader();  // otherwise the destructor would wait for the line that is being written
  writer.reset();
}

}  // namespace
}  // namespace dragoman::server
