// Which files a model was made of: every file that its load read, looked for, or could have found
// by listing a directory, and what each was like just before. So it can be told later, without
// loading again, whether a load would find the same.
//
// FileRecord is thread-safe; the rest are plain values.
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

// Links are followed. Never opens the file.
FileStamp StampOf(const std::string& path);

struct RecordedFile {
  std::string path;
  FileStamp stamp;        // when it was first looked for
  bool was_read = false;  // false: only whether it is there counted
};

// The names in a directory that end in one of `endings`, sorted.
struct RecordedListing {
  std::string directory;
  std::vector<std::string> endings;
  std::vector<std::string> names;
};

// Empty where the directory cannot be read.
std::vector<std::string> ListNames(const std::string& directory,
                                   const std::vector<std::string>& endings);

struct RecordedFiles {
  std::vector<RecordedFile> files;  // by path
  std::vector<RecordedListing> listings;
};

// The first path that is now another file, is there or not there unlike then, or is new in a
// listing; "" if a load would find what it found then. Does not read the files: a file that was
// written with the same bytes counts.
std::string FirstChanged(const RecordedFiles& files);

// The same, but a file that was read counts only by being there.
std::string FirstAddedOrGone(const RecordedFiles& files);

class FileRecord {
 public:
  FileRecord() = default;
  FileRecord(const FileRecord&) = delete;
  FileRecord& operator=(const FileRecord&) = delete;

  // Before the file is opened, or looked for. Stamps it; the first stamp of a path stays.
  void Note(const std::string& path, bool is_read);
  // ListNames, recorded.
  std::vector<std::string> List(const std::string& directory,
                                const std::vector<std::string>& endings);

  RecordedFiles files() const;

 private:
  mutable Mutex mu_;
  std::map<std::string, RecordedFile> files_ ABSL_GUARDED_BY(mu_);
  std::vector<RecordedListing> listings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::engine
