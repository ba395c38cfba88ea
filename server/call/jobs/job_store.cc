#include "server/call/jobs/job_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/call/call_id.h"
#include "server/call/jobs/job_disk.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

constexpr char kDatabase[] = "jobs.sqlite";
constexpr int64_t kFilesOfAJob = 3;  // the document, its translations, and the translated document
constexpr int64_t kMostStarts = 5;
constexpr uint32_t kNoTranslation = 0xFFFFFFFF;  // in ID.part, in place of a length

absl::Status NoJob(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("job: found ", Quoted(id), ", which is none of yours"));
}

bool HasEnded(const v1::Job& job) {
  return job.state() == v1::Job::DONE || job.state() == v1::Job::FAILED;
}

}  // namespace

JobStore::JobStore(JobLimits limits, std::function<int64_t()> unix_now)
    : limits_(std::move(limits)), unix_now_(std::move(unix_now)) {}

JobStore::~JobStore() {
  {
    engine::MutexLock lock(&database_mu_);
    database_.reset();
  }
  if (!limits_.is_temporary) return;
  engine::MutexLock lock(&mu_);
  for (const auto& [id, entry] : jobs_) RemoveFiles(id);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    unlink(absl::StrCat(limits_.dir, "/", kDatabase, suffix).c_str());
  }
  unlink(absl::StrCat(limits_.dir, "/lock").c_str());  // of server/process/job_directory.cc
  rmdir(limits_.dir.c_str());
}

absl::StatusOr<std::unique_ptr<JobStore>> JobStore::Open(JobLimits limits,
                                                         std::function<int64_t()> unix_now) {
  std::unique_ptr<JobStore> store(new JobStore(std::move(limits), std::move(unix_now)));
  if (absl::Status opened = store->OpenDatabase(); !opened.ok()) return opened;
  if (absl::Status loaded = store->LoadJobs(); !loaded.ok()) return loaded;
  return store;
}

absl::Status JobStore::OpenDatabase() {
  const std::string path = absl::StrCat(limits_.dir, "/", kDatabase);
  // SQLite would let others read the file, and gives its other files the mode of this one.
  if (!File(path, O_RDWR | O_CREAT).is_open()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  {
    engine::MutexLock lock(&database_mu_);
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(
        path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
        nullptr);
    database_.reset(opened);
    if (result != SQLITE_OK) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", opened == nullptr ? "no memory" : sqlite3_errmsg(opened)));
    }
  }
  // The exclusive lock keeps a second process out. Without it, both would run each job.
  for (const char* sql :
       {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
        "CREATE TABLE IF NOT EXISTS jobs (id BLOB PRIMARY KEY, owner BLOB, request BLOB, job BLOB) "
        "WITHOUT ROWID",
        "BEGIN EXCLUSIVE", "COMMIT"}) {
    if (absl::Status done = Execute(sql); !done.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::string(done.message()),
                                                     "; another daemon may use this directory"));
    }
  }
  return absl::OkStatus();
}

absl::Status JobStore::Execute(const char* sql) {
  engine::MutexLock lock(&database_mu_);
  char* message = nullptr;
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, &message) == SQLITE_OK) {
    return absl::OkStatus();
  }
  const std::string error = message == nullptr ? "failed" : message;
  sqlite3_free(message);
  return absl::InternalError(error);
}

