#include "server/models/model_files.h"

#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = size_t{1} << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// The regular files of a folder, as `prefix` and their names.
std::error_code AddNames(const fs::path& folder, const std::string& prefix,
                         std::vector<std::string>* names) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code none;
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && entry->is_regular_file(none)) names->push_back(prefix + name);
  }
  return error;
}

// The files that count, sorted: their paths in the directory, or "" for the package itself.
absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) {
    return absl::NotFoundError(absl::StrCat(
        directory,
        ": no such directory, expected one with a model's files (nothing is downloaded)"));
  }
  if (fs::is_regular_file(status)) return std::vector<std::string>{""};
  if (!fs::is_directory(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(directory, ": found no directory, expected one with a model's files"));
  }
  std::vector<std::string> names;
  error = AddNames(directory, "", &names);
  // Of an Argos package the model is in a folder.
  const fs::path inner = fs::path(directory) / "model";
  std::error_code none;
  if (!error && fs::exists(fs::path(directory) / "metadata.json", none) &&
      fs::is_directory(inner, none)) {
    error = AddNames(inner, "model/", &names);
  }
  if (error) return absl::UnavailableError(absl::StrCat(directory, ": ", error.message()));
  if (names.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(directory,
                     ": found no files in this directory, expected a model's: config.json and "
                     "those beside it"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// fs::path("package") / "" would be another name.
std::string PathOfFile(const std::string& directory, const std::string& name) {
  return name.empty() ? directory : (fs::path(directory) / name).string();
}

absl::Status AddFile(const std::string& path, EVP_MD_CTX* digest) {
  const auto unreadable = [&path] {
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return unreadable();
  std::vector<char> block(kBlock);
  for (size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    EVP_DigestUpdate(digest, block.data(), n);
  }
  return std::ferror(file.get()) != 0 ? unreadable() : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ChecksumOfFiles(const std::string& directory) {
  const absl::StatusOr<std::vector<std::string>> names = FilesOf(directory);
  if (!names.ok()) return names.status();
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> digest(EVP_MD_CTX_new());
  if (digest == nullptr || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 is not to be had");
  }
  for (const std::string& name : *names) {
    const std::string path = PathOfFile(directory, name);
    std::error_code error;
    const std::string head = absl::StrCat(name, "\n", fs::file_size(path, error), "\n");
    EVP_DigestUpdate(digest.get(), head.data(), head.size());
    if (absl::Status status = AddFile(path, digest.get()); !status.ok()) return status;
  }
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(digest.get(), bytes, &size);
  return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(bytes), size));
}

absl::StatusOr<std::string> ChecksumOfFiles(const std::vector<std::string>& directories) {
  std::string all;
  for (const std::string& directory : directories) {
    absl::StatusOr<std::string> one = ChecksumOfFiles(directory);
    if (!one.ok() || directories.size() == 1) return one;
    absl::StrAppend(&all, *one, "\n");
  }
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(all.data(), all.size(), bytes, &size, EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 is not to be had");
  }
  return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(bytes), size));
}

namespace {

absl::Status AddStamps(const std::string& directory, FileStamps* stamps) {
  const absl::StatusOr<std::vector<std::string>> names = FilesOf(directory);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    struct stat found {};
    const std::string path = PathOfFile(directory, name);
    if (stat(path.c_str(), &found) != 0) {
      return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
    }
    (*stamps)[path] =
        absl::StrCat(found.st_size, " ", found.st_ino, " ", found.st_mtim.tv_sec, ".",
                     found.st_mtim.tv_nsec, " ", found.st_ctim.tv_sec, ".", found.st_ctim.tv_nsec);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FileStamps> StampsOfFiles(const std::vector<std::string>& directories) {
  FileStamps stamps;
  for (const std::string& directory : directories) {
    if (absl::Status status = AddStamps(directory, &stamps); !status.ok()) return status;
  }
  return stamps;
}

std::string FirstChanged(const FileStamps& before, const FileStamps& after) {
  for (const auto& [name, stamp] : before) {
    const auto now = after.find(name);
    if (now == after.end() || now->second != stamp) return name;
  }
  for (const auto& [name, stamp] : after) {
    if (!before.contains(name)) return name;
  }
  return "";
}

}  // namespace dragoman
