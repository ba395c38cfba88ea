#include "server/call/jobs/job_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Parts = std::vector<std::optional<std::string>>;

class JobStoreTest : public ::testing::Test {
 protected:
  JobStoreTest() { EXPECT_TRUE(Open().ok()); }

  // Opens the store as the next process does. Returns its error.
  absl::Status Open() {
    store_.reset();
    JobLimits limits;
    limits.dir = folder_.path();
    limits.max_bytes = 600;
    limits.max_job_bytes = 100;
    limits.max_jobs_per_owner = 3;
    limits.keep_seconds = 60;
    auto opened = JobStore::Open(limits, [this] { return now_; });
    if (opened.ok()) store_ = *std::move(opened);
    return opened.status();
  }

  v1::Job Create(const std::string& owner = "web", int64_t size = 10) {
    v1::CreateJobRequest request;
    request.set_name("a.txt");
    request.set_format("txt");
    request.set_size(size);
    const absl::StatusOr<v1::Job> job = store_->Create(owner, request);
    EXPECT_TRUE(job.ok()) << job.status();
    return job.ok() ? *job : v1::Job();
  }

  // Creates a job that waits.
  std::string Waiting(const std::string& owner = "web") {
    const std::string id = Create(owner).id();
    EXPECT_TRUE(store_->Append(owner, id, 0, "0123456789").ok());
    return id;
  }

  v1::Job::State StateOf(const std::string& id) const {
    const absl::StatusOr<v1::Job> job = store_->Get("web", id);
    return job.ok() ? job->state() : v1::Job::STATE_UNSPECIFIED;
  }

  const TempDirectory folder_;
  int64_t now_ = 1000;
  std::unique_ptr<JobStore> store_;
};

TEST_F(JobStoreTest, ADocumentArrivesInPieces) {
  int waiting = 0;
  store_->OnWaiting([&] { ++waiting; });
  const v1::Job job = Create();
  EXPECT_EQ(job.state(), v1::Job::RECEIVING);
  EXPECT_EQ(job.expires_at().seconds(), 1060);
  EXPECT_EQ(store_->Append("web", job.id(), 0, "0123")->received(), 4);
  // A repeated call changes nothing; a gap is refused.
  EXPECT_EQ(store_->Append("web", job.id(), 0, "0123")->received(), 4);
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Append("web", job.id(), 5, "5").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->Append("web", job.id(), 4, "4567890").status()));
  EXPECT_EQ(waiting, 0);
  EXPECT_EQ(store_->Append("web", job.id(), 4, "456789")->state(), v1::Job::WAITING);
  EXPECT_EQ(waiting, 1);
  EXPECT_EQ(*store_->Document(job.id()), "0123456789");
}

TEST_F(JobStoreTest, OnlyTheOwnerSeesAJob) {
  const std::string id = Waiting();
  for (const char* other : {"", "other"}) {
    EXPECT_TRUE(absl::IsNotFound(store_->Get(other, id).status()));
    EXPECT_TRUE(absl::IsNotFound(store_->Append(other, id, 0, "x").status()));
    EXPECT_TRUE(absl::IsNotFound(store_->Read(other, id, 0).status()));
    EXPECT_TRUE(absl::IsNotFound(store_->Delete(other, id)));
    EXPECT_THAT(store_->List(other), IsEmpty());
  }
  EXPECT_EQ(store_->List("web").size(), 1);
  // Without keys, no client can list jobs.
  Waiting("");
  EXPECT_THAT(store_->List(""), IsEmpty());
}

TEST_F(JobStoreTest, IdsAreLongAndDifferent) {
  const std::string id = Create().id();
  EXPECT_EQ(id.size(), 32);
  EXPECT_NE(id, Create().id());
}

TEST_F(JobStoreTest, AJobRunsAndItsResultIsRead) {
  const std::string id = Waiting();
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Read("web", id, 0).status()));
  const std::optional<JobStore::Work> work = store_->Take(100);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->id, id);
  EXPECT_EQ(work->request.format(), "txt");
  EXPECT_FALSE(store_->Take(100).has_value());
  EXPECT_EQ(StateOf(id), v1::Job::RUNNING);
  EXPECT_TRUE(store_->SetProgress(id, 4, 2, 1, 5).ok());
  EXPECT_EQ(store_->Get("web", id)->translated(), 2);
  const std::string result = std::string(kMaxReadBytes, 'a') + "bc";
  EXPECT_TRUE(store_->Finish(id, result).ok());
  EXPECT_EQ(StateOf(id), v1::Job::DONE);
  EXPECT_EQ(store_->Get("web", id)->result_size(), static_cast<int64_t>(result.size()));
  EXPECT_EQ(store_->Read("web", id, 0)->size(), kMaxReadBytes);
  EXPECT_EQ(*store_->Read("web", id, kMaxReadBytes), "bc");
  EXPECT_EQ(*store_->Read("web", id, static_cast<int64_t>(result.size())), "");
  EXPECT_TRUE(absl::IsInvalidArgument(store_->Read("web", id, 1 << 30).status()));
}

