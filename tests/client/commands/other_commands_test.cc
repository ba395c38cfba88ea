#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "client/channel_security.h"
#include "engine/base/mutex.h"
#include "tests/client/commands/command_fixture.h"
#include "tests/client/scripted_server.h"

namespace dragoman::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Health, ExitStatusSaysWhetherItServes) {
  ScriptedServer server;
  CommandRun run = RunCommand({"health", "--server", server.address()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "SERVING\n");

  run = RunCommand({"health", "--server", server.address(), "--service", "nobody"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("NOT_FOUND"));

  server.SetServing(false);
  run = RunCommand({"health", "--server", server.address()});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "NOT_SERVING\n");

  EXPECT_EQ(RunCommand({"health", "--timeout", "0"}).status, 2);
}

// Answers one connection with these bytes, and closes it. Returns the URL.
std::string UrlOfOneAnswer(const std::string& answer, std::thread* thread) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  *thread = std::thread([listener, answer] {
    const int fd = accept(listener, nullptr, nullptr);
    std::string request;
    char byte = 0;
    while (request.find("\r\n\r\n") == std::string::npos && read(fd, &byte, 1) == 1)
      request += byte;
    EXPECT_THAT(request, HasSubstr("GET /readyz HTTP/1.1\r\n"));
    EXPECT_EQ(write(fd, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    close(fd);
    close(listener);
  });
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/readyz";
}

TEST(Health, AsksAnAddressOverHttp) {
  const auto ask = [](const std::string& answer) {
    std::thread thread;
    const std::string url = UrlOfOneAnswer(answer, &thread);
    const CommandRun run = RunCommand({"health", "--url", url});
    thread.join();
    return run;
  };
  EXPECT_EQ(ask("HTTP/1.1 200 OK\r\n\r\nready\n").out, "SERVING\n");
  const CommandRun loading = ask("HTTP/1.1 503 Service Unavailable\r\n\r\nloading de-en\n");
  EXPECT_EQ(loading.status, 1);
  EXPECT_EQ(loading.out, "NOT_SERVING\n");
  EXPECT_THAT(loading.err, HasSubstr("/readyz answers 503: loading de-en\n"));
  for (const char* answer : {"", "SSH-2.0-OpenSSH\r\n", "HTTP/2.0 200 \r\n\r\n"}) {
    const CommandRun run = ask(answer);
    EXPECT_EQ(run.status, 1) << answer;
    EXPECT_THAT(run.err, HasSubstr("UNAVAILABLE: found no answer of HTTP")) << answer;
  }
  for (const char* url : {"127.0.0.1:9464", "ftp://127.0.0.1:1/", "http://127.0.0.1/readyz",
                          "http://127.0.0.1:0/", "http://:1/", "http://127.0.0.1:1/a b"}) {
    const CommandRun run = RunCommand({"health", "--url", url});
    EXPECT_EQ(run.status, 2) << url;
    EXPECT_THAT(run.err, HasSubstr("expected http://HOST:PORT/PATH or https://HOST:PORT/PATH"));
  }
  EXPECT_EQ(RunCommand({"health", "--url", "http://[::1]:1/", "--service", "de-en"}).status, 2);
  EXPECT_THAT(RunCommand({"health", "--url", "http://127.0.0.1:1/"}).err,
              HasSubstr("UNAVAILABLE: cannot connect to http://127.0.0.1:1/"));
}

TEST(Health, TheEnvironmentNamesTheServer) {
  std::string address;
  {
    ScriptedServer server;
    address = server.address();
    EXPECT_EQ(RunCommand({"health"}, -1, false, false, address).status, 0);
  }
  const CommandRun run = RunCommand({"health"}, -1, false, false, address);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("UNAVAILABLE"));
}

// Every user of the machine can read command-line arguments in the process list.
TEST(Keys, NoFlagTakesAKeyItself) {
  const std::string help = RunCommand({"help", "translate"}).out;
  EXPECT_THAT(help, HasSubstr("--api-key-file FILE"));
  for (const char* flag : {"--api-key", "--token", "--authorization", "--bearer"}) {
    EXPECT_THAT(help, Not(HasSubstr(std::string(flag) + " "))) << flag;
    EXPECT_EQ(RunCommand({"translate", flag, "dgm_x"}).status, 2) << flag;
  }
}

TEST(Lists, ModelsAndLanguages) {
  ScriptedServer server;
  CommandRun run = RunCommand({"models", "--server", server.address()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("opus-de-en (default)\n  de-en\n"));
  // A pair with a hyphen in a code is written "zh-Hans > fr", since hyphens join other pairs. A
  // star stands for any source.
  EXPECT_THAT(run.out, HasSubstr("\nde-fr\n  de-fr, zh-Hans > fr, *-fr\n"));
  EXPECT_THAT(run.out, HasSubstr("decoder of 6 layers with 8 heads, profile ct2\n"
                                 "  glossaries: law, names\n"));
  EXPECT_THAT(run.out, HasSubstr("\n  note: a card is not used\n"));
  run = RunCommand({"models", "--json", "--server", server.address()});
  const auto model = nlohmann::json::parse(run.out)[0];
  EXPECT_EQ(model["name"], "opus-de-en");
  EXPECT_EQ(model["decoder_layers"], 6);
  EXPECT_EQ(model["decoder_heads"], 8);
  EXPECT_EQ(model["default_profile"], "ct2");
  EXPECT_EQ(model["glossaries"], (std::vector<std::string>{"law", "names"}));
  EXPECT_EQ(model["notes"], std::vector<std::string>{"a card is not used"});
  run = RunCommand({"languages", "--server", server.address()});
  EXPECT_EQ(run.out, "de\ten\n");
  run = RunCommand({"languages", "--server", server.address(), "--model", "x"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("NOT_FOUND: no model 'x'"));
}

TEST(Lists, AModelSaysWhatItIsAndWhatItHolds) {
  ScriptedServer server;
  CommandRun run = RunCommand({"models", "--server", server.address()});
  EXPECT_THAT(run.out, HasSubstr("\n  version 3, checksum 0123456789ab, cpu: 10 MiB of weights, 5 "
                                 "of at most 20 of K/V, 30 of workspaces\n"));
  EXPECT_THAT(run.out, HasSubstr("\n  pivot: opus-de-en, then opus-en-fr\n"));
  EXPECT_THAT(run.out, HasSubstr("\nopus-de-en (draining, version 2)\n"
                                 "opus-fr-de (failed to load: the daemon's log says why)\n"));
  run = RunCommand({"models", "--json", "--server", server.address()});
  const auto models = nlohmann::json::parse(run.out);
  EXPECT_EQ(models[0]["state"], "serving");
  EXPECT_EQ(models[0]["version"], 3);
  EXPECT_EQ(models[0]["checksum"], "0123456789abcdef");
  EXPECT_EQ(models[0]["memory"][0]["weights"], 10 << 20);
  EXPECT_EQ(models[0]["memory"][0]["kv_resident"], 5 << 20);
  EXPECT_EQ(models[1]["pivot"], (std::vector<std::string>{"opus-de-en", "opus-en-fr"}));
  EXPECT_EQ(models[2]["state"], "draining");
}

TEST(Admin, AsksTheDaemonAndPrintsWhatItDid) {
  ScriptedAdmin admin;
  const auto run = [&admin](Arguments arguments) {
    arguments.insert(arguments.begin(), "admin");
    arguments.insert(arguments.end(), {"--server", admin.address()});
    return RunCommand(arguments);
  };
  EXPECT_EQ(run({"load", "a", "/m/a", "--set", "max-rows=8", "--set=device=cpu"}).out,
            "loaded a version 1 c0ffee\n");
  EXPECT_EQ(admin.last(), "load a /m/a device=cpu max-rows=8");
  const CommandRun loaded = run({"load", "a"});
  EXPECT_EQ(loaded.status, 0);
  // A user who has changed one process is told so, and how long the change lasts.
  EXPECT_THAT(loaded.err, HasSubstr("this holds until the daemon ends"));
  EXPECT_EQ(admin.last(), "load a ");
  EXPECT_EQ(run({"reload", "a"}).out, "reloaded a version 2 c0ffee\n");
  EXPECT_EQ(run({"reload", "a"}).err, "");
  EXPECT_EQ(run({"reload", "a", "--if-changed"}).out, "unchanged a version 2 c0ffee\n");
  const CommandRun all = run({"reload", "--all"});
  EXPECT_EQ(all.status, 1);  // because one failed
  EXPECT_EQ(all.out,
            "reloaded a version 3\n"
            "unloaded b\n"
            "failed c version 1: /m/c: no such directory\n");
  EXPECT_THAT(all.err, HasSubstr("settings that take effect at the next start: listen, page\n"));
  EXPECT_EQ(run({"unload", "a"}).out, "unloaded a, 3 calls go on\n");
  EXPECT_EQ(run({"drain", "--limit", "1.5"}).out, "drained, 4 calls cut off\n");
  EXPECT_EQ(admin.last(), "drain 1500000000");
  EXPECT_EQ(run({"drain"}).status, 0);
  EXPECT_EQ(admin.last(), "drain");
  EXPECT_EQ(run({"log-level", "debug"}).out, "log level debug, before info\n");
  EXPECT_EQ(run({"list"}).out,
            "MODEL       VERSION  STATE\n"
            "opus-de-en  12       serving\n"
            "a           -        loading\n");
  const CommandRun failed = run({"unload", "x"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.err, "dragoman admin: NOT_FOUND: no x\n");
}

TEST(Admin, RefusesWhatItDoesNotUnderstand) {
  for (const Arguments& arguments :
       std::vector<Arguments>{{"admin"},
                              {"admin", "eject", "a"},
                              {"admin", "load"},
                              {"admin", "unload", "a", "b"},
                              {"admin", "reload"},
                              {"admin", "reload", "a", "--all"},
                              {"admin", "reload", "--all", "--if-changed"},
                              {"admin", "load", "a", "--all"},
                              {"admin", "unload", "a", "--if-changed"},
                              {"admin", "reload", "a", "--set", "x=1"},
                              {"admin", "load", "a", "--limit", "1"},
                              {"admin", "load", "a", "--set", "x"},
                              {"admin", "drain", "--limit", "-1"}}) {
    EXPECT_EQ(RunCommand(arguments).status, 2) << arguments.back();
  }
  for (const std::string server : {"", "127.0.0.1:1,127.0.0.1:2"}) {
    const CommandRun run = RunCommand({"admin", "list", "--server", server});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("--server: found '" + server + "', expected one address"));
  }
  EXPECT_THAT(RunCommand({"admin", "--help"}).out, HasSubstr("dragoman admin unload NAME"));
  EXPECT_THAT(RunCommand({"admin", "--help"}).out, HasSubstr("change holds until the daemon ends"));
}

TEST(Main, HelpForProgramsHasTheFlagsThatHelpForPeopleHas) {
  const auto help = nlohmann::json::parse(RunCommand({"help", "--json"}).out);
  EXPECT_EQ(help["program"], "dragoman");
  std::vector<std::string> names;
  for (const auto& command : help["commands"]) {
    const std::string name = command["name"];
    names.push_back(name);
    if (name == "fetch") continue;  // client/fetch/fetch.py prints its help
    const std::string text = RunCommand({"help", name}).out;
    EXPECT_THAT(text, HasSubstr("Usage: dragoman " + command["usage"].get<std::string>() + "\n"));
    EXPECT_THAT(text, HasSubstr(command["about"].get<std::string>()));
    size_t flags = 0;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      flags += absl::StartsWith(line, "  --");
    }
    EXPECT_EQ(command["flags"].size(), flags) << name;
    for (const auto& flag : command["flags"]) {
      const std::string value = flag["value"];
      EXPECT_THAT(text, HasSubstr("\n  --" + flag["name"].get<std::string>() +
                                  (value.empty() ? "" : " " + value)));
      EXPECT_NE(flag["help"], "") << flag["name"];
    }
    EXPECT_EQ(command["words"].empty(), name != "admin") << name;
  }
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"translate", "load", "admin", "health", "key", "fetch"}));
}

