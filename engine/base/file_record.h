// Records the files of a model's load: every file that the load read or looked for, with its
// attributes at that time, and every directory that it listed. So a caller can find out later,
// without another load, whether a load would find the same files.
//
// FileRecord is thread-safe. The other types are plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/mutex.h"

namespace dragoman::engine {

// The attributes of a file. At least one of them changes when the file is written, replaced or
// removed.
struct FileStamp {
  bool is_there = false;
  bool is_regular = false;
  int64_t size = 0;
  uint64_t inode = 0;
  int64_t modified = 0;  // nanoseconds since 1970, as is `changed`
  int64_t changed = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Returns the stamp of the file at `path`. Follows links. Never opens the file.
FileStamp StampOf(const std::string& path);

struct RecordedFile {
  std::string path;
  FileStamp stamp;        // before the load first accessed the file
  bool was_read = false;  // false: the load only checked whether the file exists
};

// The names in a directory that end in one of `endings`, sorted.
struct RecordedListing {
  std::string directory;
  std::vector<std::string> endings;
  std::vector<std::string> names;
};

// Returns the names in `directory` that end in one of `endings`, sorted; none if the directory
// cannot be read.
std::vector<std::string> ListNames(const std::string& directory,
                                   const std::vector<std::string>& endings);

struct RecordedFiles {
  std::vector<RecordedFile> files;  // by path
  std::vector<RecordedListing> listings;
};

// Returns the first path that changed since it was recorded; "" if none did. A file that was read
// changes if it is written, replaced or removed. Any other path changes if it is added or removed.
// Compares stamps and not contents, so a file that was written again with the same bytes has
// changed.
std::string FirstChanged(const RecordedFiles& files);

// Returns the first path that was added or removed since it was recorded; "" if there is none.
std::string FirstAddedOrGone(const RecordedFiles& files);

class FileRecord {
 public:
  FileRecord() = default;
  FileRecord(const FileRecord&) = delete;
  FileRecord& operator=(const FileRecord&) = delete;

  // Records the file's stamp. Later calls for the same path keep the first stamp. `is_read`: the
  // load will read the file. Call this before the first access.
  void Note(const std::string& path, bool is_read);
  // Calls ListNames and records the result.
  std::vector<std::string> List(const std::string& directory,
                                const std::vector<std::string>& endings);

  RecordedFiles files() const;

 private:
  mutable Mutex mu_;
  std::map<std::string, RecordedFile> files_ ABSL_GUARDED_BY(mu_);
  std::vector<RecordedListing> listings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::engine
