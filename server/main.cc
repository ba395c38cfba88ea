// dragomand: see --help.
#include <cstdio>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/daemon.h"
#include "server/engine_start.h"
#include "server/signals.h"
#include "server/version.h"

int main(int argc, char** argv) {
  dragoman::PrepareSignals();
  const auto refuse = [](const absl::Status& status) {
    std::fprintf(stderr, "dragomand: %s\n", std::string(status.message()).c_str());
    return 2;
  };
  const auto command = dragoman::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!command.ok()) return refuse(command.status());
  using Mode = dragoman::CommandMode;
  if (command->mode == Mode::kServe || command->mode == Mode::kCheckConfig) {
    const absl::Status settings = dragoman::CheckEngineSettings(command->config);
    if (!settings.ok()) return refuse(settings);
  }
  switch (command->mode) {
    case dragoman::CommandMode::kHelp:
      std::fputs(dragoman::HelpText().c_str(), stdout);
      return 0;
    case dragoman::CommandMode::kVersion:
      std::printf("dragomand %s\n", dragoman::kVersion);
      return 0;
    case dragoman::CommandMode::kCheckConfig:
      std::printf("%s\n", dragoman::ConfigToJson(command->config).c_str());
      return 0;
    case dragoman::CommandMode::kServe:
      break;
  }
  return dragoman::RunDaemon(command->config);
}