TEST(Main, VersionHelpAndUnknownCommands) {
  EXPECT_THAT(RunCommand({"--version"}).out, ::testing::StartsWith("dragoman "));
  EXPECT_EQ(RunCommand({"help"}).status, 0);
  EXPECT_THAT(RunCommand({"help", "load"}).out, HasSubstr("--rate R"));
  EXPECT_THAT(RunCommand({"translate", "--help"}).out, HasSubstr("--num-alternatives N"));
  EXPECT_EQ(RunCommand({}).status, 2);
  EXPECT_EQ(RunCommand({"tranlsate"}).status, 2);
  EXPECT_EQ(RunCommand({"help", "tranlsate"}).status, 2);
}

TEST(KeyCommand, PrintsTheKeyItsEntryAndAFile) {
  const std::vector<std::string> lines =
      absl::StrSplit(RunCommand({"key", "web", "--model", "de-en"}).out, '\n');
  ASSERT_EQ(lines.size(), 4U);  // the last one is empty
  const auto entry = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(entry["keys"][0], HashOfApiKey(lines[0]));
  EXPECT_EQ(nlohmann::json::parse(lines[2]),
            (nlohmann::json{{"clients", nlohmann::json::array({entry})}}));
}

TEST(FetchCommand, NamesTheProgramThatIsMissing) {
  const CommandRun run = RunCommand({"fetch", "en-pt"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("found no "));
  EXPECT_THAT(run.err, HasSubstr("/lib/dragoman/fetch/fetch.py"));
}

ScriptedReply WithTokens(const v1::TranslateRequest& request) {
  ScriptedReply reply;
  reply.response = Bracketed(request);
  if (!request.return_options().tokens()) return reply;
  for (auto& translation : *reply.response.mutable_translations()) {
    for (int i = 0; i < 3; ++i) translation.mutable_tokens()->add_source(std::string(1, 's'));
    for (int i = 0; i < 4; ++i) translation.mutable_tokens()->add_target(std::string(1, 't'));
  }
  return reply;
}

TEST(LoadCommand, CountsAddUp) {
  std::atomic<int> calls{0};
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    if (++calls % 5 == 0) {
      ScriptedReply reply;
      reply.code = absl::StatusCode::kResourceExhausted;
      reply.pushback = "1";
      return reply;
    }
    return WithTokens(request);
  });
  const TemporaryFile input("eins\n\nzwei\ndrei\n");
  const CommandRun run =
      RunCommand({"load", "--server", server.address(), "--input", input.path(), "--concurrency",
                  "4", "--requests", "50", "--json", "--max-failed", "10"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["sent"], 50);
  EXPECT_EQ(report["answered"], 50);
  EXPECT_EQ(report["refused"], 10);
  EXPECT_EQ(report["refused_with_hint"], 10);
  EXPECT_EQ(report["accepted"], 40);
  EXPECT_EQ(report["ok"], 40);
  EXPECT_EQ(report["failed"], 10);
  EXPECT_EQ(report["errors"]["RESOURCE_EXHAUSTED"], 10);
  EXPECT_EQ(report["sentences"], 40);
  EXPECT_EQ(report["source_tokens"], 120);
  EXPECT_EQ(report["target_tokens"], 160);
  EXPECT_EQ(report["latency_ms"]["count"], 40);
  EXPECT_GT(report["sentences_per_second"], 0);
  EXPECT_EQ(server.calls(), 50);
}

