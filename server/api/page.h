// The page at /: a text and its translation in the browser, by our own REST (rest.h). And the page at
// /docs, which shows the description of that REST and sends requests to it.
//
// Both are HTML, CSS and JavaScript (page/), which CMake compiles into the program. They ask for
// nothing but their own files and the REST of this server, and their policies let the browser do no
// more than that.
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

// The Content-Security-Policy of the page: own files and own requests only. Text becomes HTML in
// one place, the preview of a translated web page, which is a sandboxed frame.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types preview";

// The policy of /docs. The library RapiDoc draws that page. It needs inline styles, and it writes
// innerHTML, which trusted types would forbid.
inline constexpr std::string_view kDocsPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// `grpc_port` is AdapterContext's, which the page gets at /page/ports.json.
std::unique_ptr<Adapter> MakePageAdapter(int grpc_port);

// The requests that are the adapter's, without it (Adapters::Add). They need no API key: what the page
// asks for does.
std::vector<AdapterRoute> PageRoutes();

}  // namespace dragoman::server
