// The main function of dragomand, the translation server. `dragomand --help` describes it.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/api/build_info.h"
#include "engine/api/create_engine.h"
#include "server/process/daemon.h"
#include "server/process/engine_start.h"
#include "server/process/signals.h"
#include "server/process/version_text.h"
#include "server/settings/config.h"

namespace {

// Opens /dev/null in place of every standard descriptor that is closed. Otherwise the next opened
// file, such as a client's connection, would get its number and receive log lines. Standard input
// is opened for writing and the others for reading, so that using them still fails.
//
// Runs before the libraries are initialized, because gRPC opens an eventfd then. Uses system calls,
// because no sanitizer's runtime exists yet. client/commands/main.cc has the same function, because
// the two programs share only the proto (tests/lint/includes.py).
__attribute__((no_sanitize("address", "thread", "undefined"))) void OpenStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (syscall(SYS_fcntl, fd, F_GETFD) >= 0) continue;
    syscall(SYS_openat, AT_FDCWD, "/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY, 0);
  }
}

[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)() = OpenStandardDescriptors;

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto refuse = [](const absl::Status& status) {
    std::fprintf(stderr, "dragomand: %s\n", std::string(status.message()).c_str());
    return 2;
  };
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto command = dragoman::server::ParseCommandLine(arguments);
  if (!command.ok()) return refuse(command.status());
  using Mode = dragoman::server::CommandMode;
  if (command->mode == Mode::kServe || command->mode == Mode::kCheckConfig) {
    const absl::Status settings = dragoman::server::CheckEngineSettings(command->config);
    if (!settings.ok()) return refuse(settings);
  }
  switch (command->mode) {
    case dragoman::server::CommandMode::kHelp:
      std::fputs(dragoman::server::HelpText(command->help).c_str(), stdout);
      return 0;
    case dragoman::server::CommandMode::kVersion:
      std::fputs(
          dragoman::server::VersionText(command->verbose, dragoman::engine::DescribeEngineBuild())
              .c_str(),
          stdout);
      return 0;
    case dragoman::server::CommandMode::kCheckConfig:
      std::printf("%s\n", dragoman::server::ConfigToJson(command->config).c_str());
      return 0;
    case dragoman::server::CommandMode::kPrintProgram: {
      const auto network = dragoman::engine::DescribeNetwork(
          command->config.model_directory, command->config.models.front().ensemble);
      if (!network.ok()) {
        static_cast<void>(refuse(network.status()));
        return 1;
      }
      std::fputs(network->c_str(), stdout);
      return 0;
    }
    case dragoman::server::CommandMode::kServe:
      break;
  }
  // Up to this line, SIGTERM and SIGINT end the process. After it, the daemon waits for them.
  dragoman::server::PrepareSignals();
  dragoman::server::ReadConfig read_again;
  if (command->can_be_read_again) {
    read_again = [&arguments]() -> absl::StatusOr<dragoman::server::ServerConfig> {
      const auto again = dragoman::server::ParseCommandLine(arguments);
      if (!again.ok()) return again.status();
      const absl::Status settings = dragoman::server::CheckEngineSettings(again->config);
      if (!settings.ok()) return settings;
      return again->config;
    };
  }
  return dragoman::server::RunDaemon(command->config, read_again);
}
