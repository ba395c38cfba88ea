#include "engine/text/glossary_directory.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman {
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

absl::StatusOr<std::string> Read(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  if (error) return FileError(file, error);
  if (size > kMaxGlossaryBytes) {
    return absl::InvalidArgumentError(absl::StrCat(file.filename().string(), ": ", size,
                                                   " bytes, expected at most ", kMaxGlossaryBytes));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  if (stream.is_open() && size > 0) bytes << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || bytes.fail()) {
    return FileError(file, std::error_code(errno, std::generic_category()));
  }
  return std::move(bytes).str();
}

}  // namespace

absl::StatusOr<GlossaryDirectory> LoadGlossaries(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> files;
  GlossaryDirectory loaded;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code missing;  // a symbolic link to nothing is an error, when it is read
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
    absl::StatusOr<std::string> bytes = Read(path);
    if (!bytes.ok()) return bytes.status();
    auto glossary = Glossary::Parse(*bytes, file, *FormatOf(path));
    if (!glossary.ok()) return glossary.status();
    loaded.glossaries.emplace(name, *std::move(glossary));
  }
  return loaded;
}

}  // namespace dragoman
