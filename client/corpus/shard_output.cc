#include "client/corpus/shard_output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/commands/translation_json.h"

namespace dragoman::client {
namespace {

using json = nlohmann::ordered_json;
using Models = ModelIdentities;

// DIR/.NAME.part for DIR/NAME.
std::string PartOf(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  return absl::StrCat(path.substr(0, name), ".", path.substr(name), ".part");
}

std::string ManifestOf(const std::string& path) { return path + ".manifest.json"; }

// Returns the JSON object in the file, or null.
json ReadObject(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  json object = json::parse(file, nullptr, false);
  return object.is_object() ? object : json();
}

json ToJson(const ShardProgress& progress) {
  json models = json::array();
  for (const auto& [name, model] : progress.models) {
    models.push_back({{"name", name}, {"version", model.version}, {"checksum", model.checksum}});
  }
  return {{"lines", progress.lines},       {"texts", progress.texts},
          {"sent", progress.sent},         {"characters", progress.characters},
          {"failures", progress.failures}, {"content_bytes", progress.content_bytes},
          {"seconds", progress.seconds},   {"content_sha256", progress.content_sha256},
          {"models", std::move(models)}};
}

Models ModelsOf(const json& object) {
  Models models;
  for (const json& model : object.value("models", json::array())) {
    models[model.value("name", "")] = {model.value("checksum", ""), model.value("version", 0)};
  }
  return models;
}

ShardProgress FromJson(const json& object) {
  ShardProgress progress;
  progress.lines = object.value("lines", int64_t{0});
  progress.texts = object.value("texts", int64_t{0});
  progress.sent = object.value("sent", int64_t{0});
  progress.characters = object.value("characters", int64_t{0});
  progress.failures = object.value("failures", int64_t{0});
  progress.content_bytes = object.value("content_bytes", int64_t{0});
  progress.content_sha256 = object.value("content_sha256", "");
  progress.seconds = object.value("seconds", 0.0);
  progress.models = ModelsOf(object);
  return progress;
}

// Reports whether all models in `of` are the same in `models`.
bool HaveAll(const Models& models, const Models& of) {
  return std::all_of(of.begin(), of.end(), [&](const auto& model) {
    return IsUnchanged(models, model.first, model.second);
  });
}

// Reports whether a file is the one that `described` says.
bool IsSame(const std::string& path, const json& described) {
  const absl::StatusOr<json> now = DescribeFile(path);
  if (!now.ok() || (*now)["bytes"] != described.value("bytes", int64_t{-1})) return false;
  if ((*now)["modified"] == described.value("modified", int64_t{-1})) return true;
  const absl::StatusOr<std::string> digest = Sha256Of(path);
  return digest.ok() && *digest == described.value("sha256", "");
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::UnavailableError(absl::ErrnoToStatus(error, "cannot write " + path).message());
}

}  // namespace

bool IsUnchanged(const ModelIdentities& models, const std::string& name,
                 const ModelIdentity& identity) {
  const auto found = models.find(name);
  return found == models.end() ? identity.checksum.empty() : found->second == identity;
}

absl::StatusOr<json> DescribeFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, "cannot open " + path);
  return json{{"path", path},
              {"bytes", int64_t{info.st_size}},
              {"modified", info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec}};
}

absl::Status ReplaceFile(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return CannotWrite(temporary, errno);
  const bool is_written = WriteAll(fd, content).ok() && fdatasync(fd) == 0;
  const int error = errno;
  close(fd);
  if (!is_written) {
    unlink(temporary.c_str());
    return CannotWrite(temporary, error);
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) return CannotWrite(path, errno);
  return absl::OkStatus();
}

bool IsComplete(const std::string& path, const std::string& input, const json& options,
                const Models* models) {
  const json manifest = ReadObject(ManifestOf(path));
  if (manifest.is_null() || manifest.value("options", json()) != options) return false;
  if (models != nullptr && !HaveAll(*models, ModelsOf(manifest))) return false;
  return IsSame(path, manifest.value("output", json::object())) &&
         IsSame(input, manifest.value("input", json::object()));
}

ShardOutput::ShardOutput(std::string path, json options, int fd)
    : path_(std::move(path)),
      part_(PartOf(path_)),
      options_(std::move(options)),
      fd_(fd),
      digest_(std::make_unique<Sha256>()) {}

ShardOutput::~ShardOutput() { close(fd_); }

absl::StatusOr<std::unique_ptr<ShardOutput>> ShardOutput::Open(const std::string& path,
                                                               const json& options,
                                                               const Models& models) {
  const std::string part = PartOf(path);
  const int fd = open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot write " + part);
  std::unique_ptr<ShardOutput> output(new ShardOutput(path, options, fd));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return absl::UnavailableError(absl::StrCat("another process writes ", path));
  }
  // The other process may have finished and renamed the file before the lock was taken.
  struct stat locked {};
  struct stat named {};
  if (fstat(fd, &locked) != 0 || stat(part.c_str(), &named) != 0 || locked.st_ino != named.st_ino) {
    return absl::UnavailableError(absl::StrCat("another process has just written ", path));
  }
  if (absl::Status status = output->Continue(models); !status.ok()) return status;
  return output;
}

absl::Status ShardOutput::Continue(const Models& models) {
  const json known = ReadObject(part_ + ".json");
  struct stat info {};
  if (known.is_null() || known.value("options", json()) != options_ ||
      !HaveAll(models, ModelsOf(known)) || fstat(fd_, &info) != 0 ||
      info.st_size < known.value("output_bytes", int64_t{0})) {
    return Restart();
  }
  kept_ = FromJson(known);
  bytes_ = known.value("output_bytes", int64_t{0});
  if (ftruncate(fd_, bytes_) != 0) return CannotWrite(part_, errno);
  std::string block(size_t{1} << 20, '\0');
  for (ssize_t got = 0; (got = read(fd_, block.data(), block.size())) > 0;) {
    digest_->Add(std::string_view(block.data(), static_cast<size_t>(got)));
  }
  return absl::OkStatus();
}

absl::Status ShardOutput::Restart() {
  kept_ = {};
  bytes_ = 0;
  digest_ = std::make_unique<Sha256>();
  unlink((part_ + ".json").c_str());
  if (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0) return CannotWrite(part_, errno);
  return absl::OkStatus();
}

absl::Status ShardOutput::WriteBlock(std::string_view bytes, const ShardProgress& progress) {
  if (!WriteAll(fd_, bytes).ok() || fdatasync(fd_) != 0) return CannotWrite(part_, errno);
  digest_->Add(bytes);
  bytes_ += static_cast<int64_t>(bytes.size());
  json known = ToJson(progress);
  known["output_bytes"] = bytes_;
  known["options"] = options_;
  return ReplaceFile(part_ + ".json", JsonLine(known));
}

absl::Status ShardOutput::Finish(const json& input, const ShardProgress& progress) {
  json manifest = ToJson(progress);
  manifest["input"] = input;
  manifest["options"] = options_;
  absl::StatusOr<json> output = DescribeFile(part_);
  if (!output.ok()) return output.status();
  (*output)["path"] = path_;
  (*output)["sha256"] = digest_->Hex();
  manifest["output"] = *std::move(output);
  if (rename(part_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
  unlink((part_ + ".json").c_str());
  return ReplaceFile(ManifestOf(path_), manifest.dump(2) + "\n");
}

}  // namespace dragoman::client
