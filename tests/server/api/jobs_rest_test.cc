// Jobs over REST, run by the runner with a scripted engine, which puts texts in brackets.
#include "server/api/jobs_rest.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/call/jobs/job_runner.h"
#include "server/call/jobs/job_store.h"
#include "server/compat/deepl.h"
#include "server/compat/libretranslate.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class JobsRestTest : public AdapterFixture {
 protected:
  JobsRestTest() {
    Serve();
    JobLimits limits;
    limits.dir = folder_.path();
    limits.max_bytes = 1 << 20;
    limits.max_job_bytes = 1000;
    limits.keep_seconds = 60;
    auto opened = JobStore::Open(limits, [] { return 1000; });
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    context_.jobs = store_.get();
    adapter_ = MakeJobsAdapter({.calls = &context_});
    std::vector<AdapterRoute> routes = JobsRoutes();
    for (AdapterRoute& route : routes) route.adapter = adapter_.get();
    const auto add = [&](const Adapter* adapter, std::vector<AdapterRoute> others) {
      for (AdapterRoute& route : others) {
        route.adapter = adapter;
        routes.push_back(route);
      }
    };
    add(&deepl_, DeeplAdapter::Routes());
    add(&libre_translate_, LibreTranslateAdapter::Routes());
    handler_ = std::make_unique<AdapterHandler>(&context_, nullptr, std::move(routes));
    runner_ = std::make_unique<JobRunner>(store_.get(), &context_, nullptr, 2);
  }

  HttpResponse Ask(HttpRequest request) { return Send(handler_.get(), std::move(request))->Wait(); }

  HttpResponse Upload(const std::string& query, const std::string& document) {
    HttpRequest request = Post("/v1/jobs:upload", document, "application/octet-stream");
    request.query = query;
    return Ask(std::move(request));
  }

  // Waits until the job has ended, and returns it.
  Json Ended(const HttpResponse& created) {
    EXPECT_EQ(created.status, 200) << created.body;
    Json job = Json::parse(created.body);
    while (job["state"] != "DONE" && job["state"] != "FAILED") {
      std::this_thread::yield();
      job = Json::parse(Ask(Get("/v1/jobs/" + job["id"].get<std::string>())).body);
    }
    return job;
  }

  std::string ResultOf(const Json& job) {
    const HttpResponse answer = Ask(Get("/v1/jobs/" + job["id"].get<std::string>() + "/result"));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }

  const TempDirectory folder_;
  std::unique_ptr<JobStore> store_;
  std::unique_ptr<Adapter> adapter_;
  DeeplAdapter deepl_{{.calls = &context_}};
  LibreTranslateAdapter libre_translate_{{.calls = &context_}};
  std::unique_ptr<AdapterHandler> handler_;
  std::unique_ptr<JobRunner> runner_;
};

TEST_F(JobsRestTest, ADocumentIsUploadedTranslatedAndRead) {
  const Json job = Ended(Upload("name=a.json&target_language_code=en",
                                R"({"a": "Hallo", "b": ["Hallo", "1", "Welt"]})"));
  EXPECT_EQ(job["state"], "DONE");
  EXPECT_EQ(job["format"], "json");
  EXPECT_EQ(job["texts"], "4");
  EXPECT_EQ(job["translated"], "4");
  // Equal texts are one, and a text without letters is none.
  EXPECT_EQ(job["codePoints"], "9");
  EXPECT_EQ(ResultOf(job), R"({"a": "[Hallo]", "b": ["[Hallo]", "1", "[Welt]"]})");
  HttpRequest remove = Get("/v1/jobs/" + job["id"].get<std::string>());
  remove.method = "DELETE";
  EXPECT_EQ(Ask(remove).status, 200);
  EXPECT_EQ(Ask(remove).status, 404);
}

TEST_F(JobsRestTest, ADocumentComesInPieces) {
  const HttpResponse created = Ask(
      Post("/v1/jobs", R"({"request": {"targetLanguageCode": "en"}, "name": "a.txt", "size": 9})"));
  const std::string path = "/v1/jobs/" + Json::parse(created.body)["id"].get<std::string>();
  const auto put = [&](const std::string& offset, const std::string& bytes) {
    HttpRequest request = Post(path, bytes, "application/octet-stream");
    request.method = "PUT";
    request.query = "offset=" + offset;
    return Ask(std::move(request));
  };
  EXPECT_EQ(Json::parse(put("0", "Hallo").body)["received"], "5");
  EXPECT_EQ(put("6", "Du").status, 400);
  EXPECT_THAT(put("x", "Du").body, HasSubstr("offset: found 'x', expected a number"));
  EXPECT_EQ(ResultOf(Ended(put("5", "\nDu!"))), "[Hallo]\n[Du!]");
}

