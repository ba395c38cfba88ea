#include "server/call/detect/classifier_file.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

// The SHA-256 of lid.176.ftz and lid.176.bin of
// https://fasttext.cc/docs/en/language-identification.html.
constexpr std::string_view kPublished[] = {
    "8f3472cfe8738a7b6099e8e999c3cbfae0dcd15696aac7d7738a8039db603e83",
    "7e69ec5451bc261cc7844e49e4792a85d7f09c06789ec800fc4a44aec362764e"};

std::string Sha256Of(std::string_view bytes) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash), sizeof(hash)));
}

// Reads all of an open file.
absl::StatusOr<std::string> ReadAll(int fd, int64_t most) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return absl::InvalidArgumentError(ErrorText(errno));
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(S_ISDIR(info.st_mode)
                                          ? "found a directory, expected a file"
                                          : "found no regular file, expected one");
  }
  if (info.st_size > most) {
    return absl::ResourceExhaustedError(absl::StrCat("found ", info.st_size,
                                                     " bytes, expected at most ", most,
                                                     ", which is the memory that is left"));
  }
  // The extra byte detects that the file has grown.
  std::string bytes(static_cast<size_t>(info.st_size) + 1, '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t count = read(fd, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::InvalidArgumentError(ErrorText(errno));
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size != static_cast<size_t>(info.st_size)) {
    return absl::InvalidArgumentError("found a file that changes while it is read");
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadClassifierFile(const std::string& path, int64_t most) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return absl::InvalidArgumentError(ErrorText(errno));
  absl::StatusOr<std::string> bytes = ReadAll(fd, most);
  close(fd);
  return bytes;
}

absl::Status CheckClassifier(std::string_view bytes, const std::string& sha256) {
  const std::string found = Sha256Of(bytes);
  if (!sha256.empty()) {
    if (found == sha256) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("found the SHA-256 ", found, ", expected ",
                                                   sha256, " of --language-model-sha256"));
  }
  for (const std::string_view published : kPublished) {
    if (found == published) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "found the SHA-256 ", found,
      ", expected that of fastText's lid.176.ftz or lid.176.bin; --language-model-sha256 "
      "with the one that was found allows this file"));
}

}  // namespace dragoman::server
