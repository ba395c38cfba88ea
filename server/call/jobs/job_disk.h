// Files and statements of the store of jobs. Errors of a full disk are RESOURCE_EXHAUSTED.
//
// Thread-safety: pure functions, and objects of one thread. Units: bytes.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::server {

// An open file, or none.
class File {
 public:
  // Opens the file, which others cannot read if it is made. `flags` are those of open(2).
  File(const std::string& path, int flags);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  const int fd_;
};

// Returns the error that errno has. `what` says what failed.
absl::Status DiskError(std::string_view what);

// Writes all bytes at `offset`. After an error, the file ends at `offset`.
absl::Status WriteAt(int fd, std::string_view bytes, int64_t offset, std::string_view what);

// Returns at most `most` bytes of the file from `offset` on.
absl::StatusOr<std::string> ReadAt(const std::string& path, int64_t offset, size_t most);
absl::StatusOr<std::string> ReadAll(const std::string& path);

// Returns 0 if there is no such file.
int64_t SizeOf(const std::string& path);

// A statement of SQLite that is run once.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the text or bytes to the next '?'.
  Statement& Bind(const std::string& value);
  // Returns true if there is a row.
  bool Step() { return sqlite3_step(statement_) == SQLITE_ROW; }
  // Returns an error unless the statement has ended without a row.
  absl::Status Run();
  // Returns a column of the row.
  std::string Column(int column) const;

 private:
  sqlite3* const database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace dragoman::server
