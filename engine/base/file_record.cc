#include "engine/base/file_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace dragoman::engine {
namespace {

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// Lists the directory again. Returns the first path that was added or removed since the directory
// was recorded; "" if there is none.
std::string FirstOther(const RecordedListing& listing) {
  const std::vector<std::string> now = ListNames(listing.directory, listing.endings);
  std::vector<std::string> other;
  std::set_symmetric_difference(now.begin(), now.end(), listing.names.begin(), listing.names.end(),
                                std::back_inserter(other));
  if (other.empty()) return "";
  return (std::filesystem::path(listing.directory) / other.front()).string();
}

template <class Differs>
std::string First(const RecordedFiles& files, Differs differs) {
  for (const RecordedFile& file : files.files) {
    if (differs(file, StampOf(file.path))) return file.path;
  }
  for (const RecordedListing& listing : files.listings) {
    if (std::string other = FirstOther(listing); !other.empty()) return other;
  }
  return "";
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {.is_there = true,
          .is_regular = S_ISREG(found.st_mode),
          .size = found.st_size,
          .inode = found.st_ino,
          .modified = Nanoseconds(found.st_mtim),
          .changed = Nanoseconds(found.st_ctim)};
}

std::vector<std::string> ListNames(const std::string& directory,
                                   const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    const bool counts = std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return name.ends_with(ending);
    });
    if (counts) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string FirstChanged(const RecordedFiles& files) {
  return First(files, [](const RecordedFile& file, const FileStamp& now) {
    return file.was_read ? now != file.stamp : now.is_there != file.stamp.is_there;
  });
}

std::string FirstAddedOrGone(const RecordedFiles& files) {
  return First(files, [](const RecordedFile& file, const FileStamp& now) {
    return now.is_there != file.stamp.is_there;
  });
}

void FileRecord::Note(const std::string& path, bool is_read) {
  const FileStamp stamp = StampOf(path);
  MutexLock lock(&mu_);
  RecordedFile& file = files_.try_emplace(path, RecordedFile{path, stamp, false}).first->second;
  file.was_read = file.was_read || is_read;
}

std::vector<std::string> FileRecord::List(const std::string& directory,
                                          const std::vector<std::string>& endings) {
  RecordedListing listing{directory, endings, ListNames(directory, endings)};
  MutexLock lock(&mu_);
  const bool is_known =
      std::any_of(listings_.begin(), listings_.end(), [&](const RecordedListing& known) {
        return known.directory == directory && known.endings == endings;
      });
  if (!is_known) listings_.push_back(listing);
  return listing.names;
}

RecordedFiles FileRecord::files() const {
  RecordedFiles recorded;
  MutexLock lock(&mu_);
  for (const auto& [path, file] : files_) recorded.files.push_back(file);
  recorded.listings = listings_;
  return recorded;
}

}  // namespace dragoman::engine
