// Records the files of a model's load: every file that the load read, looked for, or could have
// found in a directory listing, with its attributes before that. So a caller can find out later,
// without a load, whether a load would find the same files.
//
// FileRecord is thread-safe. The other types are plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/mutex.h"

namespace dragoman::engine {

// The attributes that change when a file is written, replaced or removed.
struct FileStamp {
  bool is_there = false;
  bool is_regular = false;
  int64_t size = 0;
  uint64_t inode = 0;
  int64_t modified = 0;  // nanoseconds since 1970, as is `changed`
  int64_t changed = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Follows links. Never opens the file.
FileStamp StampOf(const std::string& path);

struct RecordedFile {
  std::string path;
  FileStamp stamp;        // from before the first access
  bool was_read = false;  // false: the load only looked whether it exists
};

// The names in a directory that end in one of `endings`, sorted.
struct RecordedListing {
  std::string directory;
  std::vector<std::string> endings;
  std::vector<std::string> names;
};

// Returns the names as in RecordedListing; none if the directory cannot be read.
std::vector<std::string> ListNames(const std::string& directory,
                                   const std::vector<std::string>& endings);

struct RecordedFiles {
  std::vector<RecordedFile> files;  // by path
  std::vector<RecordedListing> listings;
};

// Returns the first path that was written, replaced, added or removed since it was recorded; "" if
// there is none. Does not read the files, so a file that was written with the same bytes counts.
std::string FirstChanged(const RecordedFiles& files);

// The same, but only for paths that were added or removed.
std::string FirstAddedOrGone(const RecordedFiles& files);

class FileRecord {
 public:
  FileRecord() = default;
  FileRecord(const FileRecord&) = delete;
  FileRecord& operator=(const FileRecord&) = delete;

  // Records the file's stamp; the first stamp of a path stays. Call this before the first access.
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
