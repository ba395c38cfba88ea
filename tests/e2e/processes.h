// The project's binaries as child processes, for end-to-end tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman::testing {

// A child whose standard output is read and whose standard error goes to a temporary file. Killed
// with SIGKILL if it still runs when the object goes.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line without its end; "" once the output has ended.
  std::string ReadLine();
  std::string ReadAll();
  // The text written to standard error so far.
  std::string Errors() const;
  void Signal(int number) const;
  // Waits for the end: the exit status, or 128 + the signal.
  int Wait();
  bool running();
  int64_t ResidentBytes() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string errors_path_;
  bool ended_ = false;
  int status_ = 0;
};

// dragomand with the bundled model on free ports of the loopback.
class Daemon {
 public:
  // `program`: another than dragomand; "": that one.
  explicit Daemon(const std::vector<std::string>& flags = {}, const std::string& program = "");

  const std::string& grpc() const { return grpc_; }
  // The address of --admin-listen; "off" without it.
  const std::string& admin() const { return admin_; }
  // The address of --metrics.
  const std::string& http() const { return http_; }
  ChildProcess& process() { return process_; }

  // Body of GET `path` on the metrics port; "" when there is no answer.
  std::string Get(const std::string& path) const;

  // Samples by "name" or "name{labels}" as they stand in the text.
  using Samples = std::map<std::string, double>;
  Samples Metrics() const;

 private:
  ChildProcess process_;
  std::string grpc_;
  std::string http_;
  std::string admin_;
};

// A daemon with the bundled model that is to end by itself.
struct DaemonEnd {
  int status = 0;
  std::string output;
  std::string errors;
};
DaemonEnd RunDaemonToEnd(const std::vector<std::string>& flags, const std::string& program = "");

// The same of a daemon by the address of its metrics port, however it was started.
std::string HttpGet(const std::string& server, const std::string& path);
Daemon::Samples MetricsAt(const std::string& server);

// Sum over all label sets of a metric.
double Sum(const Daemon::Samples& samples, const std::string& name);

// The client's command line, to the end. Standard output is returned.
std::string RunClient(const std::vector<std::string>& arguments, int* status = nullptr);
// The daemon's translation of the German text of the tests; "" if it fails.
std::string TranslateGerman(const Daemon& daemon);

// The client, still running.
std::vector<std::string> ClientCommand(const std::vector<std::string>& arguments);

}  // namespace dragoman::testing