TEST_F(JobStoreTest, ARestartKeepsEverythingThatWasAccepted) {
  const std::string running = Waiting();
  store_->Take(100);
  const Parts parts = {"one", std::nullopt, ""};
  EXPECT_TRUE(store_->AppendParts(running, parts).ok());
  const std::string receiving = Create().id();
  EXPECT_TRUE(store_->Append("web", receiving, 0, "0123").ok());
  const std::string failed = Waiting();
  EXPECT_TRUE(store_->Fail(failed, absl::InvalidArgumentError("why")).ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(StateOf(running), v1::Job::WAITING);
  EXPECT_EQ(*store_->Parts(running), parts);
  EXPECT_EQ(store_->Get("web", receiving)->received(), 4);
  EXPECT_EQ(StateOf(failed), v1::Job::FAILED);
  EXPECT_EQ(store_->Get("web", failed)->error().message(), "why");
}

TEST_F(JobStoreTest, AnIncompleteRecordIsLost) {
  const std::string id = Waiting();
  EXPECT_TRUE(store_->AppendParts(id, Parts{"one"}).ok());
  const std::string path = folder_.path() + "/" + id + ".part";
  std::ofstream(path, std::ios::app | std::ios::binary) << std::string("\x05\0\0\0ab", 6);
  EXPECT_THAT(*store_->Parts(id), ElementsAre("one"));
  EXPECT_TRUE(store_->AppendParts(id, Parts{"two"}).ok());
  EXPECT_THAT(*store_->Parts(id), ElementsAre("one", "two"));
}

TEST_F(JobStoreTest, FilesWithoutAJobAreRemoved) {
  const std::string path = folder_.path() + "/0123.in";
  const std::string other = folder_.path() + "/notes.txt";
  std::ofstream(path) << "x";
  std::ofstream(other) << "x";
  ASSERT_TRUE(Open().ok());
  struct stat info {};
  EXPECT_NE(stat(path.c_str(), &info), 0);
  EXPECT_EQ(stat(other.c_str(), &info), 0);
}

TEST_F(JobStoreTest, OthersCannotReadTheFiles) {
  const std::string id = Waiting();
  struct stat info {};
  for (const std::string& name : {std::string("jobs.sqlite"), id + ".in"}) {
    ASSERT_EQ(stat((folder_.path() + "/" + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777, 0600U) << name;
  }
}

TEST_F(JobStoreTest, ASecondProcessIsRefused) {
  JobLimits limits;
  limits.dir = folder_.path();
  const auto second = JobStore::Open(limits, [] { return 0; });
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("another daemon may use"));
}

TEST_F(JobStoreTest, JobsAndBytesAreLimited) {
  for (int i = 0; i < 3; ++i) Create("many", 1);
  v1::CreateJobRequest request;
  request.set_size(1);
  EXPECT_THAT(std::string(store_->Create("many", request).status().message()),
              HasSubstr("the server keeps 3 of this client"));
  Create("a", 100);
  request.set_size(98);
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Create("b", request).status()));
  request.set_size(97);
  EXPECT_TRUE(store_->Create("b", request).ok());
}

TEST_F(JobStoreTest, DeletedAndExpiredJobsLeaveNothing) {
  const std::string deleted = Waiting();
  const std::string expired = Waiting();
  EXPECT_TRUE(store_->Delete("web", deleted).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->Delete("web", deleted)));
  EXPECT_TRUE(absl::IsNotFound(store_->AppendParts(deleted, Parts{"x"})));
  EXPECT_TRUE(absl::IsNotFound(store_->Finish(deleted, "x")));
  now_ += 59;
  store_->DeleteExpired();
  EXPECT_EQ(StateOf(expired), v1::Job::WAITING);
  now_ += 1;
  store_->DeleteExpired();
  EXPECT_TRUE(absl::IsNotFound(store_->Get("web", expired).status()));
  for (const std::string& id : {deleted, expired}) {
    struct stat info {};
    EXPECT_NE(stat((folder_.path() + "/" + id + ".in").c_str(), &info), 0);
  }
  ASSERT_TRUE(Open().ok());
  EXPECT_THAT(store_->List("web"), IsEmpty());
}

TEST_F(JobStoreTest, OwnersTakeTurns) {
  const std::string first = Waiting("a");
  const std::string second = Waiting("a");
  now_ += 1;
  const std::string other = Waiting("b");
  store_->Take(100);
  EXPECT_EQ(store_->Take(100)->id, other);
  EXPECT_FALSE(store_->Take(5).has_value());  // the document is too large
  EXPECT_TRUE(store_->Take(100).has_value());
}

TEST_F(JobStoreTest, AJobThatEndsProcessesFails) {
  const std::string id = Waiting();
  const auto end_processes = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(store_->Take(100).has_value()) << i;
      ASSERT_TRUE(Open().ok());
    }
  };
  end_processes(4);
  // A new translation resets the count. A job that is released has its last start taken back.
  ASSERT_TRUE(store_->Take(100).has_value());
  ASSERT_TRUE(store_->AppendParts(id, Parts{"a"}).ok());
  ASSERT_TRUE(Open().ok());
  end_processes(4);
  ASSERT_TRUE(store_->Take(100).has_value());
  store_->Release(id);
  end_processes(1);
  now_ += 1;
  const std::string next = Waiting();
  EXPECT_EQ(store_->Take(100)->id, next);
  EXPECT_EQ(StateOf(id), v1::Job::FAILED);
  EXPECT_THAT(store_->Get("web", id)->error().message(), HasSubstr("ended 5 times"));
}

}  // namespace
}  // namespace dragoman::server
