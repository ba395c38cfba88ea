// Keeps jobs: documents to translate, and their translations (dragoman.v1.Job).
//
// A directory has the jobs in a database (SQLite), and each job's files: ID.in, the document;
// ID.part, the translations so far; ID.out, the translated document; ID.try, a byte for each start
// since the last translation was kept. If the process is killed at
// any time, a later one finds every job as it was accepted, with the translations that were written.
// A job has an owner, the client of its API key or "", and only its owner sees it. Without keys the
// id is the secret: it has 128 random bits.
//
// Thread-safe. Functions wait for the disk, unless they say that they do not. No lock is held during
// a call of a hook.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

struct JobLimits {
  std::string dir;                    // exists
  bool is_temporary = false;          // the directory is removed with the store
  int64_t max_bytes = 0;              // of all files; a job counts three times its document
  int64_t max_job_bytes = 0;          // of a document
  size_t max_jobs_per_owner = 1'000;  // that are kept; all jobs without keys have one owner
  int64_t keep_seconds = 0;           // after the creation
};

inline constexpr size_t kMaxAppendBytes = 1 << 20;
inline constexpr size_t kMaxReadBytes = 256 << 10;

class JobStore {
 public:
  // The facts about a job that the runner needs.
  struct Work {
    std::string id;
    std::string owner;
    v1::CreateJobRequest request;
  };

  // Opens the directory, or makes a database in it. Jobs that were running wait again. `unix_now`
  // returns seconds since 1970. Returns an error that names the directory if it cannot be used, for
  // example because another process has it.
  static absl::StatusOr<std::unique_ptr<JobStore>> Open(JobLimits limits,
                                                        std::function<int64_t()> unix_now);
  ~JobStore();

  const JobLimits& limits() const { return limits_; }

  // Called whenever a job begins to wait. Set it before other threads use the store.
  void OnWaiting(std::function<void()> hook) { on_waiting_ = std::move(hook); }

  // The methods of TranslationService, whose errors they return. Create expects a checked request.
  // Get and List do not wait for the disk.
  absl::StatusOr<v1::Job> Create(const std::string& owner, v1::CreateJobRequest request);
  absl::StatusOr<v1::Job> Append(const std::string& owner, const std::string& id, int64_t offset,
                                 std::string_view data);
  absl::StatusOr<v1::Job> Get(const std::string& owner, const std::string& id) const;
  std::vector<v1::Job> List(const std::string& owner) const;
  absl::StatusOr<std::string> Read(const std::string& owner, const std::string& id,
                                   int64_t offset) const;
  absl::Status Delete(const std::string& owner, const std::string& id);

  // The following functions are for the runner. Those that take an id return NOT_FOUND if the job
  // was deleted, and RESOURCE_EXHAUSTED if the disk is full: the caller may try again.

  // Returns the oldest waiting job whose document has at most `max_size` bytes and whose id is not in
  // `excluded`. It is running then. Prefers the owner who has the fewest running jobs. Fails a job
  // that was running at the end of five processes and had no new translation in any of them.
  std::optional<Work> Take(int64_t max_size, const std::set<std::string>& excluded = {});
  // The job waits again. Its last start does not count.
  void Release(const std::string& id);
  absl::StatusOr<std::string> Document(const std::string& id) const;
  // Returns the translations that were appended before; nullopt for a text that has none.
  absl::StatusOr<std::vector<std::optional<std::string>>> Parts(const std::string& id);
  // Adds the translations of the next texts.
  absl::Status AppendParts(const std::string& id,
                           std::span<const std::optional<std::string>> translations);
  // Sets the job's numbers, which clients see. Does not wait for the disk.
  absl::Status SetProgress(const std::string& id, int64_t texts, int64_t translated,
                           int64_t failed_texts, int64_t code_points);
  absl::Status Finish(const std::string& id, std::string_view document);
  absl::Status Fail(const std::string& id, const absl::Status& error);

  // Deletes the jobs whose time is over.
  void DeleteExpired();

 private:
  struct Entry {
    Work work;
    v1::Job job;       // guarded by JobStore::mu_
    engine::Mutex io;  // held while the job's files are written; taken before mu_
  };
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };

  JobStore(JobLimits limits, std::function<int64_t()> unix_now);

  absl::Status OpenDatabase();
  absl::Status LoadJobs();
  absl::Status Execute(const char* sql);
  // Writes the job's row.
  absl::Status Save(const Entry& entry, const v1::Job& job);
  std::string PathOf(const std::string& id, std::string_view extension) const;
  void RemoveFiles(const std::string& id) const;
  // Returns the job, or NOT_FOUND. Find looks for one that `owner` may see.
  absl::StatusOr<std::shared_ptr<Entry>> Find(const std::string& owner,
                                              const std::string& id) const;
  absl::StatusOr<std::shared_ptr<Entry>> FindAny(const std::string& id) const;
  // Returns the job that runs next, or nullptr.
  std::shared_ptr<Entry> BestWaiting(int64_t max_size, const std::set<std::string>& excluded) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Counts a start of the job. Returns false if the job has failed because it had too many.
  bool CountStart(const std::string& id);
  absl::Status Remove(const std::shared_ptr<Entry>& entry);
  // Sets the state, and the time of the end if it is one.
  absl::Status SetState(const std::shared_ptr<Entry>& entry, v1::Job job);
  v1::Job JobOf(const Entry& entry) const;

  const JobLimits limits_;
  const std::function<int64_t()> unix_now_;
  std::function<void()> on_waiting_;

  engine::Mutex database_mu_;
  std::unique_ptr<sqlite3, CloseDatabase> database_ ABSL_GUARDED_BY(database_mu_);

  mutable engine::Mutex mu_;
  // The jobs by their ids. Entries are shared with functions that use them without the lock.
  std::map<std::string, std::shared_ptr<Entry>> jobs_ ABSL_GUARDED_BY(mu_);
  int64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;  // three times all documents
};

}  // namespace dragoman::server
