#include "server/http/http_library.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/base/log.h"

namespace dragoman {
namespace {

// The timeout of a connection that sends nothing, and of one that reads nothing.
constexpr unsigned kIdleSeconds = 5;
// Memory for the headers of a request; a connection holds two of these at most.
constexpr size_t kConnectionMemory = 16 * 1024;
// The same TLS versions as on the gRPC port.
constexpr char kTlsVersions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

// One request, from its headers until its answer was sent.
struct Request {
  Scraper::Answer scrape;  // null until it is made
};

void Free(void* answer) { delete static_cast<Scraper::Answer*>(answer); }

// Many connections may send the same answer at once, without copies.
MHD_Result Send(MHD_Connection* connection, const Scraper::Answer& answer) {
  auto held = std::make_unique<Scraper::Answer>(answer);
  MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
      answer->body.size(), const_cast<char*>(answer->body.data()), Free, held.get());
  if (response == nullptr) return MHD_NO;
  static_cast<void>(held.release());  // freed with the response
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->content_type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer->headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (answer->status == 405) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  // Leaves out the body for HEAD.
  const MHD_Result result =
      MHD_queue_response(connection, static_cast<unsigned>(answer->status), response);
  MHD_destroy_response(response);
  return result;
}

Scraper::Answer Refusal(int status, const char* why) {
  auto answer = std::make_shared<HttpResponse>();
  answer->status = status;
  answer->body = why;
  return answer;
}

bool IsProbe(std::string_view path) { return path == "/livez" || path == "/readyz"; }

// Whether the connection's client has shown a certificate of the authorities, made for clients.
bool IsKnownClient(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (info == nullptr || info->tls_session == nullptr) return false;
  gnutls_typed_vdata_st purpose{};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
  unsigned wrong = 0;
  const int error = gnutls_certificate_verify_peers(
      static_cast<gnutls_session_t>(info->tls_session), &purpose, 1, &wrong);
  return error == GNUTLS_E_SUCCESS && wrong == 0;
}

void LogLibrary(void* /*data*/, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof(line), format, arguments);
  std::string_view text(line);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  // The library also reports clients' mistakes.
  Log(LogLevel::kDebug, "http", {{"detail", std::string(text)}});
}

}  // namespace

struct HttpCallbacks {
  static MHD_Result Answer(void* data, MHD_Connection* connection, const char* path,
                           const char* method, const char* /*version*/, const char* /*upload*/,
                           size_t* upload_size, void** state) {
    auto* const library = static_cast<HttpLibrary*>(data);
    const std::string_view verb(method);
    // Called first with the headers alone, when only a refusal may be sent.
    if ((verb == "GET" || verb == "HEAD") && (*state == nullptr || *upload_size > 0)) {
      if (*state == nullptr) *state = new Request;
      *upload_size = 0;
      return MHD_YES;
    }
    if (library->mutual_ && !IsProbe(path) && !IsKnownClient(connection)) {
      return Send(connection,
                  Refusal(403, "found no certificate of a known client, expected one\n"));
    }
    if (IsScrape(verb, path)) return AnswerScrape(library, connection, *state);
    return Send(connection,
                std::make_shared<const HttpResponse>(RouteHttp(verb, path, *library->hooks_)));
  }

  // Called again once the connection goes on.
  static MHD_Result AnswerScrape(HttpLibrary* library, MHD_Connection* connection, void* state) {
    auto* const request = static_cast<Request*>(state);
    if (request->scrape != nullptr) return Send(connection, request->scrape);
    if (!library->Enter()) return Send(connection, Refusal(503, "the connection is too old\n"));
    // Suspended first, because the answer may come at once.
    MHD_suspend_connection(connection);
    const auto go_on = [library, connection, request](Scraper::Answer answer) {
      request->scrape = std::move(answer);
      MHD_resume_connection(connection);
      library->Leave();
    };
    if (!library->scraper_->Ask(go_on)) {
      go_on(Refusal(503, "too many scrapes wait already, or the daemon ends: try again\n"));
    }
    return MHD_YES;
  }

  static void Completed(void* /*data*/, MHD_Connection* /*connection*/, void** state,
                        MHD_RequestTerminationCode /*why*/) {
    delete static_cast<Request*>(*state);
    *state = nullptr;
  }
};

HttpLibrary::HttpLibrary(const Options& options)
    : hooks_(options.hooks), scraper_(options.scraper), mutual_(options.mutual) {}

std::unique_ptr<HttpLibrary> HttpLibrary::Start(const Options& options) {
  std::unique_ptr<HttpLibrary> library(new HttpLibrary(options));
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
                   MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  std::vector<MHD_OptionItem> more;
  const auto text = [&more](MHD_OPTION option, const std::string& value) {
    more.push_back({option, 0, const_cast<char*>(value.c_str())});
  };
  if (options.material != nullptr) {
    flags |= MHD_USE_TLS;
    text(MHD_OPTION_HTTPS_MEM_CERT, options.material->certificate);
    text(MHD_OPTION_HTTPS_MEM_KEY, options.material->key);
    if (options.mutual) text(MHD_OPTION_HTTPS_MEM_TRUST, options.material->client_ca);
    more.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)});
  }
  more.push_back({MHD_OPTION_END, 0, nullptr});
  // Connections that the listener has dropped take a moment to be closed here, hence twice as many.
  library->daemon_ = MHD_start_daemon(
      flags, 0, nullptr, nullptr, HttpCallbacks::Answer, library.get(), MHD_OPTION_EXTERNAL_LOGGER,
      LogLibrary, nullptr, MHD_OPTION_NOTIFY_COMPLETED, HttpCallbacks::Completed, nullptr,
      MHD_OPTION_CONNECTION_LIMIT, 2U * static_cast<unsigned>(options.max_connections),
      MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_ARRAY, more.data(), MHD_OPTION_END);
  if (library->daemon_ == nullptr) return nullptr;
  return library;
}

HttpLibrary::~HttpLibrary() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

void HttpLibrary::Take(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size);
  // Closes it where it fails.
  MHD_add_connection(daemon_, fd, reinterpret_cast<const sockaddr*>(&peer), size);
}

bool HttpLibrary::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  return waiting_ == 0;
}

bool HttpLibrary::Enter() {
  MutexLock lock(&mu_);
  if (closed_) return false;
  ++waiting_;
  return true;
}

void HttpLibrary::Leave() {
  MutexLock lock(&mu_);
  --waiting_;
}

}  // namespace dragoman
