#include "client/commands/document_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <ostream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace dragoman::client {
namespace {

namespace fs = std::filesystem;

// Files that folders are searched for. The first two are text, translated line by line.
constexpr std::array<std::string_view, 26> kExtensions = {
    ".txt", ".text",  ".csv", ".docx",  ".epub", ".htm",  ".html", ".json",      ".markdown",
    ".md",  ".odp",   ".ods", ".odt",   ".po",   ".pot",  ".pptx", ".srt",       ".tsv",
    ".vtt", ".xhtml", ".xlf", ".xliff", ".xlsx", ".yaml", ".yml",  ".properties"};
constexpr size_t kTextExtensions = 2;
constexpr size_t kPieceBytes = 512 << 10;
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1'000};
// How often a document is sent again to a server that has forgotten its job.
constexpr int kMostRestarts = 3;

std::string ExtensionOf(const std::string& path) {
  return absl::AsciiStrToLower(fs::path(path).extension().string());
}

absl::Status FileError(const std::string& path, const std::error_code& error) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", error.message()));
}

// Writes the file under another name and renames it.
absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return FileError(folder.string(), error);
  const std::string part = path + ".part";
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out << bytes;
    out.close();
    if (!out) return absl::InvalidArgumentError(absl::StrCat("cannot write ", part));
  }
  fs::rename(part, path, error);
  return error ? FileError(path, error) : absl::OkStatus();
}

// A document while it is translated.
struct Active {
  const DocumentFile* file = nullptr;
  v1::Job job;
  int restarts = 0;
  ClientClock::TimePoint ask_at;
  std::chrono::nanoseconds pause = kFirstPause;
};

class DocumentRun {
 public:
  DocumentRun(const Io& io, const DocumentRunOptions& options, TranslationClient* client,
              ClientClock* clock)
      : io_(io), options_(options), client_(*client), clock_(*clock), started_(clock->Now()) {}

  int Run(const std::vector<DocumentFile>& files);

 private:
  absl::Status Begin(Active* active);
  // Returns true if the document has ended.
  absl::StatusOr<bool> Continue(Active* active);
  absl::Status Fetch(const Active& active);
  void Report(const DocumentFile& file, const absl::Status& status);
  void Draw(const std::vector<std::unique_ptr<Active>>& active);
  void Clear();
  void PauseUntil(ClientClock::TimePoint time);

  const Io& io_;
  const DocumentRunOptions& options_;
  TranslationClient& client_;
  ClientClock& clock_;
  const ClientClock::TimePoint started_;
  size_t files_ = 0;
  size_t ended_ = 0;
  int failed_ = 0;
  bool is_drawn_ = false;
};

absl::Status DocumentRun::Begin(Active* active) {
  const std::string& path = active->file->input;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const int64_t size = in ? static_cast<int64_t>(in.tellg()) : -1;
  if (size < 0) return absl::InvalidArgumentError("cannot be opened");
  if (size == 0) return absl::InvalidArgumentError("the file is empty");
  v1::CreateJobRequest request;
  *request.mutable_request() = options_.request;
  request.set_name(fs::path(path).filename().string());
  request.set_format(options_.format);
  request.set_size(size);
  for (const std::string& field : options_.fields) request.add_fields(field);
  request.set_retranslate(options_.retranslate);
  absl::StatusOr<v1::Job> job = client_.CreateJob(request);
  while (job.ok() && job->received() < job->size()) {
    v1::AppendToJobRequest append;
    append.set_id(job->id());
    append.set_offset(job->received());
    std::string piece(kPieceBytes, '\0');
    in.seekg(job->received());
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<size_t>(in.gcount()));
    in.clear();
    if (piece.empty()) return absl::InvalidArgumentError("the file has become shorter");
    append.set_data(std::move(piece));
    job = client_.AppendToJob(append);
  }
  if (!job.ok()) return job.status();
  active->job = *std::move(job);
  active->pause = kFirstPause;
  active->ask_at = clock_.Now() + active->pause;
  return absl::OkStatus();
}