absl::Status JobStore::LoadJobs() {
  std::vector<std::shared_ptr<Entry>> loaded;
  {
    engine::MutexLock lock(&database_mu_);
    Statement select(database_.get(), "SELECT id, owner, request, job FROM jobs");
    while (select.Step()) {
      auto entry = std::make_shared<Entry>();
      entry->work.id = select.Column(0);
      entry->work.owner = select.Column(1);
      if (!entry->work.request.ParseFromString(select.Column(2)) ||
          !entry->job.ParseFromString(select.Column(3))) {
        return absl::InternalError(absl::StrCat(limits_.dir, ": a job cannot be read"));
      }
      loaded.push_back(std::move(entry));
    }
  }
  std::set<std::string> known = {kDatabase, absl::StrCat(kDatabase, "-wal"),
                                 absl::StrCat(kDatabase, "-shm")};
  for (const std::shared_ptr<Entry>& entry : loaded) {
    v1::Job& job = entry->job;
    if (job.state() == v1::Job::RUNNING) job.set_state(v1::Job::WAITING);
    if (job.state() == v1::Job::RECEIVING) job.set_received(SizeOf(PathOf(job.id(), "in")));
    // The process ended between the last bytes and the change of the state.
    if (job.state() == v1::Job::RECEIVING && job.received() == job.size()) {
      job.set_state(v1::Job::WAITING);
    }
    for (const char* extension : {"in", "part", "out", "try"}) {
      known.insert(absl::StrCat(job.id(), ".", extension));
    }
    engine::MutexLock lock(&mu_);
    bytes_ += kFilesOfAJob * job.size();
    jobs_[job.id()] = entry;
  }
  // Files of a job whose row was never written.
  DIR* const directory = opendir(limits_.dir.c_str());
  if (directory == nullptr) return DiskError(limits_.dir);
  while (const dirent* const file = readdir(directory)) {
    const std::string name = file->d_name;
    const bool is_ours = absl::EndsWith(name, ".in") || absl::EndsWith(name, ".part") ||
                         absl::EndsWith(name, ".out") || absl::EndsWith(name, ".try") ||
                         absl::EndsWith(name, ".out.new");
    if (is_ours && !known.contains(name)) unlink(absl::StrCat(limits_.dir, "/", name).c_str());
  }
  closedir(directory);
  return absl::OkStatus();
}

absl::Status JobStore::Save(const Entry& entry, const v1::Job& job) {
  engine::MutexLock lock(&database_mu_);
  return Statement(database_.get(), "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?)")
      .Bind(entry.work.id)
      .Bind(entry.work.owner)
      .Bind(entry.work.request.SerializeAsString())
      .Bind(job.SerializeAsString())
      .Run();
}

std::string JobStore::PathOf(const std::string& id, std::string_view extension) const {
  return absl::StrCat(limits_.dir, "/", id, ".", std::string(extension));
}

void JobStore::RemoveFiles(const std::string& id) const {
  for (const char* extension : {"in", "part", "out", "out.new", "try"}) {
    unlink(PathOf(id, extension).c_str());
  }
}

absl::StatusOr<std::shared_ptr<JobStore::Entry>> JobStore::FindAny(const std::string& id) const {
  engine::MutexLock lock(&mu_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return NoJob(id);
  return found->second;
}

absl::StatusOr<std::shared_ptr<JobStore::Entry>> JobStore::Find(const std::string& owner,
                                                                const std::string& id) const {
  absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (entry.ok() && (*entry)->work.owner != owner) return NoJob(id);
  return entry;
}

v1::Job JobStore::JobOf(const Entry& entry) const {
  engine::MutexLock lock(&mu_);
  return entry.job;
}

absl::StatusOr<v1::Job> JobStore::Create(const std::string& owner, v1::CreateJobRequest request) {
  auto entry = std::make_shared<Entry>();
  v1::Job& job = entry->job;
  job.set_id(NewSecretId());
  job.set_state(v1::Job::RECEIVING);
  job.set_name(request.name());
  job.set_format(request.format());
  job.set_size(request.size());
  job.mutable_created_at()->set_seconds(unix_now_());
  job.mutable_expires_at()->set_seconds(unix_now_() + limits_.keep_seconds);
  entry->work = {job.id(), owner, std::move(request)};
  const int64_t bytes = kFilesOfAJob * job.size();
  {
    engine::MutexLock lock(&mu_);
    const auto owned =
        static_cast<size_t>(std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& at) {
          return at.second->work.owner == owner;
        }));
    if (owned >= limits_.max_jobs_per_owner) {
      return absl::ResourceExhaustedError(
          absl::StrCat("jobs: the server keeps ", owned,
                       " of this client, which is the limit; delete some, or wait until they "
                       "expire"));
    }
    if (bytes_ + bytes > limits_.max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("jobs: no room for a document of ", job.size(), " bytes; the jobs use ",
                       bytes_, " of ", limits_.max_bytes, " bytes, three times their documents"));
    }
    bytes_ += bytes;
    jobs_[job.id()] = entry;
  }
  absl::Status saved = Save(*entry, job);
  if (saved.ok()) {
    const File file(PathOf(job.id(), "in"), O_WRONLY | O_CREAT | O_EXCL);
    if (!file.is_open()) saved = DiskError("cannot write a job's file");
  }
  if (!saved.ok()) {
    Remove(entry).IgnoreError();
    return saved;
  }
  return JobOf(*entry);
}