TEST_F(JobsRestTest, MistakesAreReportedBeforeTheDocument) {
  const auto error = [&](const std::string& body) {
    const HttpResponse answer = Ask(Post("/v1/jobs", body));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return answer.body;
  };
  EXPECT_THAT(error(R"({"name": "a.pdf", "size": 1})"), HasSubstr("expected one of csv, docx"));
  EXPECT_THAT(error(R"({"name": "a.txt"})"), HasSubstr("size: found 0, expected 1..1000 bytes"));
  EXPECT_THAT(error(R"({"name": "a.txt", "size": 1, "fields": ["a"]})"), HasSubstr("fields: "));
  EXPECT_THAT(error(R"({"name": "a.txt", "size": 1, "request": {"contents": ["a"]}})"),
              HasSubstr("request.contents"));
  EXPECT_THAT(error(R"({"name": "a.txt", "size": 1, "request": {"decoding": {"beamSize": 0}}})"),
              HasSubstr("decoding.beam_size"));
  EXPECT_EQ(
      Ask(Post("/v1/jobs", R"({"name": "a.txt", "size": 1, "request": {"model": "none"}})")).status,
      404);
  EXPECT_EQ(Ask(Post("/v1/jobs:upload", "a", "text/plain")).status, 400);
  EXPECT_EQ(Ask(Get("/v1/jobs/0123")).status, 404);
}

TEST_F(JobsRestTest, ABrokenDocumentFailsItsJob) {
  const Json job = Ended(Upload("name=a.docx", "no archive"));
  EXPECT_EQ(job["state"], "FAILED");
  EXPECT_EQ(job["error"]["message"], "not a zip archive");
  EXPECT_EQ(Ask(Get("/v1/jobs/" + job["id"].get<std::string>() + "/result")).status, 400);
}

TEST_F(JobsRestTest, ATextThatFailsStays) {
  engine_.FailItem(1, absl::InvalidArgumentError("too long"));
  const Json job = Ended(Upload("name=a.txt", "eins\nzwei\ndrei"));
  EXPECT_EQ(job["state"], "DONE");
  EXPECT_EQ(job["failedTexts"], "1");
  EXPECT_EQ(ResultOf(job), "[eins]\nzwei\n[drei]");
}

TEST_F(JobsRestTest, ADocumentFailsIfNoTextSucceeds) {
  engine_.FailItem(0, absl::InvalidArgumentError("always"));
  const Json job = Ended(Upload("name=a.txt", "eins"));
  EXPECT_EQ(job["state"], "FAILED");
  EXPECT_EQ(job["error"]["message"], "always");
}

TEST_F(JobsRestTest, AJobWaitsForAServerWithoutRoom) {
  engine::Admission refused;
  refused.status = absl::ResourceExhaustedError("full");
  refused.reason = engine::RejectReason::kQueueFull;
  refused.retry_after = 1;
  for (int i = 0; i < 3; ++i) engine_.RefuseNext(refused);
  EXPECT_EQ(ResultOf(Ended(Upload("name=a.txt", "eins"))), "[eins]");
}

TEST_F(JobsRestTest, AJobGoesOnWithTheNextRunner) {
  engine_.HoldJobs();
  const HttpResponse created = Upload("name=a.txt", "eins");
  const FakeEngine::Held held = engine_.WaitHeld();
  std::thread stop([&] { runner_.reset(); });
  engine_.Finish(held.id, absl::UnavailableError("the engine stops"));
  stop.join();
  EXPECT_EQ(store_->Get("", Json::parse(created.body)["id"])->state(), v1::Job::WAITING);
  runner_ = std::make_unique<JobRunner>(store_.get(), &context_, nullptr, 2);
  const FakeEngine::Held again = engine_.WaitHeld();
  engine_.Play(again, [](engine::TranslationSink* sink) {
    engine::ItemResult result;
    result.hypotheses.resize(1);
    result.hypotheses[0].text = "one";
    sink->OnItem(std::move(result));
  });
  engine_.Finish(again.id, absl::OkStatus());
  EXPECT_EQ(ResultOf(Ended(created)), "one");
}

