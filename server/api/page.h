// The page at /, which translates a text in the browser over our own REST (rest.h), and the page at
// /docs, which shows the description of that REST and sends requests to it.
//
// Both are HTML, CSS and JavaScript (page/), which CMake compiles into the program. Their policies
// allow only their own files and the REST of this server.
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

// The Content-Security-Policy of the page: only own files and requests. Text becomes HTML in one
// place, the preview of a translated web page, which is a sandboxed frame.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types preview";

// The policy of /docs. RapiDoc needs inline styles, and innerHTML without trusted types.
inline constexpr std::string_view kDocsPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// `grpc_port` is that of AdapterContext. The page reads it from /page/ports.json.
std::unique_ptr<Adapter> MakePageAdapter(int grpc_port);

// Returns the adapter's routes, which need no API key. Adapters::Add sets their adapter.
std::vector<AdapterRoute> PageRoutes();

}  // namespace dragoman::server