absl::StatusOr<bool> DocumentRun::Continue(Active* active) {
  absl::StatusOr<v1::Job> job = client_.GetJob(active->job.id());
  if (absl::IsNotFound(job.status()) && active->restarts < kMostRestarts) {
    // The server was started again, and keeps no jobs.
    ++active->restarts;
    return Begin(active).ok() ? absl::StatusOr<bool>(false) : job.status();
  }
  if (!job.ok()) return job.status();
  active->job = *std::move(job);
  active->pause = std::min<std::chrono::nanoseconds>(active->pause * 3 / 2, kLongestPause);
  active->ask_at = clock_.Now() + active->pause;
  if (active->job.state() == v1::Job::FAILED) {
    const google::rpc::Status error = active->job.error();
    client_.DeleteJob(active->job.id()).IgnoreError();
    return absl::Status(static_cast<absl::StatusCode>(error.code()), error.message());
  }
  if (active->job.state() != v1::Job::DONE) return false;
  if (absl::Status fetched = Fetch(*active); !fetched.ok()) return fetched;
  return true;
}

absl::Status DocumentRun::Fetch(const Active& active) {
  std::string bytes;
  while (bytes.size() < static_cast<size_t>(active.job.result_size())) {
    v1::ReadJobRequest request;
    request.set_id(active.job.id());
    request.set_offset(static_cast<int64_t>(bytes.size()));
    const absl::StatusOr<v1::ReadJobResponse> part = client_.ReadJob(request);
    if (!part.ok()) return part.status();
    if (part->data().empty()) return absl::InternalError("the server has sent too few bytes");
    bytes += part->data();
  }
  if (absl::Status written = WriteFile(active.file->output, bytes); !written.ok()) return written;
  // If this fails, the server deletes the job when it expires.
  client_.DeleteJob(active.job.id()).IgnoreError();
  if (active.job.failed_texts() > 0) {
    Clear();
    io_.err << "dragoman translate: note: " << active.file->output << ": "
            << active.job.failed_texts() << " of " << active.job.texts()
            << " texts failed and stay as they are\n";
  }
  return absl::OkStatus();
}

void DocumentRun::Report(const DocumentFile& file, const absl::Status& status) {
  ++ended_;
  if (status.ok()) return;
  ++failed_;
  Clear();
  io_.err << "dragoman translate: " << file.input << ": " << std::string(status.message()) << '\n';
}

void DocumentRun::Draw(const std::vector<std::unique_ptr<Active>>& active) {
  if (!io_.err_terminal) return;
  double done = static_cast<double>(ended_);
  for (const auto& document : active) {
    if (document->job.texts() > 0) {
      done += static_cast<double>(document->job.translated()) /
              static_cast<double>(document->job.texts());
    }
  }
  done /= static_cast<double>(files_);
  const double seconds = std::chrono::duration<double>(clock_.Now() - started_).count();
  std::string text = absl::StrFormat(" %3.0f %% %d of %d documents", done * 100, ended_, files_);
  if (done > 0) absl::StrAppendFormat(&text, ", %.0f s left", seconds * (1 - done) / done);
  const int width = std::min(40, io_.columns - static_cast<int>(text.size()) - 3);
  if (width >= 5) {
    const int full = static_cast<int>(done * width);
    text = absl::StrCat("[", std::string(full, '#'), std::string(width - full, '.'), "]", text);
  }
  io_.err << "\r\033[K" << text << std::flush;
  is_drawn_ = true;
}

void DocumentRun::Clear() {
  if (is_drawn_) io_.err << "\r\033[K" << std::flush;
  is_drawn_ = false;
}

void DocumentRun::PauseUntil(ClientClock::TimePoint time) {
  const auto now = clock_.Now();
  if (time <= now) return;
  auto over = std::make_shared<std::promise<void>>();
  clock_.RunAfter(time - now, [over] { over->set_value(); });
  over->get_future().wait();
}