TEST(LoadCommand, OpenLoopDoesNotWaitForAnswers) {
  engine::Mutex mu;
  engine::CondVar changed;
  int arrived = 0;
  // The server answers only when all 20 requests have arrived. A closed loop would wait forever.
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    engine::MutexLock lock(&mu);
    ++arrived;
    changed.NotifyAll();
    while (arrived < 20) changed.Wait(&mu);
    return WithTokens(request);
  });
  const TemporaryFile input("eins\nzwei\n");
  const CommandRun run =
      RunCommand({"load", "--server", server.address(), "--input", input.path(), "--rate", "200",
                  "--arrivals", "constant", "--requests", "20", "--count-tokens=false", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["ok"], 20);
  EXPECT_FALSE(report.contains("source_tokens"));
  // The first request was due 19 gaps of 5 ms before the last.
  EXPECT_GE(report["latency_ms"]["max"], 95);
}

TEST(LoadCommand, StreamsAndBatches) {
  ScriptedServer server(
      nullptr, [](const v1::TranslateRequest& request, const ScriptedServer::Write& write) {
        EXPECT_TRUE(request.return_options().partials());
        const auto whole = WithTokens(request).response;
        for (int item = 0; item < request.contents_size(); ++item) {
          v1::StreamTranslateResponse message;
          message.set_item(item);
          write(message);
          *message.mutable_translation() = whole.translations(item);
          if (request.contents(item) == "bad")
            message.mutable_translation()->mutable_error()->set_code(13);
          write(message);
        }
        return ScriptedReply();
      });
  const TemporaryFile input("ä\nb\nbad\n");
  const CommandRun run =
      RunCommand({"load", "--server", server.address(), "--input", input.path(), "--concurrency",
                  "2", "--requests", "10", "--batch", "3", "--stream", "--json"});
  // A call with a failed text is OK for gRPC, but it counts as failed in the exit status.
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("10 of 10 requests failed, expected at most 0 (--max-failed)"));
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["sentences"], 20);
  EXPECT_EQ(report["characters"], 20);
  EXPECT_EQ(report["item_errors"]["INTERNAL"], 10);
  EXPECT_EQ(report["target_tokens"], 80);
  EXPECT_EQ(report["first_message_ms"]["count"], 10);
}

