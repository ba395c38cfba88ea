#include "engine/model/formats/model_folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "engine/base/concat.h"
#include "engine/model/formats/opened_file.h"

namespace dragoman::engine {
namespace {

// The bytes that are reserved for each JSON value or vocabulary piece. They are for the parsed
// value, for copies of its text in the tokenizer and the vocabulary, for the indexes of both, and
// for the allocator's overhead (README.md, "Memory").
constexpr int64_t kParsedBytes = 160;

// Returns an upper bound on the number of parts that a text is parsed into: JSON values, lines, or
// pieces of a SentencePiece model. In a SentencePiece model, the tag byte before each piece is a
// line feed.
int64_t CountParts(std::string_view text) {
  int64_t parts = 0;
  for (const char c : text) {
    parts += (c == ',') + (c == ':') + (c == '[') + (c == '{') + (c == '\n');
  }
  return parts;
}

}  // namespace

std::string NameOf(const std::string& directory) {
  std::filesystem::path path(directory);
  if (!path.has_filename()) path = path.parent_path();
  return path.filename().string();
}

absl::Status InDirectory(const std::string& directory, const absl::Status& status) {
  const bool named = status.message().substr(0, directory.size()) == directory;
  return named ? status : absl::Status(status.code(), Concat(directory, ": ", status.message()));
}

std::string PathOf(const std::string& directory, std::string_view file) {
  return (std::filesystem::path(directory) / file).string();
}

absl::Status ModelFolder::CountFile(const std::string& path, uint64_t bytes) const {
  if (load_ == nullptr) return absl::OkStatus();
  return load_->memory().Keep(static_cast<int64_t>(bytes), path);
}

absl::Status ModelFolder::CountParsed(const std::string& path, std::string_view text) const {
  if (load_ == nullptr) return absl::OkStatus();
  return load_->memory().Keep(CountParts(text) * kParsedBytes, Concat(path, ": what it holds"));
}

absl::StatusOr<std::optional<std::string>> ModelFolder::ReadOptional(std::string_view file,
                                                                     size_t max_bytes) const {
  if (!Has(file)) return std::nullopt;
  absl::StatusOr<std::string> text = Read(file, max_bytes);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

std::string DiskFolder::Noted(std::string_view file, bool is_read) const {
  std::string path = PathOf(this->path(), file);
  if (load() != nullptr) load()->files().Note(path, is_read);
  return path;
}

bool DiskFolder::Has(std::string_view file) const {
  std::error_code error;
  return std::filesystem::exists(Noted(file, false), error);
}

absl::StatusOr<std::string> DiskFolder::Read(std::string_view file, size_t max_bytes) const {
  const std::string path = Noted(file, true);
  const absl::StatusOr<OpenedFile> opened = OpenedFile::Open(path, max_bytes);
  if (!opened.ok()) return opened.status();
  absl::Status status = CountFile(path, opened->size());
  if (!status.ok()) return status;
  absl::StatusOr<std::string> text = opened->ReadWhole();
  if (text.ok()) status = CountParsed(path, *text);
  if (!status.ok()) return status;
  return text;
}

absl::StatusOr<MappedFile> DiskFolder::Map(std::string_view file, size_t max_bytes) const {
  return MappedFile::Open(Noted(file, true), max_bytes);
}

std::string DiskFolder::FirstBytes(std::string_view file, size_t most) const {
  // Does not use std::ifstream, because opening a pipe would wait for its writer.
  const absl::StatusOr<OpenedFile> opened =
      OpenedFile::Open(PathOf(path(), file), std::numeric_limits<size_t>::max());
  if (!opened.ok()) return "";
  std::string bytes(most, '\0');
  const ssize_t got = pread(opened->fd(), bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::vector<std::string> DiskFolder::Names(const std::vector<std::string>& endings) const {
  return load() == nullptr ? ListNames(path(), endings) : load()->files().List(path(), endings);
}

}  // namespace dragoman::engine
