#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/corpus/compressed_file.h"
#include "tests/client/commands/command_fixture.h"
#include "tests/client/scripted_server.h"
#include "tests/support/temp_directory.h"

namespace dragoman::client {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the content of a file of the test's folder after decompression.
std::string Content(const std::string& path) {
  const TemporaryFile file(ReadFile(path));
  const auto decompressor = Decompressor::Create(file.fd(), CompressionOf(path));
  std::string content;
  while (!decompressor->ended()) {
    const absl::Status status = decompressor->Read(&content);
    if (!status.ok()) return status.ToString();
  }
  return content;
}

class Corpus : public ::testing::Test {
 protected:
  CommandRun Run(const ScriptedServer& server, std::vector<std::string> arguments, int in_fd = -1) {
    arguments.insert(arguments.begin(), {"corpus", "--out", out_, "--server", server.address()});
    return RunCommand(arguments, in_fd);
  }
  nlohmann::json Manifest(const std::string& name) const {
    return nlohmann::json::parse(ReadFile(absl::StrCat(out_, "/", name, ".manifest.json")));
  }
  // Returns the names in the output's folder, also of hidden files.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(out_)) names.push_back(file.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  const TempDirectory folder_;
  const std::string out_ = folder_.path() + "/out";
};

TEST_F(Corpus, TranslatesEveryFormAndCompression) {
  const ScriptedServer server;
  const std::string text = "a\n\nb\r\nlast";
  const std::string json = "{\"text\":\"a\"}\n{\"text\":\"\", \"n\":1}\n";
  for (const auto& [name, compression] :
       {std::pair("x.txt", Compression::kNone), std::pair("x.txt.gz", Compression::kGzip),
        std::pair("x.txt.zst", Compression::kZstd)}) {
    const std::string path = folder_.Write(name, Compress(text, compression));
    const CommandRun run = Run(server, {path});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Content(absl::StrCat(out_, "/", name)), "<a>\n\n<b>\r\n<last>") << name;
    const nlohmann::json manifest = Manifest(name);
    EXPECT_EQ(manifest["lines"], 4);
    EXPECT_EQ(manifest["sent"], 3);
    EXPECT_EQ(manifest["failures"], 0);
    EXPECT_EQ(manifest["characters"], 6);
    EXPECT_EQ(manifest["output"]["sha256"], *Sha256Of(absl::StrCat(out_, "/", name)));
    EXPECT_EQ(manifest["input"]["sha256"], *Sha256Of(path));
  }
  EXPECT_EQ(Run(server, {folder_.Write("x.jsonl.gz", Compress(json, Compression::kGzip)), "--field",
                         "text", "--column", "finish_reason"})
                .status,
            0);
  EXPECT_EQ(Content(out_ + "/x.jsonl.gz"),
            "{\"text\":\"a\",\"text_translation\":\"<a>\",\"text_translation_finish_reason\":"
            "\"EOS\"}\n{\"text\":\"\",\"text_translation\":\"\","
            "\"text_translation_finish_reason\":null, \"n\":1}\n");
  EXPECT_EQ(Run(server, {folder_.Write("x.tsv", "1\ta\n2\tb\n"), "--field", "2"}).status, 0);
  EXPECT_EQ(Content(out_ + "/x.tsv"), "1\ta\t<a>\n2\tb\t<b>\n");
}

TEST_F(Corpus, MembersOfGzipAndLongContentAreRead) {
  const ScriptedServer server;
  // A long run of one byte: a few bytes of the file become many of the content.
  const std::string content = std::string(3'000'000, 'x') + "\n";
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    const std::string name = compression == Compression::kGzip ? "long.txt.gz" : "long.txt.zst";
    const std::string bytes = Compress(content, compression) + Compress("", compression) +
                              Compress("second\n", compression);
    EXPECT_EQ(Run(server, {folder_.Write(name, bytes)}).status, 0);
    EXPECT_EQ(Content(absl::StrCat(out_, "/", name)),
              absl::StrCat("<", std::string(3'000'000, 'x'), ">\n<second>\n"));
  }
}

TEST_F(Corpus, EachTextIsSentOnce) {
  std::atomic<int> texts{0};
  const ScriptedServer server([&](const v1::TranslateRequest& request) {
    texts += request.contents_size();
    EXPECT_EQ(request.priority(), v1::BULK);
    ScriptedReply reply;
    reply.response = Bracketed(request);
    return reply;
  });
  std::string input;
  std::string expected;
  for (int i = 0; i < 30'000; ++i) {
    absl::StrAppend(&input, "line ", i % 7, "\n");
    absl::StrAppend(&expected, "<line ", i % 7, ">\n");
  }
  EXPECT_EQ(Run(server, {folder_.Write("x.txt", input)}).status, 0);
  EXPECT_EQ(Content(out_ + "/x.txt"), expected);
  EXPECT_EQ(texts, 7);
  EXPECT_EQ(Manifest("x.txt")["sent"], 7);
  EXPECT_EQ(Manifest("x.txt")["texts"], 30'000);
}

TEST_F(Corpus, ACompleteFileIsLeftAlone) {
  ScriptedServer server;
  const std::string path = folder_.Write("x.txt", "a\n");
  EXPECT_EQ(Run(server, {path}).status, 0);
  EXPECT_EQ(server.calls(), 1);
  EXPECT_THAT(Run(server, {path}).err, HasSubstr("is complete"));
  EXPECT_EQ(server.calls(), 1);
  // Only the time of modification has changed.
  fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THAT(Run(server, {path}).err, HasSubstr("is complete"));
  // Needs no server.
  EXPECT_EQ(RunCommand({"corpus", "--out", out_, "--server", "127.0.0.1:1", path}).status, 0);

  // Everything that changes the result has it done again.
  EXPECT_THAT(Run(server, {path, "--beam-size", "2"}).err, HasSubstr("1 sent"));
  folder_.Write("x.txt", "b\n");
  EXPECT_THAT(Run(server, {path, "--beam-size", "2"}).err, HasSubstr("1 sent"));
  EXPECT_EQ(Content(out_ + "/x.txt"), "<b>\n");
  folder_.Write("out/x.txt", "<c>\n");
  EXPECT_THAT(Run(server, {path, "--beam-size", "2"}).err, HasSubstr("1 sent"));
  EXPECT_EQ(Content(out_ + "/x.txt"), "<b>\n");
}

ScriptedReply AnswerAs(const v1::TranslateRequest& request, const std::string& model) {
  ScriptedReply reply;
  reply.response = Bracketed(request);
  for (v1::Translation& translation : *reply.response.mutable_translations()) {
    translation.set_model(model);
  }
  return reply;
}

TEST_F(Corpus, AnotherModelIsAnotherResult) {
  ScriptedServer server(
      [](const v1::TranslateRequest& request) { return AnswerAs(request, "opus-de-en"); });
  const std::string done = folder_.Write("x.txt", "a\n");
  EXPECT_EQ(Run(server, {done}).status, 0);
  EXPECT_EQ(Manifest("x.txt")["models"],
            nlohmann::json::parse(
                R"([{"name":"opus-de-en","version":3,"checksum":"0123456789abcdef"}])"));
  server.SetChecksum("another");
  const std::string open = folder_.Write("y.txt", "b\n");
  EXPECT_EQ(Run(server, {done, open}).status, 0);
  EXPECT_EQ(Manifest("x.txt")["models"][0]["checksum"], "another");
}

TEST_F(Corpus, AModelThatChangesDuringTheRunMeansAnotherRun) {
  ScriptedServer* changing = nullptr;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    changing->SetChecksum("another");
    return AnswerAs(request, "opus-de-en");
  });
  changing = &server;
  const std::string path = folder_.Write("x.txt", "a\n");
  const CommandRun run = Run(server, {path});
  EXPECT_EQ(run.status, 75);
  EXPECT_THAT(run.err, HasSubstr("opus-de-en has changed"));
  EXPECT_FALSE(fs::exists(out_ + "/x.txt"));
  EXPECT_EQ(Run(server, {path}).status, 0);
}

// Lines enough for several blocks, in which "stop" is line 50,000.
std::string ManyLines() {
  std::string lines;
  for (int i = 0; i < 70'000; ++i) {
    absl::StrAppend(&lines, i == 50'000 ? "stop" : absl::StrCat("line ", i), "\n");
  }
  return lines;
}

// Adds to the number of texts. If `stops`, fails for the text "stop".
ScriptedReply UnlessStopped(const v1::TranslateRequest& request, bool stops,
                            std::atomic<int>* texts) {
  ScriptedReply reply;
  reply.response = Bracketed(request);
  *texts += request.contents_size();
  for (const std::string& text : request.contents()) {
    if (text == "stop" && stops) reply.code = absl::StatusCode::kDeadlineExceeded;
  }
  return reply;
}

TEST_F(Corpus, AnInterruptedRunContinuesAfterItsLastBlock) {
  std::atomic<bool> stops{true};
  std::atomic<int> texts{0};
  const ScriptedServer server(
      [&](const v1::TranslateRequest& request) { return UnlessStopped(request, stops, &texts); });
  for (const std::string name : {"x.txt", "x.txt.zst"}) {
    stops = true;
    const std::string path = folder_.Write(name, Compress(ManyLines(), CompressionOf(name)));
    CommandRun run = Run(server, {path});
    EXPECT_EQ(run.status, 75);
    EXPECT_THAT(run.err, HasSubstr("DEADLINE_EXCEEDED"));
    EXPECT_EQ(fs::exists(absl::StrCat(out_, "/", name)), false);
    stops = false;
    texts = 0;
    run = Run(server, {path});
    EXPECT_EQ(run.status, 0) << run.err;
    // Two blocks of 20,000 lines were written before.
    EXPECT_EQ(texts, 30'000);
    std::string expected;
    std::istringstream lines(ManyLines());
    for (std::string line; std::getline(lines, line);) absl::StrAppend(&expected, "<", line, ">\n");
    EXPECT_EQ(Content(absl::StrCat(out_, "/", name)), expected);
    const nlohmann::json manifest = Manifest(name);
    EXPECT_EQ(manifest["lines"], 70'000);
    EXPECT_EQ(manifest["output"]["sha256"], *Sha256Of(absl::StrCat(out_, "/", name)));
  }
  EXPECT_THAT(Names(), ::testing::ElementsAre("x.txt", "x.txt.manifest.json", "x.txt.zst",
                                              "x.txt.zst.manifest.json"));
}

TEST_F(Corpus, APartOfAnotherInputOrOtherOptionsIsNotContinued) {
  std::atomic<bool> stops{true};
  std::atomic<int> texts{0};
  const ScriptedServer server(
      [&](const v1::TranslateRequest& request) { return UnlessStopped(request, stops, &texts); });
  const std::string path = folder_.Write("x.txt", ManyLines());
  EXPECT_EQ(Run(server, {path}).status, 75);
  stops = false;
  texts = 0;
  std::string other = ManyLines();
  other[0] = 'L';
  folder_.Write("x.txt", other);
  EXPECT_EQ(Run(server, {path}).status, 0);
  EXPECT_EQ(texts, 70'000);
  EXPECT_EQ(Content(out_ + "/x.txt").substr(0, 9), "<Line 0>\n");

  stops = true;
  EXPECT_EQ(Run(server, {path, "--beam-size", "3"}).status, 75);
  stops = false;
  texts = 0;
  EXPECT_EQ(Run(server, {path, "--beam-size", "2"}).status, 0);
  EXPECT_EQ(texts, 70'000);
}

TEST_F(Corpus, BadInputIsNamedAndNothingIsHalf) {
  const ScriptedServer server;
  const std::string zst = Compress(std::string(200'000, 'x') + "\n", Compression::kZstd);
  const std::string gz = Compress("a\n", Compression::kGzip);
  std::string damaged = gz;
  damaged[gz.size() - 5] ^= 1;  // in the checksum
  struct Case {
    std::string name;
    std::string bytes;
    std::string error;
  };
  for (const Case& c : std::vector<Case>{
           {"utf8.txt", "a\nb\xff\n", ":2: not UTF-8 at byte 2"},
           {"cut.txt.zst", zst.substr(0, zst.size() / 2), ":1: the Zstandard data is cut off"},
           {"cut.txt.gz", gz.substr(0, gz.size() - 1), ":2: the gzip data is cut off"},
           {"empty.txt.gz", "", ":1: the gzip data is cut off"},
           {"damaged.txt.gz", damaged, ":1: damaged gzip data: incorrect data check"},
           {"plain.txt.gz", "plain\n", ":1: damaged gzip data: incorrect header check"},
           {"plain.txt.zst", "plain\n", ":1: damaged Zstandard data"},
           {"field.jsonl", "{\"text\":\"a\"}\n{\"t\":1}\n", ":2: the record has no member 'text'"},
           {"syntax.jsonl", "{\"text\":\"a\"\n", ":1: not JSON at byte 12"},
           {"fields.tsv", "a\n", ":1: the record has 1 fields, expected a field 2"},
           {"long.txt", "a\n" + std::string(100'000'000, 'x'), ":2: the line has more than"},
       }) {
    const std::string path = folder_.Write(c.name, c.bytes);
    std::vector<std::string> arguments = {path};
    if (c.name.ends_with("jsonl")) arguments.insert(arguments.end(), {"--field", "text"});
    if (c.name.ends_with("tsv")) arguments.insert(arguments.end(), {"--field", "2"});
    const CommandRun run = Run(server, arguments);
    EXPECT_EQ(run.status, 65) << c.name << run.err;
    EXPECT_THAT(run.err, HasSubstr(c.name + c.error));
    EXPECT_FALSE(fs::exists(absl::StrCat(out_, "/", c.name))) << c.name;
  }
}

TEST_F(Corpus, LinesMayFailWhereThatIsAllowed) {
  const ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply;
    reply.response = Bracketed(request);
    for (int i = 0; i < request.contents_size(); ++i) {
      if (request.contents(i) != "bad") continue;
      v1::Translation* translation = reply.response.mutable_translations(i);
      translation->Clear();
      translation->mutable_error()->set_code(3);
      translation->mutable_error()->set_message("too long");
    }
    return reply;
  });
  const std::string path = folder_.Write("x.tsv", "a\nbad\nb\xff\nbad\n");
  const std::vector<std::string> arguments = {path, "--column", "error"};
  CommandRun run = Run(server, arguments);
  EXPECT_EQ(run.status, 65);
  EXPECT_THAT(run.err, HasSubstr("x.tsv:2: INVALID_ARGUMENT: too long"));
  run = Run(server, {path, "--column", "error", "--max-failed", "2"});
  EXPECT_EQ(run.status, 65);
  EXPECT_THAT(run.err, HasSubstr("x.tsv:4: INVALID_ARGUMENT: too long; more than 2 lines failed"));
  run = Run(server, {path, "--column", "error", "--max-failed", "3"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("x.tsv:3: not UTF-8"));
  EXPECT_EQ(Content(out_ + "/x.tsv"),
            "a\t<a>\t\nbad\t\tINVALID_ARGUMENT: too long\nb\xff\t\t\nbad\t\tINVALID_ARGUMENT: too "
            "long\n");
  EXPECT_EQ(Manifest("x.tsv")["failures"], 3);
}

TEST_F(Corpus, OtherFilesAreDoneWhereOneIsBad) {
  const ScriptedServer server;
  const CommandRun run =
      Run(server, {folder_.Write("bad.txt", "\xff\n"), folder_.Write("good.txt", "a\n")});
  EXPECT_EQ(run.status, 65);
  EXPECT_EQ(Content(out_ + "/good.txt"), "<a>\n");
}

TEST_F(Corpus, ExitStatusesTellWhatToDo) {
  const std::string path = folder_.Write("x.txt", "a\n");
  EXPECT_EQ(RunCommand({"corpus", "--out", out_, "--server", "127.0.0.1:1", path}).status, 69);
  const ScriptedServer denies([](const v1::TranslateRequest&) {
    ScriptedReply reply;
    reply.code = absl::StatusCode::kPermissionDenied;
    return reply;
  });
  EXPECT_EQ(Run(denies, {path}).status, 1);
  const ScriptedServer server;
  EXPECT_EQ(Run(server, {folder_.path() + "/none.txt"}).status, 2);
  EXPECT_EQ(Run(server, {folder_.path()}).status, 2);
  EXPECT_EQ(Run(server, {path, path}).status, 2);
  EXPECT_EQ(Run(server, {}).status, 2);
  EXPECT_EQ(Run(server, {path, "--column", "colour"}).status, 2);
  EXPECT_EQ(Run(server, {path, "--num-alternatives", "2"}).status, 2);
  EXPECT_EQ(Run(server, {path, "--score"}).status, 2);
  EXPECT_EQ(RunCommand({"corpus", "--out", folder_.path(), path}).status, 2);
}

TEST_F(Corpus, ADiskThatIsFullMeansAnotherRun) {
  const ScriptedServer server;
  const std::string path = folder_.Write("x.txt", ManyLines());
  // A write beyond the limit fails with EFBIG, as one to a full disk with ENOSPC.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{.rlim_cur = 300'000, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const CommandRun run = Run(server, {path});
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(run.status, 75);
  EXPECT_THAT(run.err, HasSubstr("/.x.txt.part: File too large"));
  EXPECT_FALSE(fs::exists(out_ + "/x.txt"));
  EXPECT_EQ(Run(server, {path}).status, 0);
}

TEST_F(Corpus, TwoProcessesDoNotWriteOneFile) {
  ScriptedServer server;
  const std::string path = folder_.Write("x.txt", "a\n");
  std::string second;
  const ScriptedServer nested([&](const v1::TranslateRequest& request) {
    second = Run(server, {path}).err;
    ScriptedReply reply;
    reply.response = Bracketed(request);
    return reply;
  });
  EXPECT_EQ(Run(nested, {path}).status, 0);
  EXPECT_THAT(second, HasSubstr("another process writes"));
  EXPECT_EQ(server.calls(), 0);
}

TEST_F(Corpus, StandardInputHasANameForItsResult) {
  const ScriptedServer server;
  const TemporaryFile input("a\nb\n");
  EXPECT_EQ(Run(server, {"-"}, input.fd()).status, 2);
  EXPECT_EQ(Run(server, {"-", "--name", "y.txt.gz"}, input.fd()).status, 0);
  EXPECT_EQ(Content(out_ + "/y.txt.gz"), "<a>\n<b>\n");
}

TEST_F(Corpus, ScoresGivenTranslations) {
  const ScriptedServer server;
  const std::string path = folder_.Write("x.tsv", "a\tbcd\ne\tf\na\tbc\na\tbcd\n");
  const CommandRun run = Run(server, {path, "--score", "--field", "1", "--target-field", "2"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Content(out_ + "/x.tsv"), "a\tbcd\t-3\ne\tf\t-1\na\tbc\t-2\na\tbcd\t-3\n");
  EXPECT_EQ(Manifest("x.tsv")["sent"], 3);
  EXPECT_EQ(Manifest("x.tsv")["models"][0]["name"], "opus-de-en");
}

// Returns the files that a task with this environment does.
std::string DoneBy(const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment, int* status) {
  const ScriptedServer server;
  const TempDirectory folder;
  std::vector<std::string> all = {"corpus", "--out", folder.path() + "/out", "--server",
                                  server.address()};
  for (const char* name : {"0", "1", "2", "3", "4"}) all.push_back(folder.Write(name, "a\n"));
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::ostringstream out;
  std::ostringstream err;
  Io io{.out = out, .err = err};
  io.environment = [&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  };
  *status = RunDragoman(io, all);
  std::string done;
  for (const char* name : {"0", "1", "2", "3", "4"}) {
    if (fs::exists(absl::StrCat(folder.path(), "/out/", name))) done += name;
  }
  return done;
}

TEST(CorpusShards, TakeEveryNthFile) {
  int status = -1;
  EXPECT_EQ(DoneBy({"--shard", "1/2"}, {}, &status), "13");
  EXPECT_EQ(DoneBy({"--shard", "/2"}, {{"JOB_COMPLETION_INDEX", "0"}}, &status), "024");
  EXPECT_EQ(DoneBy({"--shard", "/3"}, {{"SLURM_ARRAY_TASK_ID", "2"}}, &status), "2");
  const std::map<std::string, std::string> array = {
      {"SLURM_ARRAY_TASK_ID", "4"}, {"SLURM_ARRAY_TASK_MIN", "3"}, {"SLURM_ARRAY_TASK_COUNT", "2"}};
  EXPECT_EQ(DoneBy({}, array, &status), "13");
  EXPECT_EQ(DoneBy({"--shard", "0/1"}, array, &status), "01234");
  // A task without files has nothing to do.
  EXPECT_EQ(DoneBy({"--shard", "6/7"}, {}, &status), "");
  EXPECT_EQ(status, 0);
  std::map<std::string, std::string> gaps = array;
  gaps["SLURM_ARRAY_TASK_ID"] = "7";
  for (const auto& [shard, environment] :
       {std::pair(std::string(), gaps), std::pair(std::string("2/2"), array),
        std::pair(std::string("/2"), std::map<std::string, std::string>()),
        std::pair(std::string("2"), array), std::pair(std::string("-1/2"), array)}) {
    EXPECT_EQ(DoneBy(shard.empty() ? std::vector<std::string>() : std::vector{"--shard=" + shard},
                     environment, &status),
              "");
    EXPECT_EQ(status, 2) << shard;
  }
}

TEST_F(Corpus, MetricsSayWhatIsDone) {
  const ScriptedServer server;
  const std::string metrics = folder_.path() + "/m.prom";
  EXPECT_EQ(Run(server, {folder_.Write("x.txt", "ab\nc\n"), folder_.Write("y.txt", "d\n"),
                         "--shard", "0/2", "--metrics-file", metrics})
                .status,
            0);
  const std::string text = ReadFile(metrics);
  EXPECT_THAT(text, HasSubstr("\ndragoman_corpus_lines_total{shard=\"0/2\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\ndragoman_corpus_characters_total{shard=\"0/2\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\ndragoman_corpus_files_done{shard=\"0/2\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ndragoman_corpus_input_bytes_done{shard=\"0/2\"} 5\n"));
}

}  // namespace
}  // namespace dragoman::client
