#include "tests/e2e/processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace dragoman::testing {
namespace {

// Returns the value of `name` in a line of the form "... name=value ...".
std::string Field(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

std::vector<std::string> DaemonCommand(const std::vector<std::string>& flags,
                                       const std::string& program) {
  const std::string model = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
  std::vector<std::string> command = {program.empty() ? DRAGOMAN_DAEMON : program,
                                      "--model",
                                      model,
                                      "--listen",
                                      "127.0.0.1:0",
                                      "--metrics",
                                      "127.0.0.1:0"};
  if (std::find(flags.begin(), flags.end(), "--http") == flags.end()) {
    command.insert(command.end(), {"--http", "off"});
  }
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  char path[] = "/tmp/dragoman-e2e-XXXXXX";
  const int errors = mkstemp(path);
  errors_path_ = path;
  int ends[2];
  if (errors < 0 || pipe2(ends, O_CLOEXEC) != 0) std::abort();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  close(errors);
  output_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    Wait();
  }
  close(output_);
  unlink(errors_path_.c_str());
}

std::string ChildProcess::ReadLine() {
  std::string line;
  for (char c = 0; read(output_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string ChildProcess::ReadAll() {
  std::string all;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(output_, buffer, sizeof(buffer))) > 0;) {
    all.append(buffer, static_cast<size_t>(n));
  }
  return all;
}

std::string ChildProcess::Errors() const {
  std::ifstream file(errors_path_);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ChildProcess::Signal(int number) const { kill(pid_, number); }

int ChildProcess::Wait() {
  if (ended_) return status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

void ChildProcess::Stop() {
  Signal(SIGTERM);
  EXPECT_EQ(Wait(), 0) << Errors();
}

bool ChildProcess::running() {
  if (ended_) return false;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
  return info.si_pid == 0;
}

int64_t ChildProcess::ResidentBytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Daemon::Daemon(const std::vector<std::string>& flags, const std::string& program)
    : process_(DaemonCommand(flags, program)) {
  const std::string line = process_.ReadLine();
  grpc_ = Field(line, "grpc");
  http_ = Field(line, "metrics");
  rest_ = Field(line, "http");
  admin_ = Field(line, "admin");
  EXPECT_FALSE(grpc_.empty()) << "the daemon did not start: " << line << process_.Errors();
}

DaemonEnd RunDaemonToEnd(const std::vector<std::string>& flags, const std::string& program) {
  ChildProcess daemon(DaemonCommand(flags, program));
  DaemonEnd end;
  end.output = daemon.ReadAll();
  end.status = daemon.Wait();
  end.errors = daemon.Errors();
  return end;
}

std::string HttpGet(const std::string& server, const std::string& path, const std::string& host) {
  const size_t colon = server.rfind(':');
  if (colon == std::string::npos) return "";
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(server.c_str() + colon + 1)));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(request.size())) {
      char buffer[8192];
      for (ssize_t n = 0; (n = read(fd, buffer, sizeof(buffer))) > 0;) {
        answer.append(buffer, static_cast<size_t>(n));
      }
    }
  }
  close(fd);
  const size_t body = answer.find("\r\n\r\n");
  return body == std::string::npos ? "" : answer.substr(body + 4);
}

std::string Daemon::Get(const std::string& path) const { return HttpGet(http_, path); }

Daemon::Samples Daemon::Metrics() const { return MetricsAt(http_); }

Daemon::Samples MetricsAt(const std::string& server) {
  Daemon::Samples samples;
  std::istringstream text(HttpGet(server, "/metrics"));
  for (std::string line; std::getline(text, line);) {
    const size_t space = line.rfind(' ');
    if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
    samples[line.substr(0, space)] = std::atof(line.c_str() + space + 1);
  }
  return samples;
}

double Sum(const Daemon::Samples& samples, const std::string& name) {
  double sum = 0;
  for (const auto& [key, value] : samples) {
    if (key == name || key.starts_with(name + "{")) sum += value;
  }
  return sum;
}

std::string OwnLoopbackAddress() {
  const auto pid = static_cast<uint32_t>(getpid());
  const in_addr address{htonl((127U << 24) | ((1 + (pid >> 16) % 254) << 16) | (pid & 0xFFFF))};
  return inet_ntoa(address);
}

std::vector<std::string> ClientCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {DRAGOMAN_CLIENT};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::string RunClient(const std::vector<std::string>& arguments, int* status) {
  ChildProcess client(ClientCommand(arguments));
  std::string output = client.ReadAll();
  const int ended = client.Wait();
  if (status != nullptr) *status = ended;
  return output;
}

std::string TranslateGerman(const Daemon& daemon) {
  int status = -1;
  const std::string english =
      RunClient({"translate", "--server", daemon.grpc(), "--from", "de", "--to", "en",
                 DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"},
                &status);
  return status == 0 ? english : "";
}

}  // namespace dragoman::testing