int DocumentRun::Run(const std::vector<DocumentFile>& files) {
  files_ = files.size();
  size_t next = 0;
  std::vector<std::unique_ptr<Active>> active;
  while (next < files.size() || !active.empty()) {
    if (next < files.size() && active.size() < static_cast<size_t>(options_.concurrency)) {
      const DocumentFile& file = files[next++];
      std::error_code error;
      if (fs::exists(file.output, error)) {
        Report(file, options_.resume
                         ? absl::OkStatus()
                         : absl::AlreadyExistsError(absl::StrCat(
                               file.output, " exists already; --resume leaves it as it is")));
        continue;
      }
      auto document = std::make_unique<Active>();
      document->file = &file;
      const absl::Status begun = Begin(document.get());
      if (begun.ok()) {
        active.push_back(std::move(document));
      } else {
        Report(file, begun);
      }
      Draw(active);
      continue;
    }
    const auto first =
        std::ranges::min_element(active, {}, [](const auto& document) { return document->ask_at; });
    PauseUntil((*first)->ask_at);
    const absl::StatusOr<bool> has_ended = Continue(first->get());
    if (!has_ended.ok() || *has_ended) {
      Report(*(*first)->file, has_ended.status());
      active.erase(first);
    }
    Draw(active);
  }
  Clear();
  return failed_ > 0 ? kExitFailed : kExitOk;
}

}  // namespace

bool IsDocument(const std::string& path) {
  const auto documents = kExtensions.begin() + kTextExtensions;
  return std::find(documents, kExtensions.end(), ExtensionOf(path)) != kExtensions.end();
}

absl::StatusOr<std::vector<DocumentFile>> FindDocuments(const std::vector<std::string>& inputs,
                                                        const std::string& output) {
  std::vector<DocumentFile> files;
  std::error_code error;
  const bool to_folder = inputs.size() > 1 || output.ends_with('/') ||
                         fs::is_directory(output, error) || fs::is_directory(inputs[0], error);
  for (const std::string& input : inputs) {
    if (!fs::exists(input, error)) {
      return absl::InvalidArgumentError(absl::StrCat("no file or folder ", input));
    }
    if (!fs::is_directory(input, error)) {
      const std::string name = fs::path(input).filename().string();
      files.push_back({input, to_folder ? (fs::path(output) / name).string() : output});
      continue;
    }
    std::vector<std::string> found;
    for (auto at = fs::recursive_directory_iterator(input, error);
         !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      const std::string path = at->path().string();
      if (at->is_regular_file(error) &&
          std::ranges::find(kExtensions, ExtensionOf(path)) != kExtensions.end()) {
        found.push_back(path);
      }
    }
    if (error) return FileError(input, error);
    std::ranges::sort(found);
    for (const std::string& path : found) {
      files.push_back(
          {path, (fs::path(output) / fs::path(path).lexically_relative(input)).string()});
    }
  }
  if (files.empty()) return absl::InvalidArgumentError("found no document in the folders");
  std::set<std::string> outputs;
  std::set<std::string> read;
  for (const DocumentFile& file : files) read.insert(fs::weakly_canonical(file.input).string());
  for (const DocumentFile& file : files) {
    const std::string path = fs::weakly_canonical(file.output).string();
    if (read.contains(path)) {
      return absl::InvalidArgumentError(absl::StrCat(file.output, " is one of the inputs"));
    }
    if (!outputs.insert(path).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two documents have the output ", file.output));
    }
  }
  return files;
}

int RunDocuments(const Io& io, const DocumentRunOptions& options,
                 const std::vector<DocumentFile>& files, TranslationClient* client,
                 ClientClock* clock) {
  return DocumentRun(io, options, client, clock).Run(files);
}

}  // namespace dragoman::client