TEST(LoadCommand, SendsWhatTheFlagsSay) {
  ScriptedServer server(
      [](const v1::TranslateRequest& request) {
        EXPECT_EQ(request.decoding().required_phrases_size(), 1);
        return WithTokens(request);
      },
      [](const v1::TranslateRequest& request, const ScriptedServer::Write& write) {
        // The real server would refuse partials here.
        EXPECT_FALSE(request.return_options().partials());
        v1::StreamTranslateResponse message;
        *message.mutable_translation() = WithTokens(request).response.translations(0);
        write(message);
        return ScriptedReply();
      });
  const auto load = [&server](const Arguments& flags) {
    const TemporaryFile input("a\n");
    Arguments arguments = {"load",          "--server", server.address(), "--input", input.path(),
                           "--concurrency", "1",        "--requests",     "2"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunCommand(arguments);
  };
  EXPECT_EQ(load({"--require", "Haus"}).status, 0);
  EXPECT_EQ(load({"--stream", "--html"}).status, 0);
  EXPECT_EQ(load({"--stream", "--sample"}).status, 0);
  EXPECT_EQ(server.calls(), 6);
  const CommandRun wrong = load({"--top-k", "3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("dragoman load: --sampling-top-k (--top-k) needs --sampling"));
}

// The texts and beams that a server received from one caller, in order.
struct Sent {
  std::vector<std::string> texts;
  std::vector<int> beams;  // 0: not set
};

Sent SentBy(const std::string& lines, const Arguments& flags) {
  engine::Mutex mu;
  Sent sent;
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    engine::MutexLock lock(&mu);
    sent.texts.insert(sent.texts.end(), request.contents().begin(), request.contents().end());
    sent.beams.push_back(request.decoding().has_beam_size() ? request.decoding().beam_size() : 0);
    return WithTokens(request);
  });
  const TemporaryFile input(lines);
  Arguments arguments = {"load",          "--server", server.address(), "--input", input.path(),
                         "--concurrency", "1",        "--json"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const CommandRun run = RunCommand(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  return sent;
}

TEST(LoadCommand, BeamsTakeTurns) {
  const Sent sent =
      SentBy("a\nb\nc\nd\n", {"--requests", "6", "--beams", "1,4,8", "--length-penalty", "1"});
  // The input makes four requests. The fifth call sends the first request again.
  EXPECT_EQ(sent.beams, (std::vector<int>{1, 4, 8, 1, 1, 4}));
  EXPECT_EQ(sent.texts, (std::vector<std::string>{"a", "b", "c", "d", "a", "b"}));
  EXPECT_EQ(SentBy("a\nb\n", {"--requests", "2"}).beams, (std::vector<int>{0, 0}));
}

TEST(LoadCommand, JoinsLinesToTextsOfLengthsThatTheSeedDraws) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += std::to_string(i) + "\n";
  const auto texts = [&lines](const Arguments& more) {
    Arguments flags = {"--join-lines", "3"};
    flags.insert(flags.end(), more.begin(), more.end());
    return SentBy(lines, flags).texts;
  };
  const std::vector<std::string> first = texts({"--requests", "100"});
  // No line is lost or repeated, and every length occurs about equally often.
  std::vector<int> of_length(4);
  int next = 0;
  for (const std::string& text : first) {
    const std::vector<std::string> parts = absl::StrSplit(text, ' ');
    ASSERT_LE(parts.size(), 3U);
    ++of_length[parts.size()];
    for (const std::string& part : parts) EXPECT_EQ(part, std::to_string(next++));
  }
  for (int length = 1; length <= 3; ++length) EXPECT_GT(of_length[length], 20) << length;
  EXPECT_EQ(texts({"--requests", "100"}), first);
  EXPECT_NE(texts({"--requests", "100", "--seed", "2"}), first);
  EXPECT_EQ(texts({"--requests", "50", "--batch", "2"}), first);
}

TEST(LoadCommand, SaysWhatWasMixed) {
  ScriptedServer server(WithTokens);
  const TemporaryFile input("a\nb\n");
  const CommandRun run =
      RunCommand({"load", "--server", server.address(), "--input", input.path(), "--concurrency",
                  "2", "--requests", "4", "--beams", "2,5", "--join-lines", "2", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["beams"], (std::vector<int>{2, 5}));
  EXPECT_EQ(report["join_lines"], 2);
  EXPECT_EQ(report["target_tokens"], 16);
}

TEST(LoadCommand, FailsWhenNothingIsAnswered) {
  ScriptedServer server([](const v1::TranslateRequest&) {
    ScriptedReply reply;
    reply.code = absl::StatusCode::kNotFound;
    return reply;
  });
  const TemporaryFile input("a\n");
  const CommandRun run = RunCommand({"load", "--server", server.address(), "--input", input.path(),
                                     "--concurrency", "1", "--requests", "3"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("NOT_FOUND 3"));
}

TEST(LoadCommand, TheExitStatusSaysWhetherMoreFailedThanMay) {
  const TemporaryFile input("a\n");
  const auto run = [&input](const Arguments& flags) {
    std::atomic<int> calls{0};
    ScriptedServer server([&](const v1::TranslateRequest& request) {
      ScriptedReply reply = WithTokens(request);
      if (++calls % 4 == 0) reply.code = absl::StatusCode::kInternal;
      return reply;
    });
    Arguments arguments = {"load",          "--server", server.address(), "--input", input.path(),
                           "--concurrency", "1",        "--requests",     "20"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunCommand(arguments);
  };
  const CommandRun none = run({});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("failed 5,"));
  EXPECT_THAT(none.err, HasSubstr("5 of 20 requests failed, expected at most 0 (--max-failed)"));
  EXPECT_EQ(run({"--max-failed", "4"}).status, 1);
  EXPECT_EQ(run({"--max-failed", "5"}).status, 0);
  EXPECT_EQ(run({"--max-failed", "24.9%"}).status, 1);
  EXPECT_EQ(run({"--max-failed", "25%"}).status, 0);
  for (const char* wrong : {"-1", "many", "1.5", "101%", "%", "nan%"}) {
    const CommandRun refused = run({"--max-failed", wrong});
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("expected a number of calls, or a share from 0% to 100%"));
  }
}

TEST(LoadCommand, RefusesContradictions) {
  const TemporaryFile input("a\n");
  const auto status = [&](const Arguments& flags) {
    Arguments arguments = {"load"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunCommand(arguments).status;
  };
  EXPECT_EQ(status({"--rate", "1", "--duration", "1"}), 2);
  EXPECT_EQ(status({"--input", input.path(), "--duration", "1"}), 2);
  EXPECT_EQ(
      status({"--input", input.path(), "--rate", "1", "--concurrency", "1", "--duration", "1"}), 2);
  EXPECT_EQ(status({"--input", input.path(), "--rate", "1"}), 2);
  EXPECT_EQ(status({"--input", input.path(), "--concurrency", "1", "--duration", "1", "--arrivals",
                    "constant"}),
            2);
  EXPECT_EQ(status({"--input", input.path(), "--concurrency", "1", "--duration", "1", "--beam", "4",
                    "--beams", "1,4"}),
            2);
  for (const char* beams : {"0", "4,", "1,x"}) {
    EXPECT_EQ(status({"--input", input.path(), "--concurrency", "1", "--duration", "1", "--beams",
                      beams}),
              2);
  }
  EXPECT_EQ(status({"--input", input.path(), "--concurrency", "1", "--duration", "1",
                    "--join-lines", "0"}),
            2);
  EXPECT_EQ(status({"--input", "no/such/file", "--concurrency", "1", "--duration", "1"}), 1);
}

}  // namespace
}  // namespace dragoman::client
