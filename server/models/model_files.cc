#include "server/models/model_files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

namespace fs = std::filesystem;

// Files are read in pieces of this size, because a load may be given up between two pieces.
constexpr size_t kPieceBytes = size_t{1} << 20;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    is_good_ = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }
  void Add(const void* bytes, size_t size) {
    is_good_ = is_good_ && EVP_DigestUpdate(context_.get(), bytes, size) == 1;
  }
  void Add(const std::string& text) { Add(text.data(), text.size()); }
  absl::StatusOr<std::string> Finish() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (!is_good_ || EVP_DigestFinal_ex(context_.get(), bytes, &size) != 1) {
      return absl::InternalError("SHA-256 is not to be had");
    }
    return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(bytes), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, FreeDigest> context_;
  bool is_good_ = false;
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Status AddFile(const engine::RecordedFile& file, const engine::LoadContext* load,
                     Sha256* digest) {
  const auto unreadable = [&file] {
    return absl::UnavailableError(absl::StrCat(file.path, ": ", std::strerror(errno)));
  };
  // O_NONBLOCK keeps open from blocking if a pipe has taken the file's place.
  const FileDescriptor opened(open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.get() < 0) return unreadable();
  struct stat found {};
  if (fstat(opened.get(), &found) != 0) return unreadable();
  if (!S_ISREG(found.st_mode) || found.st_size != file.stamp.size) {
    return absl::AbortedError(absl::StrCat(file.path, ": found ", found.st_size,
                                           " bytes, expected the ", file.stamp.size,
                                           " of the file that was loaded"));
  }
  std::vector<char> piece(kPieceBytes);
  for (int64_t left = file.stamp.size; left > 0;) {
    if (absl::Status status = engine::CheckGoesOn(load); !status.ok()) return status;
    const ssize_t got =
        read(opened.get(), piece.data(),
             static_cast<size_t>(std::min<int64_t>(left, static_cast<int64_t>(piece.size()))));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable();
    if (got == 0) {
      return absl::AbortedError(absl::StrCat(file.path, ": was cut short while it was read"));
    }
    digest->Add(piece.data(), static_cast<size_t>(got));
    left -= got;
  }
  return absl::OkStatus();
}

// Returns the files of `files` that are in the directory, by their names within it. A package has
// the name "".
std::map<std::string, const engine::RecordedFile*> FilesIn(const engine::RecordedFiles& files,
                                                           const std::string& directory) {
  std::map<std::string, const engine::RecordedFile*> by_name;
  for (const engine::RecordedFile& file : files.files) {
    if (!file.was_read || !file.stamp.is_there) continue;
    if (file.path == directory) {
      by_name.emplace("", &file);
      continue;
    }
    const std::string name = fs::path(file.path).lexically_relative(directory).string();
    if (!name.empty() && name != "." && !name.starts_with("..")) by_name.emplace(name, &file);
  }
  return by_name;
}

}  // namespace

absl::Status CheckModelPath(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return absl::NotFoundError(absl::StrCat(
        path, ": no such directory, expected one with a model's files (nothing is downloaded)"));
  }
  if (fs::is_regular_file(status)) return absl::OkStatus();
  if (!fs::is_directory(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": found no directory, expected one with a model's files"));
  }
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code none;
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    if (!is_hidden && entry->is_regular_file(none)) return absl::OkStatus();
  }
  if (error) return absl::UnavailableError(absl::StrCat(path, ": ", error.message()));
  return absl::InvalidArgumentError(
      absl::StrCat(path,
                   ": found no files in this directory, expected a model's: config.json and "
                   "those beside it"));
}

absl::StatusOr<std::string> ChecksumOfModel(const engine::RecordedFiles& files,
                                            const std::string& directory,
                                            const engine::LoadContext* load) {
  Sha256 digest;
  for (const auto& [name, file] : FilesIn(files, directory)) {
    digest.Add(absl::StrCat(name, "\n", file->stamp.size, "\n"));
    if (absl::Status status = AddFile(*file, load, &digest); !status.ok()) return status;
  }
  return digest.Finish();
}

absl::StatusOr<std::string> ChecksumOfModels(const engine::RecordedFiles& files,
                                             const std::vector<std::string>& directories,
                                             const engine::LoadContext* load) {
  Sha256 all;
  for (const std::string& directory : directories) {
    absl::StatusOr<std::string> one = ChecksumOfModel(files, directory, load);
    if (!one.ok() || directories.size() == 1) return one;
    all.Add(absl::StrCat(*one, "\n"));
  }
  return all.Finish();
}

std::vector<std::string> DirectoriesOf(const ModelSettings& settings) {
  std::vector<std::string> directories{settings.model_directory};
  directories.insert(directories.end(), settings.ensemble.directories.begin(),
                     settings.ensemble.directories.end());
  return directories;
}

absl::Status CheckDirectory(const std::string& directory) {
  if (directory.empty() || directory[0] == '/') return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("directory: found ", Quoted(directory),
                                                 ", expected an absolute path on the server"));
}

}  // namespace dragoman::server