// With two CPUs a job has 32 sentences in the engine, or 4 while others wait for translations.
TEST_F(JobsRestTest, AJobTakesLittleRoomBesideOthers) {
  std::string lines;
  for (int i = 0; i < 60; ++i) absl::StrAppend(&lines, "Zeile ", i, "\n");
  engine_.HoldJobs();
  std::vector<FakeEngine::Held> held;
  const auto take = [&](size_t calls, size_t texts) {
    for (size_t i = 0; i < calls; ++i) {
      held.push_back(engine_.WaitHeld());
      EXPECT_EQ(held.back().job.contents.size(), texts) << i;
    }
  };
  Upload("name=a.txt", lines);
  take(4, 8);
  EXPECT_EQ(engine_.submitted(), 4U);
  std::thread stop([&] { runner_.reset(); });
  for (const FakeEngine::Held& one : held) {
    engine_.Finish(one.id, absl::UnavailableError("the engine stops"));
  }
  stop.join();

  held.clear();
  tracker_.NoteForeground(clock_.Now());
  runner_ = std::make_unique<JobRunner>(store_.get(), &context_, nullptr, 2);
  take(4, 1);
  EXPECT_EQ(engine_.submitted(), 8U);
  std::thread end([&] { runner_.reset(); });
  for (const FakeEngine::Held& one : held) {
    engine_.Finish(one.id, absl::UnavailableError("the engine stops"));
  }
  end.join();
}

// A form with these fields and a file of this name.
std::string FormWith(const std::string& fields, const std::string& name, const std::string& file) {
  return fields + "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
         "\"\r\n\r\n" + file + "\r\n--x--\r\n";
}
std::string FieldOf(const std::string& name, const std::string& value) {
  return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}

TEST_F(JobsRestTest, DeeplDocumentsAreJobs) {
  const auto upload = [&](const std::string& form) {
    return Ask(Post("/v2/document", form, "multipart/form-data; boundary=x"));
  };
  const std::string languages = FieldOf("source_lang", "DE") + FieldOf("target_lang", "EN-US");
  const HttpResponse created = upload(FormWith(languages, "a.txt", "Hallo\nDu"));
  ASSERT_EQ(created.status, 200) << created.body;
  const Json document = Json::parse(created.body);
  const std::string path = "/v2/document/" + document["document_id"].get<std::string>();
  const std::string key = Json{{"document_key", document["document_key"]}}.dump();
  Json state;
  while (state["status"] != "done") state = Json::parse(Ask(Post(path, key)).body);
  EXPECT_EQ(state["billed_characters"], 7);
  EXPECT_EQ(ResultOf(Json{{"id", document["document_id"]}}), "[Hallo]\n[Du]");
  EXPECT_EQ(Ask(Post(path + "/result", key)).body, "[Hallo]\n[Du]");
  EXPECT_EQ(Ask(Post(path, R"({"document_key": "x"})")).status, 404);
  EXPECT_THAT(upload(languages + "--x--\r\n").body, HasSubstr("file: found none"));
  EXPECT_THAT(upload(FormWith(languages, "a.pdf", "x")).body, HasSubstr("expected one of csv"));
  EXPECT_THAT(upload(FormWith(languages + FieldOf("output_format", "pdf"), "a.txt", "x")).body,
              HasSubstr("output_format"));
}

TEST_F(JobsRestTest, LibreTranslateAnswersWhenTheFileIsTranslated) {
  HttpRequest request =
      Post("/translate_file",
           FormWith(FieldOf("source", "de") + FieldOf("target", "en"), "a.txt", "Hallo\nDu"),
           "multipart/form-data; boundary=x");
  request.headers.emplace_back("host", "example.org:5000");
  const auto exchange = Send(handler_.get(), std::move(request));
  // The answer looks at the job every tenth of a second.
  while (!exchange->answered()) Advance(1000);
  const std::string url = Json::parse(exchange->Wait().body)["translatedFileUrl"];
  const std::string host = "http://example.org:5000";
  ASSERT_TRUE(url.starts_with(host + "/download_file/")) << url;
  const HttpResponse file = Ask(Get(url.substr(host.size())));
  EXPECT_EQ(file.body, "[Hallo]\n[Du]");
  EXPECT_EQ(Ask(Get("/download_file/none.txt")).status, 400);
}

TEST_F(JobsRestTest, LibreTranslateDeletesAFileThatTakesTooLong) {
  engine_.HoldJobs();
  const auto exchange =
      Send(handler_.get(),
           Post("/translate_file",
                FormWith(FieldOf("source", "de") + FieldOf("target", "en"), "a.txt", "Hallo"),
                "multipart/form-data; boundary=x"));
  const FakeEngine::Held held = engine_.WaitHeld();
  Advance(120 * kNanosPerSecond);
  EXPECT_EQ(exchange->Wait().status, 504);
  engine_.Finish(held.id, absl::InvalidArgumentError("too late"));
}

}  // namespace
}  // namespace dragoman::server
