// libmicrohttpd with one certificate: it reads one once, when it starts. The connections come from
// the listener (http.h).
//
// One thread serves all connections in turn as they have something to say, so that silent and slow
// clients do not hold up others. A request of /metrics leaves that thread until its answer is
// made (scraper.h).
//
// Take and Close are for one thread.
#pragma once

#include <memory>

#include "engine/base/mutex.h"
#include "server/http/routes.h"
#include "server/http/scraper.h"
#include "server/security/tls_store.h"

struct MHD_Connection;
struct MHD_Daemon;

namespace dragoman {

class HttpLibrary {
 public:
  struct Options {
    const HttpHooks* hooks = nullptr;  // both borrowed; they outlive the library
    Scraper* scraper = nullptr;
    const TlsMaterial* material = nullptr;  // read once; nullptr: no TLS
    bool mutual = false;                    // see HttpTls
    int max_connections = 1;
  };
  // Null if it does not start.
  static std::unique_ptr<HttpLibrary> Start(const Options& options);
  // Waits for requests that are being answered. REQUIRES: no request waits for the scraper: it has
  // stopped, or Close has returned true.
  ~HttpLibrary();
  HttpLibrary(const HttpLibrary&) = delete;
  HttpLibrary& operator=(const HttpLibrary&) = delete;

  // Serves the connection, and owns it.
  void Take(int fd);

  // From now on no further request waits for the scraper. False: some still do.
  bool Close();

 private:
  friend struct HttpCallbacks;  // the library's

  explicit HttpLibrary(const Options& options);
  bool Enter();
  void Leave();

  const HttpHooks* const hooks_;
  Scraper* const scraper_;
  const bool mutual_;
  MHD_Daemon* daemon_ = nullptr;

  Mutex mu_;
  int waiting_ ABSL_GUARDED_BY(mu_) = 0;  // for the scraper
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman
