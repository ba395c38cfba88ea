#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <streambuf>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/mutex.h"
#include "tests/client/commands/command_fixture.h"
#include "tests/client/scripted_server.h"

namespace dragoman::client {
namespace {

using ::testing::HasSubstr;

// The texts that have been answered. Handlers wait for each other with it.
class Answered {
 public:
  void Add(const std::string& text) {
    engine::MutexLock lock(&mu_);
    texts_.insert(text);
    changed_.NotifyAll();
  }
  void WaitFor(const std::string& text) {
    engine::MutexLock lock(&mu_);
    while (texts_.count(text) == 0) changed_.Wait(&mu_);
  }

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::set<std::string> texts_ ABSL_GUARDED_BY(mu_);
};

ScriptedReply Answer(const v1::TranslateRequest& request) {
  ScriptedReply reply;
  reply.response = Bracketed(request);
  return reply;
}

ScriptedReply Refuse(absl::StatusCode code, const std::string& message) {
  ScriptedReply reply;
  reply.code = code;
  reply.message = message;
  return reply;
}

// Items that contain "bad" fail alone; a request with "poison" fails as a whole.
ScriptedReply FailBadOnes(const v1::TranslateRequest& request) {
  ScriptedReply reply = Answer(request);
  for (int i = 0; i < request.contents_size(); ++i) {
    if (request.contents(i).find("poison") != std::string::npos) {
      return Refuse(absl::StatusCode::kInvalidArgument, "too long");
    }
    if (request.contents(i).find("bad") == std::string::npos) continue;
    v1::Translation* translation = reply.response.mutable_translations(i);
    translation->Clear();
    translation->mutable_error()->set_code(13);
    translation->mutable_error()->set_message("NaN");
  }
  return reply;
}

CommandRun Translate(const ScriptedServer& server, const std::string& input, Arguments flags = {},
                     bool out_terminal = false, bool err_terminal = false) {
  const TemporaryFile file(input);
  Arguments arguments = {"translate", "--server", server.address()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return RunCommand(arguments, file.fd(), out_terminal, err_terminal);
}

// Detects "de" for texts that begin with "d", and nothing for others.
ScriptedReply DetectGerman(const v1::TranslateRequest& request) {
  ScriptedReply reply = Answer(request);
  for (int i = 0; i < request.contents_size(); ++i) {
    v1::Translation* translation = reply.response.mutable_translations(i);
    const bool german = request.contents(i).front() == 'd';
    if (german) translation->set_detected_language_code("de");
    translation->set_detection_confidence(german ? 0.9F : 0);
  }
  return reply;
}

TEST(Translate, CountsTheLinesWithEachWarning) {
  const ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply = Answer(request);
    for (int i = 0; i < request.contents_size(); ++i) {
      v1::Translation* translation = reply.response.mutable_translations(i);
      for (int code = v1::Warning::Code_MIN + 1; code <= v1::Warning::Code_MAX; ++code) {
        translation->add_warnings()->set_code(static_cast<v1::Warning::Code>(code));
      }
      translation->set_finish_reason(v1::LENGTH);
    }
    return reply;
  });
  const CommandRun run = Translate(server, "a\nb\n", {});
  EXPECT_EQ(run.status, 0);
  // One note for each code. The finish reason already reports OUTPUT_LIMIT.
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), v1::Warning::Code_MAX) << run.err;
  EXPECT_THAT(run.err, HasSubstr("note: 2 lines may have a wrong translation (SUSPICIOUS; --guard "
                                 "retry searches again)\n"));
  EXPECT_THAT(run.err, HasSubstr("note: 2 lines lost a placeholder (PLACEHOLDER_LOST)\n"));
  EXPECT_EQ(Translate(server, "a\n", {"--json"}).err, "");
}

TEST(Translate, NamesTheLinesInWhichNoServedLanguageIsFound) {
  const ScriptedServer server(DetectGerman);
  const Arguments flags = {"--from", "auto", "--to", "en"};
  const CommandRun one = Translate(server, "das\nvoila\n12:30, -\n\n", flags);
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, "<das>\n<voila>\n<12:30, ->\n\n");
  EXPECT_EQ(one.err,
            "dragoman translate: note: 1 line (2) was left untranslated: found no language that "
            "this server translates from, expected one of de\n");
  std::string many;
  for (int i = 0; i < 10; ++i) many += "voila\n";
  EXPECT_THAT(Translate(server, many, flags).err,
              HasSubstr("10 lines (1, 2, 3, 4, 5, 6, 7, 8, ...) were left untranslated"));
  EXPECT_EQ(Translate(server, "das\n", flags).err, "");
  // JSON output reports untranslated texts in their lines instead.
  EXPECT_EQ(Translate(server, "voila\n", {"--from", "auto", "--json"}).err, "");
}

class ResumeTest : public ::testing::Test {
 protected:
  ResumeTest() { std::filesystem::remove(path_); }
  ~ResumeTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }
  std::string Content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  CommandRun Run(const ScriptedServer& server, const std::string& input, Arguments flags) const {
    flags.insert(flags.end(), {"--output", path_});
    return Translate(server, input, flags);
  }

  const std::string path_ = absl::StrCat(::testing::TempDir(), "/resume-", getpid(), ".txt");
};

TEST_F(ResumeTest, WritesToAFileThatIsNotThereYet) {
  const ScriptedServer server;
  const CommandRun first = Run(server, "a\nb\n", {});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, "");
  EXPECT_EQ(Content(), "<a>\n<b>\n");
  const CommandRun again = Run(server, "a\nb\n", {});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("is there already, expected --resume to go on with it"));
  EXPECT_EQ(Content(), "<a>\n<b>\n");
}

TEST_F(ResumeTest, TranslatesWhatComesAfterTheLastTranslation) {
  const ScriptedServer server;
  // Line 2 had failed on its own. The server went away after line 3, while line 5 was being
  // written.
  Write("<a>\n\n<c>\n\n<e");
  const CommandRun run = Run(server, "a\nb\nc\nd\ne\nf\n", {"--resume", "--batch", "1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Content(), "<a>\n\n<c>\n<d>\n<e>\n<f>\n");
  EXPECT_THAT(run.err, HasSubstr("3 lines are kept, 1 of them empty or failed"));
  EXPECT_EQ(server.calls(), 3);
}

TEST_F(ResumeTest, GoesOnWithAFileThatIsNotThereOrWholeAlready) {
  const ScriptedServer server;
  EXPECT_EQ(Run(server, "a\n", {"--resume"}).status, 0);
  EXPECT_EQ(Content(), "<a>\n");
  EXPECT_EQ(Run(server, "a\n", {"--resume"}).status, 0);
  EXPECT_EQ(Content(), "<a>\n");
  EXPECT_EQ(server.calls(), 1);
}

TEST_F(ResumeTest, JsonObjectsWithErrorsAtTheEndAreTranslatedAgain) {
  ScriptedServer server(FailBadOnes);
  EXPECT_EQ(Run(server, "a\nbad\nc\nbad\n", {"--json"}).status, 1);
  const std::string before = Content();
  EXPECT_EQ(Run(server, "a\nbad\nc\ngood\n", {"--json", "--resume"}).status, 0);
  std::vector<std::string> lines = absl::StrSplit(Content(), '\n');
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(before.find(lines[0]), 0U);
  EXPECT_THAT(lines[1], HasSubstr("error"));
  EXPECT_THAT(lines[3], HasSubstr("<good>"));
}

TEST_F(ResumeTest, RefusesAnInputThatIsShorterAndFormsWithoutLines) {
  const ScriptedServer server;
  Write("<a>\n<b>\n<c>\n");
  const CommandRun shorter = Run(server, "a\nb\n", {"--resume"});
  EXPECT_EQ(shorter.status, 1);
  EXPECT_THAT(shorter.err, HasSubstr("the input has 2 lines, expected at least the 3"));
  EXPECT_EQ(Run(server, "a\n", {"--resume", "--num-alternatives", "2"}).status, 2);
  EXPECT_EQ(Run(server, "a\n", {"--resume", "--whole"}).status, 2);
  const CommandRun nowhere = Translate(server, "a\n", {"--resume"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--resume needs --output"));
  EXPECT_EQ(Content(), "<a>\n<b>\n<c>\n");
}

TEST(Translate, KeepsTheOrderOfAnswersThatComeOutOfOrder) {
  Answered answered;
  // The server answers each odd line only after the line that follows it.
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    const int number = std::stoi(request.contents(0));
    if (number % 2 == 1) answered.WaitFor(std::to_string(number + 1));
    answered.Add(request.contents(0));
    return Answer(request);
  });
  std::string input;
  std::string expected;
  for (int i = 1; i <= 100; ++i) {
    absl::StrAppend(&input, i, "\n");
    absl::StrAppend(&expected, "<", i, ">\n");
  }
  const CommandRun run = Translate(server, input, {"--batch", "1", "--concurrency", "8"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, expected);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(server.calls(), 100);
}

TEST(Translate, PassesBytesThroughAndKeepsEmptyLines) {
  ScriptedServer server;
  const CommandRun run = Translate(server, "\nGrüße 😀\t \n\n\r\nlast");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "\n<Grüße 😀\t >\n\n<\r>\n<last>\n");
  EXPECT_EQ(Translate(server, "").out, "");
}

TEST(Translate, NamesTheLinesThatFailAndKeepsTheirPlace) {
  ScriptedServer server(FailBadOnes);
  const CommandRun run = Translate(server, "one\nbad\n\nbad\nbad\nsix\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<one>\n\n\n\n\n<six>\n");
  EXPECT_EQ(run.err,
            "dragoman translate: line 2: INTERNAL: NaN\n"
            "dragoman translate: lines 4-5: INTERNAL: NaN\n");
}

TEST(Translate, TranslatesTheNeighboursOfALineThatFailsTheCall) {
  ScriptedServer server(FailBadOnes);
  const CommandRun run = Translate(server, "1\n2\npoison\n4\n5\n", {"--batch", "5"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<1>\n<2>\n\n<4>\n<5>\n");
  EXPECT_EQ(run.err, "dragoman translate: line 3: INVALID_ARGUMENT: too long\n");
  EXPECT_EQ(server.calls(), 6);
}

TEST(Translate, SaysWhichFlagAMissingLanguageIs) {
  for (const auto& [side, flag] : {std::pair("source", "--from"), std::pair("target", "--to")}) {
    const std::string message =
        std::string(side) + "_language_code is missing: the model has 9 " + side + " languages";
    ScriptedServer server([&](const v1::TranslateRequest&) {
      return ScriptedReply{.code = absl::StatusCode::kInvalidArgument, .message = message};
    });
    const CommandRun run = Translate(server, "1\n");
    EXPECT_EQ(run.err, "dragoman translate: line 1: INVALID_ARGUMENT: " + message +
                           "; give it with " + flag + " ('dragoman languages' lists them)\n");
  }
}

TEST(Translate, DoesNotSendWhatIsNotUtf8) {
  ScriptedServer server;
  const CommandRun run = Translate(server,
                                   "gut\nschl\xFC"
                                   "cht\ngut\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<gut>\n\n<gut>\n");
  EXPECT_THAT(run.err, HasSubstr("line 2: INVALID_ARGUMENT: not UTF-8 at byte 5"));
}

TEST(Translate, SendsALineThatIsTooLargeForTheServerOnce) {
  ScriptedServer server;  // takes 4 MiB, as gRPC does by default
  const std::string large(5 << 20, 'a');
  // With retries, the command would go on until the timeout.
  const CommandRun run =
      Translate(server, "one\n" + large + "\ntwo\n", {"--retries", "1000", "--batch", "16"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<one>\n\n<two>\n");
  EXPECT_THAT(run.err, HasSubstr("line 2"));
  EXPECT_THAT(run.err, HasSubstr("larger than max"));
}

TEST(Translate, DoesNotSendWhatNoServerTakes) {
  ScriptedServer server;
  const std::string endless((16 << 20) + 1, 'a');
  const CommandRun run = Translate(server, "one\n" + endless + endless + "\ntwo\n" + endless);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<one>\n\n<two>\n\n");
  EXPECT_THAT(run.err, HasSubstr("the text has more than the 16777216 bytes allowed"));

  const CommandRun whole = Translate(server, endless + "\n", {"--whole"});
  EXPECT_EQ(whole.status, 1);
  EXPECT_THAT(whole.err, HasSubstr("more than the 16777216 bytes allowed"));
}

TEST(Translate, RefusesFilesThatHaveNoLines) {
  ScriptedServer server;
  for (const Arguments& arguments :
       {Arguments{"translate", "--target-prefix-file", "/dev/zero"},
        Arguments{"load", "--input", "/dev/zero", "--rate", "1", "--requests", "1"}}) {
    Arguments all = arguments;
    all.insert(all.end(), {"--server", server.address()});
    const CommandRun run = RunCommand(all);
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.err, HasSubstr("/dev/zero has a line of more than the 16777216 bytes"));
  }
  // A folder is one of documents.
  const CommandRun run =
      RunCommand({"translate", "--server", server.address(), ::testing::TempDir()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("a document needs --output PATH"));
}

TEST(Translate, StopsSendingAfterARefusalThatWillNotChange) {
  ScriptedServer server([](const v1::TranslateRequest&) {
    return Refuse(absl::StatusCode::kNotFound, "no model 'x'");
  });
  std::string input;
  for (int i = 0; i < 3000; ++i) input += "text\n";
  const CommandRun run = Translate(server, input, {"--batch", "1", "--concurrency", "2"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 3000);
  EXPECT_LE(server.calls(), 4);
  EXPECT_THAT(run.err, HasSubstr("lines 1-"));
  EXPECT_LE(std::count(run.err.begin(), run.err.end(), '\n'), 1);
}

TEST(Translate, WaitsForAServerThatIsFull) {
  std::atomic<int> refusals{40};
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    if (refusals-- <= 0) return Answer(request);
    ScriptedReply reply = Refuse(absl::StatusCode::kResourceExhausted, "full");
    reply.pushback = "1";
    return reply;
  });
  const CommandRun run = Translate(server, "a\nb\nc\n", {"--batch", "1", "--retries", "0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "<a>\n<b>\n<c>\n");
}

TEST(Translate, DoesNotWaitForABatchToFill) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  Answered answered;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    answered.Add(request.contents(0));
    return Answer(request);
  });
  std::thread typist([&] {
    ASSERT_EQ(write(pipe_fds[1], "first\n", 6), 6);
    answered.WaitFor("first");
    ASSERT_EQ(write(pipe_fds[1], "second", 6), 6);
    close(pipe_fds[1]);
  });
  const CommandRun run = RunCommand({"translate", "--server", server.address()}, pipe_fds[0]);
  typist.join();
  close(pipe_fds[0]);
  EXPECT_EQ(run.out, "<first>\n<second>\n");
}

// Returns the request that the flags make of the line "text".
v1::TranslateRequest Sent(const Arguments& flags) {
  v1::TranslateRequest seen;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    seen = request;
    return Answer(request);
  });
  const CommandRun run = Translate(server, "text\n", flags);
  EXPECT_EQ(run.status, 0) << run.err;
  return seen;
}

TEST(Translate, SendsWhatTheFlagsSay) {
  const v1::TranslateRequest seen =
      Sent({"--from", "de", "--nbest", "3", "--json", "--tokens", "--token-scores", "--alignment",
            "--target-prefix", "Das", "--sample", "--seed", "18446744073709551615"});
  v1::TranslateRequest expected;
  expected.add_contents("text");
  expected.set_source_language_code("de");
  auto* decoding = expected.mutable_decoding();
  decoding->set_num_alternatives(3);
  decoding->mutable_sampling()->set_seed(~uint64_t{0});
  expected.add_target_prefixes("Das");
  expected.mutable_return_options()->set_scores(true);
  expected.mutable_return_options()->set_tokens(true);
  expected.mutable_return_options()->set_token_scores(true);
  expected.mutable_return_options()->set_alignment(true);
  EXPECT_EQ(seen.DebugString(), expected.DebugString());
}

TEST(Translate, SendsPrefixesLineByLine) {
  std::map<std::string, std::string> prefixes;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    EXPECT_EQ(request.target_prefixes_size(), request.contents_size());
    for (int i = 0; i < request.contents_size(); ++i) {
      prefixes[request.contents(i)] = request.target_prefixes(i);
    }
    return FailBadOnes(request);
  });
  // "poison" makes its call fail, so that the other lines of the call are sent again one by one.
  const TemporaryFile file("One\n\nThree\nFour\n\n");
  const CommandRun run = Translate(server, "eins\nzwei\n\npoison\nfünf\n",
                                   {"--concurrency", "1", "--target-prefix-file", file.path()});
  EXPECT_EQ(run.out, "<eins>\n<zwei>\n\n\n<fünf>\n");
  EXPECT_EQ(prefixes, (std::map<std::string, std::string>{
                          {"eins", "One"}, {"zwei", ""}, {"poison", "Four"}, {"fünf", ""}}));
}

TEST(Translate, PrefixesAreAsManyAsLines) {
  ScriptedServer server;
  const TemporaryFile file("One\nTwo\n");
  CommandRun run = Translate(server, "a\nb\nc\n", {"--target-prefix-file", file.path()});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<a>\n<b>\n\n");
  EXPECT_THAT(run.err, HasSubstr("line 3: INVALID_ARGUMENT: no target prefix: there are 2"));

  const TemporaryFile again("One\nTwo\n");
  run = Translate(server, "a\n", {"--target-prefix-file", again.path()});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("has 2 lines, the input has 1"));

  const TemporaryFile latin1(
      "Gr\xFC\xDF"
      "e\n");
  run = Translate(server, "a\n", {"--target-prefix-file", latin1.path()});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("is not UTF-8"));
  run = Translate(server, "a\n", {"--target-prefix-file", "no/such/file"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("no/such/file"));
}

TEST(Translate, ASeedSendsEachLineAlone) {
  ScriptedServer server([](const v1::TranslateRequest& request) {
    EXPECT_EQ(request.contents_size(), 1);
    EXPECT_EQ(request.decoding().sampling().seed(), 7U);
    return Answer(request);
  });
  EXPECT_EQ(Translate(server, "a\nb\nc\n", {"--sample", "--seed", "7"}).out, "<a>\n<b>\n<c>\n");
  EXPECT_EQ(server.calls(), 3);
}

TEST(Translate, TheWholeInputIsOneText) {
  std::string seen;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    EXPECT_EQ(request.mime_type(), "text/html");
    EXPECT_EQ(request.contents_size(), 1);
    seen = request.contents(0);
    ScriptedReply reply;
    reply.response.add_translations()->set_translated_text(seen);
    return reply;
  });
  const std::string document = "<p>eins\n\nzwei</p>\n";
  EXPECT_EQ(Translate(server, document, {"--whole", "--html"}).out, document);
  EXPECT_EQ(seen, document);
  EXPECT_EQ(Translate(server, "a\nb", {"--whole", "--html"}).out, "a\nb\n");
  const CommandRun none = Translate(server, "", {"--whole", "--html"});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.out, "");
}

TEST(Translate, LeavesToTheServerWhatIsNotSaid) {
  v1::TranslateRequest seen;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    seen = request;
    return Answer(request);
  });
  EXPECT_EQ(Translate(server, "text\n").status, 0);
  v1::TranslateRequest expected;
  expected.add_contents("text");
  expected.mutable_decoding();
  expected.mutable_return_options();
  EXPECT_EQ(seen.DebugString(), expected.DebugString());
}

ScriptedReply TwoHypotheses(const v1::TranslateRequest& request) {
  ScriptedReply reply = Answer(request);
  for (auto& translation : *reply.response.mutable_translations()) {
    translation.set_score(-0.1f);
    translation.set_log_prob(-0.5f);
    v1::Alternative* alternative = translation.add_alternatives();
    alternative->set_text("other");
    alternative->set_score(-1.25f);
    alternative->set_finish_reason(v1::LENGTH);
  }
  return reply;
}

TEST(Translate, PrintsNBestLists) {
  ScriptedServer server(TwoHypotheses);
  const CommandRun run = Translate(server, "a\n\nb\n", {"--nbest", "2"});
  EXPECT_EQ(run.out,
            "1\t1\t-0.1\t<a>\n1\t2\t-1.25\tother\n2\t1\t\t\n3\t1\t-0.1\t<b>\n3\t2\t-1.25\tother\n");
}

TEST(Translate, PrintsOneJsonObjectPerLine) {
  ScriptedServer server([](const v1::TranslateRequest& request) {
    return request.contents(0) == "bad" ? FailBadOnes(request) : TwoHypotheses(request);
  });
  const CommandRun run =
      Translate(server, "\"a\"\n\nbad\n", {"--nbest", "2", "--json", "--batch", "1"});
  EXPECT_EQ(run.status, 1);
  const std::vector<std::string> lines = absl::StrSplit(run.out, '\n');
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(nlohmann::json::parse(lines[0]),
            nlohmann::json::parse(
                R"({"line": 1, "text": "<\"a\">", "model": "scripted", "finish_reason": "EOS",
                    "score": -0.1, "log_prob": -0.5, "alternatives":
                    [{"text": "other", "score": -1.25, "finish_reason": "LENGTH"}]})"));
  EXPECT_EQ(nlohmann::json::parse(lines[1]), nlohmann::json::parse(R"({"line": 2, "text": ""})"));
  EXPECT_EQ(
      nlohmann::json::parse(lines[2]),
      nlohmann::json::parse(R"({"line": 3, "error": {"code": "INTERNAL", "message": "NaN"}})"));
}

TEST(Translate, JsonListsWhatWasPreserved) {
  const ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply = Answer(request);
    if (request.preserve()) reply.response.mutable_translations(0)->add_preserved("{0}");
    return reply;
  });
  const auto object_of = [&](const Arguments& flags) {
    return nlohmann::json::parse(Translate(server, "{0}\n", flags).out);
  };
  EXPECT_EQ(object_of({"--json", "--preserve", "on"}).at("preserved"),
            nlohmann::json::array({"{0}"}));
  EXPECT_FALSE(object_of({"--json"}).contains("preserved"));
}

ScriptedReply Aligned(const v1::TranslateRequest& request) {
  ScriptedReply reply = Answer(request);
  for (auto& translation : *reply.response.mutable_translations()) {
    translation.set_seed(~uint64_t{0});
    if (translation.translated_text() == "<none>") continue;
    auto* link = translation.mutable_alignment()->add_links();
    link->set_source_begin(4);
    link->set_source_end(99);  // beyond the end
    link->set_target_begin(0);
    link->set_target_end(4);
    link = translation.mutable_alignment()->add_links();
    link->set_source_begin(0);
    link->set_source_end(3);
    link->set_target_begin(4);
    link->set_target_end(9);
  }
  return reply;
}

TEST(Translate, PrintsAlignmentsAsText) {
  ScriptedServer server(Aligned);
  const CommandRun run = Translate(server, "Das Haus\nnone\n\nein\tHut\n", {"--alignment"});
  EXPECT_EQ(run.out, "1\tHaus\t<Das\n1\tDas\t Haus\n2\t\t\n3\t\t\n4\tHut\t<ein\n4\tein\t Hut>\n");
}

TEST(Translate, PrintsAlignmentsAndSeedsAsJson) {
  ScriptedServer server(Aligned);
  const auto json = nlohmann::json::parse(
      Translate(server, "Das Haus\n", {"--alignment", "--json", "--nbest", "2"}).out);
  EXPECT_EQ(
      json["alignment"],
      nlohmann::json::parse(
          R"([{"source": [4, 99], "target": [0, 4]}, {"source": [0, 3], "target": [4, 9]}])"));
  EXPECT_EQ(json["seed"], "18446744073709551615");
}

TEST(Translate, SaysHowManyLinesLackWhatWasRequired) {
  ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply = Answer(request);
    v1::Translation* translation = reply.response.mutable_translations(0);
    if (request.contents(0) == "a") translation->set_finish_reason(v1::CONSTRAINTS_UNMET);
    if (request.contents(0) == "b") {
      translation->add_alternatives()->set_finish_reason(v1::CONSTRAINTS_UNMET);
    }
    if (request.contents(0) == "c") translation->set_finish_reason(v1::NO_OUTPUT);
    return reply;
  });
  const CommandRun run = Translate(server, "a\nb\nc\nd\n", {"--batch", "1"});
  EXPECT_EQ(run.err,
            "dragoman translate: note: 2 lines lacked a required phrase or term "
            "(CONSTRAINTS_UNMET)\n"
            "dragoman translate: note: 1 line had no hypothesis left (NO_OUTPUT)\n");
  EXPECT_EQ(Translate(server, "a\n", {"--json"}).err, "");
}

TEST(Translate, SaysHowManyLinesReachedTheLimit) {
  ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply = Answer(request);
    reply.response.mutable_translations(0)->set_finish_reason(v1::LENGTH);
    return reply;
  });
  const CommandRun run = Translate(server, "a\nb\n", {"--batch", "1"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("2 lines reached the output limit"));
}

// Answers the items from last to first, each in two segments with a partial.
ScriptedReply StreamBackwards(const v1::TranslateRequest& request,
                              const ScriptedServer::Write& write) {
  for (int item = request.contents_size() - 1; item >= 0; --item) {
    const std::string& text = request.contents(item);
    v1::StreamTranslateResponse message;
    message.set_item(item);
    message.set_source_end(3);
    for (const char* part : {"<o", "<one"}) {
      message.set_text(part);
      message.set_final(std::string(part) == "<one");
      if (message.final() || request.return_options().partials()) write(message);
    }
    message.set_segment(1);
    message.set_source_begin(5);
    message.set_source_end(static_cast<int64_t>(text.size()));
    message.set_text("two>");
    write(message);
    v1::StreamTranslateResponse last;
    last.set_item(item);
    if (text == "bad") {
      last.mutable_error()->set_code(3);
      last.mutable_error()->set_message("no");
      last.mutable_translation()->mutable_error()->CopyFrom(last.error());
    } else {
      last.mutable_translation()->set_translated_text("<one  two>" + text);
    }
    write(last);
  }
  return ScriptedReply();
}

TEST(Translate, StreamsFinalLinesInOrder) {
  ScriptedServer server(nullptr, StreamBackwards);
  const CommandRun run = Translate(server, "uno  dos\n\nbad\n4no  dos\n", {"--stream"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<one  two>uno  dos\n\n\n<one  two>4no  dos\n");
  EXPECT_EQ(run.err, "dragoman translate: line 3: INVALID_ARGUMENT: no\n");
}

// A stream whose text another thread can wait for.
class WatchedBuffer : public std::streambuf {
 public:
  void WaitFor(const std::string& text) {
    engine::MutexLock lock(&mu_);
    while (text_.find(text) == std::string::npos) changed_.Wait(&mu_);
  }
  std::string text() {
    engine::MutexLock lock(&mu_);
    return text_;
  }

 protected:
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    engine::MutexLock lock(&mu_);
    text_.append(data, static_cast<size_t>(size));
    changed_.NotifyAll();
    return size;
  }
  int overflow(int c) override {
    const char byte = static_cast<char>(c);
    xsputn(&byte, 1);
    return c;
  }

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::string text_ ABSL_GUARDED_BY(mu_);
};

TEST(Translate, ShowsGrowingTextOnATerminal) {
  WatchedBuffer screen;
  // The server continues only when the message that it sent is on the screen.
  ScriptedServer server(
      nullptr, [&](const v1::TranslateRequest& request, const ScriptedServer::Write& write) {
        EXPECT_TRUE(request.return_options().partials());
        return StreamBackwards(request, [&](const v1::StreamTranslateResponse& message) {
          write(message);
          if (!message.has_translation()) screen.WaitFor(message.text());
        });
      });
  const TemporaryFile file("uno  dos\n");
  std::ostream out(&screen);
  std::ostringstream err;
  Io io{.in_fd = file.fd(), .out = out, .err = err};
  io.out_terminal = io.err_terminal = true;
  EXPECT_EQ(RunDragoman(io, {"translate", "--stream", "--server", server.address()}), 0);
  // The white space between the segments comes from the source.
  EXPECT_EQ(screen.text(), "<o\r\x1b[K<one\r\x1b[K<one  two>\r\x1b[K<one  two>uno  dos\n");
  EXPECT_EQ(err.str(), "");
}

TEST(Translate, AsksForNoPartialsOfWhatHasNone) {
  ScriptedServer server(
      nullptr, [](const v1::TranslateRequest& request, const ScriptedServer::Write& write) {
        EXPECT_FALSE(request.return_options().partials());
        v1::StreamTranslateResponse message;
        message.mutable_translation()->set_translated_text("whole");
        write(message);
        return ScriptedReply();
      });
  for (const Arguments& flags :
       {Arguments{"--html"}, Arguments{"--sample"}, Arguments{"--whole"}, Arguments{"--alignment"},
        Arguments{"--json"}, Arguments{"--nbest", "2"}}) {
    Arguments with = flags;
    with.emplace_back("--stream");
    EXPECT_EQ(Translate(server, "a\n", with, true).status, 0) << flags[0];
  }
  EXPECT_EQ(server.calls(), 6);
}

TEST(Translate, StreamThatBreaksFailsTheLinesThatAreLeft) {
  ScriptedServer server(nullptr,
                        [](const v1::TranslateRequest&, const ScriptedServer::Write& write) {
                          v1::StreamTranslateResponse message;
                          message.set_item(0);
                          message.mutable_translation()->set_translated_text("whole");
                          write(message);
                          return Refuse(absl::StatusCode::kInternal, "broken");
                        });
  const CommandRun run = Translate(server, "a\nb\n", {"--stream"});
  EXPECT_EQ(run.out, "whole\n\n");
  EXPECT_EQ(run.err, "dragoman translate: line 2: INTERNAL: broken\n");
}

TEST(Translate, ReportsAnAnswerThatIsTooShort) {
  ScriptedServer server([](const v1::TranslateRequest& request) {
    ScriptedReply reply = Answer(request);
    reply.response.mutable_translations()->RemoveLast();
    return reply;
  });
  const CommandRun run = Translate(server, "a\nb\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "<a>\n\n");
  EXPECT_THAT(run.err, HasSubstr("line 2: INTERNAL"));
}

TEST(Translate, DrawsAProgressBarOnlyOnATerminal) {
  ScriptedServer server;
  const CommandRun seen = Translate(server, "a\nb\n", {}, false, true);
  EXPECT_THAT(seen.err, HasSubstr("lines/s"));
  EXPECT_TRUE(seen.err.ends_with("\r\x1b[K"));
  EXPECT_EQ(seen.out, "<a>\n<b>\n");
  EXPECT_EQ(Translate(server, "a\nb\n").err, "");
}

TEST(Translate, RefusesWrongCommandLines) {
  for (const Arguments& wrong :
       {Arguments{"--bema", "4"}, Arguments{"--beam", "x"}, Arguments{"--beam"},
        Arguments{"a", "b"}, Arguments{"--server", ""}}) {
    Arguments arguments = {"translate"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const CommandRun run = RunCommand(arguments);
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("dragoman translate: "));
  }
  const CommandRun missing = RunCommand({"translate", "no/such/file"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("no/such/file"));
}

TEST(Translate, RefusesFlagsThatDoNotGoTogether) {
  for (const auto& [wrong, message] : std::vector<std::pair<Arguments, std::string>>{
           {{"--tokens"}, "--tokens and --token-scores need --json"},
           {{"--alignment", "--nbest", "2"},
            "--alignment and --num-alternatives (--nbest) together need --json"},
           {{"--seed", "1"}, "--sampling-seed (--seed) needs --sampling"},
           {{"--sample", "--seed", "1", "--batch", "2"},
            "--sampling-seed (--seed) and --batch do not go together"},
           {{"--target-prefix", "a", "--target-prefix-file", "b"},
            "expected only one of --target-prefix and --target-prefix-file"},
           {{"--top-k", "1"}, "--sampling-top-k (--top-k) needs --sampling"},
           {{"--term", "a"}, "--term is 'a', expected SOURCE=TARGET"}}) {
    Arguments arguments = {"translate"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const TemporaryFile file("a\n");
    const CommandRun run = RunCommand(arguments, file.fd());
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("dragoman translate: " + message));
  }
}

}  // namespace
}  // namespace dragoman::client
