// dragomand: see --help.
#include <cstdio>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/daemon.h"
#include "server/signals.h"
#include "server/version.h"

int main(int argc, char** argv) {
  dragoman::PrepareSignals();
  const auto command = dragoman::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!command.ok()) {
    std::fprintf(stderr, "dragomand: %s\n", std::string(command.status().message()).c_str());
    return 2;
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
