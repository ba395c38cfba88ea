// The project's binaries as child processes, for end-to-end tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman::testing {

// A child process. Its standard output is read and its standard error goes to a temporary file. The
// destructor kills it with SIGKILL if it still runs.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns the next line without its end; "" after the end of the output.
  std::string ReadLine();
  std::string ReadAll();
  // The text written to standard error so far.
  std::string Errors() const;
  void Signal(int number) const;
  // Waits for the end. Returns the exit status, or 128 + the signal.
  int Wait();
  // Sends SIGTERM. Expects that the process ends with status 0.
  void Stop();
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
  // `program` replaces dragomand unless it is "".
  explicit Daemon(const std::vector<std::string>& flags = {}, const std::string& program = "");

  const std::string& grpc() const { return grpc_; }
  // The address of --admin-listen; "off" without it.
  const std::string& admin() const { return admin_; }
  // The address of --metrics.
  const std::string& http() const { return http_; }
  // The address of --http; "off" without it.
  const std::string& rest() const { return rest_; }
  ChildProcess& process() { return process_; }
  void Stop() { process_.Stop(); }

  // Returns the body of GET `path` on the metrics port; "" if there is no answer.
  std::string Get(const std::string& path) const;

  // Samples by "name" or "name{labels}" as in the text.
  using Samples = std::map<std::string, double>;
  Samples Metrics() const;

 private:
  ChildProcess process_;
  std::string grpc_;
  std::string http_;
  std::string rest_;
  std::string admin_;
};

// Returns an address of the loopback that no other process of the tests uses. A port of it stays free
// between two daemons: any process may be given a port of 127.0.0.1 that was just closed.
std::string OwnLoopbackAddress();

// A daemon with the bundled model that is expected to end by itself.
struct DaemonEnd {
  int status = 0;
  std::string output;
  std::string errors;
};
DaemonEnd RunDaemonToEnd(const std::vector<std::string>& flags, const std::string& program = "");

// Returns the body of GET `path` at an HTTP port; "" if there is no answer. `host` is the Host
// header.
std::string HttpGet(const std::string& server, const std::string& path,
                    const std::string& host = "localhost");
// Returns the samples of a metrics port.
Daemon::Samples MetricsAt(const std::string& server);

// Returns the sum of a metric over all label sets.
double Sum(const Daemon::Samples& samples, const std::string& name);

// Runs the client to its end. Returns its standard output.
std::string RunClient(const std::vector<std::string>& arguments, int* status = nullptr);
// Returns the daemon's translation of the tests' German text; "" if it fails.
std::string TranslateGerman(const Daemon& daemon);

// Returns the command line that starts the client.
std::vector<std::string> ClientCommand(const std::vector<std::string>& arguments);

}  // namespace dragoman::testing
