#include "engine/model/formats/zip_folder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "engine/base/concat.h"
#include "engine/model/formats/opened_file.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman::engine {
namespace {

// The maximum size of an archive. Packages of Argos Translate are about a hundred times smaller.
constexpr size_t kMaxArchiveBytes = size_t{16} << 30;
// The maximum size of an entry that is decompressed into memory.
constexpr size_t kMaxMemoryBytes = size_t{4} << 30;

// Reports whether a program that unpacks the archive carelessly would write the entry outside its
// folder. This program writes no files, but an archive with such a name is an attack and is
// refused.
bool LeadsOut(std::string_view name) {
  if (name.starts_with('/') || name.find('\\') != name.npos || name.find('\0') != name.npos) {
    return true;
  }
  const std::vector<std::string> parts = absl::StrSplit(std::string(name), '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

std::string PathOfFolder(const std::string& archive, std::string_view prefix) {
  std::string path = archive;
  if (!prefix.empty()) path += Concat("/", prefix.substr(0, prefix.size() - 1));
  return path;
}

// Appends the bytes to a file in memory.
absl::Status WriteAll(const OpenedFile& file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file.fd(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      return absl::ResourceExhaustedError(
          Concat(file.path(), ": does not fit in memory: ", std::strerror(errno)));
    }
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ZipArchive> ZipArchive::Open(const std::string& path, LoadContext* load) {
  if (load != nullptr) load->files().Note(path, true);
  absl::StatusOr<MappedFile> file = MappedFile::Open(path, kMaxArchiveBytes);
  if (!file.ok()) return file.status();
  const std::span<const uint8_t> bytes = file->bytes();
  if (bytes.size() < 2 || bytes[0] != 'P' || bytes[1] != 'K') {
    return absl::InvalidArgumentError(Concat(
        path, ": a file that is no zip archive, expected a model's directory, or a package of ",
        "Argos Translate (.argosmodel)"));
  }
  absl::StatusOr<ZipEntries> entries = ReadZipEntries(bytes, path);
  if (absl::Status status = file->Check(); !status.ok()) return status;
  if (!entries.ok()) return entries.status();
  for (const auto& [name, entry] : *entries) {
    if (!LeadsOut(name)) continue;
    return absl::InvalidArgumentError(Concat(path, ": zip entry '",
                                             absl::CHexEscape(name.substr(0, 128)),
                                             "' leads out of the archive"));
  }
  return ZipArchive(path, load, *std::move(file), *std::move(entries));
}

ZipFolder::ZipFolder(const ZipArchive* archive, std::string prefix)
    : ModelFolder(PathOfFolder(archive->path(), prefix), archive->load()),
      archive_(archive),
      prefix_(std::move(prefix)) {}

std::string ZipFolder::PathOfFile(std::string_view file) const { return Concat(path(), "/", file); }

bool ZipFolder::Has(std::string_view file) const {
  return archive_->entries().contains(Concat(prefix_, file));
}

absl::StatusOr<const ZipEntry*> ZipFolder::Find(std::string_view file) const {
  const auto found = archive_->entries().find(Concat(prefix_, file));
  if (found == archive_->entries().end()) {
    return absl::NotFoundError(Concat(PathOfFile(file), ": there is no such entry"));
  }
  return &found->second;
}

absl::StatusOr<std::string> ZipFolder::Read(std::string_view file, size_t max_bytes) const {
  const absl::StatusOr<const ZipEntry*> entry = Find(file);
  if (!entry.ok()) return entry.status();
  const std::string path = PathOfFile(file);
  absl::Status status = CheckZipEntry(path, **entry, max_bytes);
  if (status.ok()) status = CountFile(path, (*entry)->size);
  if (!status.ok()) return status;
  std::string text;
  status = ReadZipEntry(path, **entry, max_bytes, [&](std::span<const uint8_t> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return CheckGoesOn(load());
  });
  // Reports a change of the file before other errors, because the change may have caused them:
  // after a truncation, bytes are zeros and the checksum is wrong.
  if (absl::Status changed = archive_->Check(); !changed.ok()) return changed;
  if (status.ok()) status = CountParsed(path, text);
  if (!status.ok()) return status;
  return text;
}

absl::StatusOr<MappedFile> ZipFolder::Map(std::string_view file, size_t max_bytes) const {
  const absl::StatusOr<const ZipEntry*> entry = Find(file);
  if (!entry.ok()) return entry.status();
  const std::string path = PathOfFile(file);
  const size_t most = std::min(max_bytes, kMaxMemoryBytes);
  absl::Status status = CheckZipEntry(path, **entry, most);
  if (!status.ok()) return status;
  LoadMemory::Hold hold;
  if (load() != nullptr) {
    absl::StatusOr<LoadMemory::Hold> reserved = load()->memory().Reserve(
        static_cast<int64_t>((*entry)->size), Concat(path, ", which is unpacked into memory,"));
    if (!reserved.ok()) return reserved.status();
    hold = *std::move(reserved);
  }
  absl::StatusOr<OpenedFile> memory = OpenedFile::InMemory(path);
  if (!memory.ok()) return memory.status();
  status = ReadZipEntry(path, **entry, most, [&](std::span<const uint8_t> bytes) {
    absl::Status goes_on = CheckGoesOn(load());
    return goes_on.ok() ? WriteAll(*memory, bytes) : goes_on;
  });
  if (absl::Status changed = archive_->Check(); !changed.ok()) return changed;
  if (!status.ok()) return status;
  status = memory->Refresh();
  if (!status.ok()) return status;
  return MappedFile::Of(*std::move(memory), std::move(hold));
}

}  // namespace dragoman::engine
