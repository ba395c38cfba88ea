#include "engine/text/terms/glossaries.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

namespace fs = std::filesystem;

absl::Status FileError(const fs::path& path, const std::error_code& error) {
  const std::string message = absl::StrCat(path.string(), ": ", error.message());
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    return absl::NotFoundError(message);
  }
  if (error == std::errc::permission_denied) return absl::PermissionDeniedError(message);
  return absl::UnavailableError(message);
}

std::optional<GlossaryFormat> FormatOf(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".tsv") return GlossaryFormat::kTsv;
  if (extension == ".csv") return GlossaryFormat::kCsv;
  return std::nullopt;
}

// The memory that a load reserves for a row of a file. Covers the row's term and the term's part of
// the index, which take about 170 bytes (glossary.h).
constexpr int64_t kTermBytes = 256;

absl::StatusOr<std::shared_ptr<const Glossary>> ReadGlossary(const fs::path& path,
                                                             LoadContext* load) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return FileError(path, error);
  const std::string file = path.filename().string();
  if (size > kMaxGlossaryBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", size, " bytes, expected at most ", kMaxGlossaryBytes));
  }
  LoadMemory::Hold hold;  // for the file's text, which is freed after it is parsed
  if (load != nullptr) {
    absl::StatusOr<LoadMemory::Hold> reserved =
        load->memory().Reserve(static_cast<int64_t>(size), path.string());
    if (!reserved.ok()) return reserved.status();
    hold = *std::move(reserved);
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (stream.is_open() && size > 0) stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!stream.is_open() || stream.bad()) {
    return FileError(path, std::error_code(errno, std::generic_category()));
  }
  if (static_cast<uintmax_t>(stream.gcount()) != size || stream.peek() != EOF) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": was ", size, " bytes, and others when it was read, expected it to stay"));
  }
  if (load != nullptr) {
    const auto rows = 1 + std::count(bytes.begin(), bytes.end(), '\n');
    absl::Status status = load->memory().Keep(static_cast<int64_t>(size) + rows * kTermBytes,
                                              absl::StrCat(path.string(), ": what it holds"));
    if (!status.ok()) return status;
  }
  return Glossary::Parse(bytes, file, *FormatOf(path));
}

}  // namespace

absl::StatusOr<GlossaryDirectory> LoadGlossaries(const fs::path& directory, LoadContext* load) {
  std::error_code error;
  std::vector<fs::path> files;
  GlossaryDirectory loaded;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code missing;  // ignored, because a broken link fails later, when the file is read
    const bool is_folder = entry->is_directory(missing);
    if (!is_folder && FormatOf(entry->path())) {
      files.push_back(entry->path());
    } else {
      loaded.ignored.push_back(name);
    }
  }
  if (error) return FileError(directory, error);
  std::sort(files.begin(), files.end());
  std::sort(loaded.ignored.begin(), loaded.ignored.end());

  std::map<std::string, std::string> file_of;
  for (const fs::path& path : files) {
    const std::string file = path.filename().string();
    const std::string name = path.stem().string();
    if (FirstInvalidUtf8(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the name of a glossary in ", directory.string(), " is not UTF-8"));
    }
    const auto [known, is_new] = file_of.emplace(name, file);
    if (!is_new) {
      return absl::InvalidArgumentError(absl::StrCat(file, ": a second file for the glossary '",
                                                     name, "', which ", known->second,
                                                     " has; expected one"));
    }
    if (absl::Status status = CheckGoesOn(load); !status.ok()) return status;
    auto glossary = ReadGlossary(path, load);
    if (!glossary.ok()) return glossary.status();
    loaded.glossaries.emplace(name, *std::move(glossary));
  }
  return loaded;
}

absl::Status Glossaries::Load(const Tokenizer& tokenizer, LoadContext* load) {
  if (directory_.empty()) return absl::OkStatus();
  absl::StatusOr<GlossaryDirectory> loaded = LoadGlossaries(directory_, load);
  if (!loaded.ok()) return loaded.status();
  for (const auto& [name, glossary] : loaded->glossaries) {
    if (absl::Status status = glossary->CheckTargets(tokenizer, load); !status.ok()) return status;
  }
  auto now = std::make_shared<const GlossaryDirectory>(*std::move(loaded));
  MutexLock lock(&mu_);
  loaded_.swap(now);  // the old glossaries are destroyed outside the lock
  return absl::OkStatus();
}

std::shared_ptr<const Glossary> Glossaries::Find(std::string_view name) const {
  MutexLock lock(&mu_);
  if (loaded_ == nullptr) return nullptr;
  const auto found = loaded_->glossaries.find(name);
  return found == loaded_->glossaries.end() ? nullptr : found->second;
}

std::vector<std::string> Glossaries::Names() const {
  std::vector<std::string> names;
  MutexLock lock(&mu_);
  if (loaded_ == nullptr) return names;
  for (const auto& [name, glossary] : loaded_->glossaries) names.push_back(name);
  return names;
}

}  // namespace dragoman::engine
