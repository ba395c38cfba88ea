#include "server/call/jobs/job_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"

namespace dragoman::server {

File::File(const std::string& path, int flags)
    : fd_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}

File::~File() {
  if (fd_ >= 0) close(fd_);
}

absl::Status DiskError(std::string_view what) {
  const int error = errno;
  const std::string message = absl::StrCat(std::string(what), ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

absl::Status WriteAt(int fd, std::string_view bytes, int64_t offset, std::string_view what) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        pwrite(fd, bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      absl::Status status = DiskError(what);
      if (ftruncate(fd, offset) != 0) return DiskError(what);
      return status;
    }
    done += static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAt(const std::string& path, int64_t offset, size_t most) {
  const File file(path, O_RDONLY);
  if (!file.is_open()) return DiskError("cannot read a job's file");
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) return DiskError("cannot read a job's file");
  const int64_t left = std::max<int64_t>(0, info.st_size - offset);
  std::string bytes(std::min(most, static_cast<size_t>(left)), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t read = pread(file.get(), bytes.data() + done, bytes.size() - done,
                               offset + static_cast<int64_t>(done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return DiskError("cannot read a job's file");
    if (read == 0) break;
    done += static_cast<size_t>(read);
  }
  bytes.resize(done);
  return bytes;
}

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  return ReadAt(path, 0, std::numeric_limits<size_t>::max());
}

int64_t SizeOf(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

Statement::Statement(sqlite3* database, const char* sql) : database_(database) {
  sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Bind(const std::string& value) {
  sqlite3_bind_blob64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT);
  return *this;
}

absl::Status Statement::Run() {
  const int result = statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_);
  if (result == SQLITE_DONE) return absl::OkStatus();
  const std::string message = absl::StrCat("the database of jobs: ", sqlite3_errmsg(database_));
  if (result == SQLITE_FULL || result == SQLITE_IOERR) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

std::string Statement::Column(int column) const {
  const void* const data = sqlite3_column_blob(statement_, column);
  return std::string(static_cast<const char*>(data),
                     static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace dragoman::server
