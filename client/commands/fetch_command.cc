#include <unistd.h>

#include <cerrno>
#include <climits>

#include "client/commands/command.h"

namespace dragoman::client {
namespace {

// The program relative to the folder of `dragoman`. In a build folder it is a link (CMakeLists.txt).
constexpr char kFetchProgram[] = "/../lib/dragoman/fetch/fetch.py";

// Returns "" if the path of this process's binary is unknown.
std::string FetchProgram() {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self));
  if (size <= 0) return "";
  const std::string path(self, static_cast<size_t>(size));
  return path.substr(0, path.rfind('/')) + kFetchProgram;
}

// The flags of client/fetch/fetch.py, for completions and manual pages. The program reads them itself
// and has the help text.
void AddFetchFlags(FlagTable* flags) {
  const auto add = [flags](const char* name, const char* value, const char* help) {
    flags->Custom(
        name, value, false, [](const std::string&) { return std::string(); }, help);
  };
  add("into", "DIR", "the models folder");
  add("list", "", "print the models that the registries have");
  add("from", "LANGUAGE", "with --list: only from this language");
  add("to", "LANGUAGE", "with --list: only to this language");
  add("offline", "", "fetch nothing; say what is missing");
  add("wait-seconds", "N", "with --offline: how long another process may take to fetch the models");
  add("attempts", "N", "attempts for each model");
  add("retry-seconds", "N", "pause after the first attempt; it doubles after each");
  add("max-mb", "N", "the most MiB of a model, all its files together");
  add("timeout-seconds", "N", "for all models together, with pauses; the next call resumes");
}

}  // namespace

int FetchCommand(const Io& io, const Arguments& arguments) {
  if (io.description != nullptr) {
    FlagTable flags;
    AddFetchFlags(&flags);
    return *ParseCommand(
        io, "fetch [NAME=]SOURCE... | --list [flags]",
        "Downloads models into the models folder. dragoman fetch --help describes the "
        "sources, the\nmirrors and the folder.",
        arguments, &flags);
  }
  std::string program = FetchProgram();
  if (access(program.c_str(), R_OK) != 0) {
    return Fail(io, "fetch",
                absl::NotFoundError("found no " + program + ", which comes with dragoman"));
  }
  // -I: neither the environment nor the current folder adds modules.
  std::string python = "python3";
  std::string isolated = "-I";
  Arguments words = arguments;
  std::vector<char*> line = {python.data(), isolated.data(), program.data()};
  for (std::string& word : words) line.push_back(word.data());
  line.push_back(nullptr);
  execvp(line[0], line.data());
  if (errno == ENOENT) {
    return Fail(io, "fetch",
                absl::NotFoundError("python3 is not installed; apt-get install python3"));
  }
  return Fail(io, "fetch", absl::ErrnoToStatus(errno, "cannot run python3"));
}

}  // namespace dragoman::client