absl::StatusOr<v1::Job> JobStore::Append(const std::string& owner, const std::string& id,
                                         int64_t offset, std::string_view data) {
  absl::StatusOr<std::shared_ptr<Entry>> entry = Find(owner, id);
  if (!entry.ok()) return entry.status();
  engine::MutexLock io(&(*entry)->io);
  v1::Job job = JobOf(**entry);
  const auto end = offset + static_cast<int64_t>(data.size());
  if (offset < 0 || end > job.size()) {
    return absl::InvalidArgumentError(absl::StrCat("data: found bytes ", offset, " to ", end,
                                                   " of a document of ", job.size(), " bytes"));
  }
  // A client repeats a call whose answer it did not get.
  if (end <= job.received()) return job;
  if (job.state() != v1::Job::RECEIVING) {
    return absl::FailedPreconditionError("job: the document is complete");
  }
  if (offset != job.received()) {
    return absl::FailedPreconditionError(absl::StrCat("offset: found ", offset, ", expected ",
                                                      job.received(),
                                                      ", the bytes that the server has"));
  }
  const File file(PathOf(id, "in"), O_WRONLY);
  if (!file.is_open()) return NoJob(id);
  absl::Status written = WriteAt(file.get(), data, offset, "cannot keep the document");
  if (!written.ok()) return written;
  job.set_received(end);
  if (end == job.size()) {
    if (fdatasync(file.get()) != 0) return DiskError("cannot keep the document");
    job.set_state(v1::Job::WAITING);
    absl::Status saved = SetState(*entry, job);
    if (!saved.ok()) return saved;
    if (on_waiting_) on_waiting_();
    return job;
  }
  engine::MutexLock lock(&mu_);
  (*entry)->job = job;
  return job;
}

absl::Status JobStore::SetState(const std::shared_ptr<Entry>& entry, v1::Job job) {
  if (HasEnded(job)) job.mutable_ended_at()->set_seconds(unix_now_());
  {
    engine::MutexLock lock(&mu_);
    if (!jobs_.contains(entry->work.id)) return NoJob(entry->work.id);
  }
  if (absl::Status saved = Save(*entry, job); !saved.ok()) return saved;
  engine::MutexLock lock(&mu_);
  entry->job = std::move(job);
  return absl::OkStatus();
}

absl::StatusOr<v1::Job> JobStore::Get(const std::string& owner, const std::string& id) const {
  absl::StatusOr<std::shared_ptr<Entry>> entry = Find(owner, id);
  if (!entry.ok()) return entry.status();
  return JobOf(**entry);
}

std::vector<v1::Job> JobStore::List(const std::string& owner) const {
  std::vector<v1::Job> jobs;
  // Without keys all clients have the same owner, and ids are secrets.
  if (owner.empty()) return jobs;
  {
    engine::MutexLock lock(&mu_);
    for (const auto& [id, entry] : jobs_) {
      if (entry->work.owner == owner) jobs.push_back(entry->job);
    }
  }
  std::ranges::stable_sort(jobs, {}, [](const v1::Job& job) { return job.created_at().seconds(); });
  return jobs;
}

