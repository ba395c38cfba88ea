// The page at / and the page at /docs. The first translates a text in the browser with the server's
// REST API (rest.h). The second shows the description of this API and sends requests to it.
//
// Both consist of HTML, CSS and JavaScript (page/), which CMake compiles into the program. Their
// Content-Security-Policy allows only their own files and this server's REST API.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

struct PageFile {
  std::string_view path;  // "/", "/page/main.js"
  std::string_view content_type;
  std::string_view policy;  // the answer's Content-Security-Policy
  std::string_view text;
};

// All files of the page, which are constant data of the program.
std::span<const PageFile> PageFiles();

// The Content-Security-Policy of the page. It allows only own files and requests to this server.
// The page turns text into HTML in one place: the preview of a translated web page, which is a
// sandboxed frame.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types preview";

// The policy of /docs. RapiDoc needs inline styles, and innerHTML without trusted types.
inline constexpr std::string_view kDocsPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// `grpc_port` is AdapterContext::grpc_port. The page reads it from /page/ports.json.
std::unique_ptr<Adapter> MakePageAdapter(int grpc_port);

// Returns the adapter's routes, which need no API key. Adapters::Add sets their adapter.
std::vector<AdapterRoute> PageRoutes();

}  // namespace dragoman::server