absl::StatusOr<std::string> JobStore::Read(const std::string& owner, const std::string& id,
                                           int64_t offset) const {
  const absl::StatusOr<v1::Job> job = Get(owner, id);
  if (!job.ok()) return job.status();
  if (job->state() != v1::Job::DONE) {
    return absl::FailedPreconditionError(
        absl::StrCat("job: found state ", v1::Job::State_Name(job->state()), ", expected DONE"));
  }
  if (offset < 0 || offset > job->result_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("offset: found ", offset, ", expected at most ", job->result_size()));
  }
  return ReadAt(PathOf(id, "out"), offset, kMaxReadBytes);
}

absl::Status JobStore::Delete(const std::string& owner, const std::string& id) {
  absl::StatusOr<std::shared_ptr<Entry>> entry = Find(owner, id);
  return entry.ok() ? Remove(*entry) : entry.status();
}

absl::Status JobStore::Remove(const std::shared_ptr<Entry>& entry) {
  const std::string& id = entry->work.id;
  {
    engine::MutexLock lock(&mu_);
    if (jobs_.erase(id) == 0) return NoJob(id);
    bytes_ -= kFilesOfAJob * entry->job.size();
  }
  absl::Status removed;
  {
    engine::MutexLock lock(&database_mu_);
    removed = Statement(database_.get(), "DELETE FROM jobs WHERE id = ?").Bind(id).Run();
  }
  engine::MutexLock io(&entry->io);
  RemoveFiles(id);
  return removed;
}

bool JobStore::CountStart(const std::string& id) {
  const std::string path = PathOf(id, "try");
  const int64_t starts = SizeOf(path);
  if (starts >= kMostStarts) {
    const absl::Status failed =
        Fail(id, absl::InternalError(absl::StrCat("the server ended ", starts,
                                                  " times while it translated this document")));
    if (failed.ok()) return false;
  }
  const File file(path, O_WRONLY | O_CREAT);
  // A full disk does not keep the job from running.
  if (file.is_open()) WriteAt(file.get(), ".", starts, "").IgnoreError();
  return true;
}

std::optional<JobStore::Work> JobStore::Take(int64_t max_size,
                                             const std::set<std::string>& excluded) {
  while (true) {
    std::shared_ptr<Entry> best;
    {
      engine::MutexLock lock(&mu_);
      best = BestWaiting(max_size, excluded);
      if (best == nullptr) return std::nullopt;
      // The row stays: a job that was running waits after a restart.
      best->job.set_state(v1::Job::RUNNING);
    }
    if (CountStart(best->work.id)) return best->work;
  }
}

std::shared_ptr<JobStore::Entry> JobStore::BestWaiting(
    int64_t max_size, const std::set<std::string>& excluded) const {
  std::map<std::string, int> running;
  for (const auto& [id, entry] : jobs_) {
    if (entry->job.state() == v1::Job::RUNNING) ++running[entry->work.owner];
  }
  const auto rank = [&](const Entry& entry) {
    return std::pair(running[entry.work.owner], entry.job.created_at().seconds());
  };
  std::shared_ptr<Entry> best;
  for (const auto& [id, entry] : jobs_) {
    if (entry->job.state() != v1::Job::WAITING || entry->job.size() > max_size) continue;
    if (excluded.contains(id)) continue;
    if (best == nullptr || rank(*entry) < rank(*best)) best = entry;
  }
  return best;
}

void JobStore::Release(const std::string& id) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return;
  // This start does not count.
  const std::string path = PathOf(id, "try");
  const int64_t starts = SizeOf(path);
  if (starts > 0 && truncate(path.c_str(), starts - 1) != 0) unlink(path.c_str());
  engine::MutexLock lock(&mu_);
  (*entry)->job.set_state(v1::Job::WAITING);
}

absl::StatusOr<std::string> JobStore::Document(const std::string& id) const {
  if (absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id); !entry.ok()) {
    return entry.status();
  }
  return ReadAll(PathOf(id, "in"));
}

absl::StatusOr<std::vector<std::optional<std::string>>> JobStore::Parts(const std::string& id) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return entry.status();
  engine::MutexLock io(&(*entry)->io);
  std::vector<std::optional<std::string>> parts;
  const std::string path = PathOf(id, "part");
  if (SizeOf(path) == 0) return parts;
  const absl::StatusOr<std::string> bytes = ReadAll(path);
  if (!bytes.ok()) return bytes.status();
  size_t at = 0;
  while (bytes->size() - at >= sizeof(uint32_t)) {
    uint32_t length = 0;
    std::memcpy(&length, bytes->data() + at, sizeof(length));
    const size_t size = length == kNoTranslation ? 0 : length;
    if (bytes->size() - at - sizeof(length) < size) break;
    at += sizeof(length);
    if (length == kNoTranslation) {
      parts.emplace_back();
    } else {
      parts.emplace_back(bytes->substr(at, size));
    }
    at += size;
  }
  // The last record may be incomplete.
  if (at < bytes->size() && truncate(path.c_str(), static_cast<int64_t>(at)) != 0) {
    return DiskError("cannot keep translations");
  }
  return parts;
}

absl::Status JobStore::AppendParts(const std::string& id,
                                   std::span<const std::optional<std::string>> translations) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return entry.status();
  std::string bytes;
  for (const std::optional<std::string>& translation : translations) {
    const uint32_t length =
        translation.has_value() ? static_cast<uint32_t>(translation->size()) : kNoTranslation;
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes += translation.value_or("");
  }
  engine::MutexLock io(&(*entry)->io);
  const std::string path = PathOf(id, "part");
  const File file(path, O_WRONLY | O_CREAT);
  if (!file.is_open()) return DiskError("cannot keep translations");
  absl::Status written = WriteAt(file.get(), bytes, SizeOf(path), "cannot keep translations");
  if (written.ok()) unlink(PathOf(id, "try").c_str());
  return written;
}

absl::Status JobStore::SetProgress(const std::string& id, int64_t texts, int64_t translated,
                                   int64_t failed_texts, int64_t code_points) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return entry.status();
  engine::MutexLock lock(&mu_);
  v1::Job& job = (*entry)->job;
  job.set_texts(texts);
  job.set_translated(translated);
  job.set_failed_texts(failed_texts);
  job.set_code_points(code_points);
  return absl::OkStatus();
}

absl::Status JobStore::Finish(const std::string& id, std::string_view document) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return entry.status();
  engine::MutexLock io(&(*entry)->io);
  const std::string path = PathOf(id, "out");
  const std::string written = PathOf(id, "out.new");
  {
    const File file(written, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.is_open()) return DiskError("cannot keep the translated document");
    absl::Status status = WriteAt(file.get(), document, 0, "cannot keep the translated document");
    if (!status.ok()) return status;
    if (fdatasync(file.get()) != 0) return DiskError("cannot keep the translated document");
  }
  if (rename(written.c_str(), path.c_str()) != 0) {
    return DiskError("cannot keep the translated document");
  }
  v1::Job job = JobOf(**entry);
  job.set_state(v1::Job::DONE);
  job.set_result_size(static_cast<int64_t>(document.size()));
  absl::Status saved = SetState(*entry, std::move(job));
  if (saved.ok()) {
    for (const char* extension : {"part", "try"}) unlink(PathOf(id, extension).c_str());
  }
  return saved;
}

absl::Status JobStore::Fail(const std::string& id, const absl::Status& error) {
  const absl::StatusOr<std::shared_ptr<Entry>> entry = FindAny(id);
  if (!entry.ok()) return entry.status();
  v1::Job job = JobOf(**entry);
  job.set_state(v1::Job::FAILED);
  *job.mutable_error() = ToRpcStatus(error);
  return SetState(*entry, std::move(job));
}

void JobStore::DeleteExpired() {
  std::vector<std::shared_ptr<Entry>> expired;
  {
    engine::MutexLock lock(&mu_);
    for (const auto& [id, entry] : jobs_) {
      if (entry->job.expires_at().seconds() <= unix_now_()) expired.push_back(entry);
    }
  }
  for (const std::shared_ptr<Entry>& entry : expired) Remove(entry).IgnoreError();
}

}  // namespace dragoman::server
