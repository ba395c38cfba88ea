// The status page: status_page.html, of which CMake makes a part of the program. It asks for
// /metrics by itself and needs nothing else.
#pragma once

#include <string_view>

namespace dragoman::server {

// The page's text, which is constant data of the program.
std::string_view StatusPage();

// The Content-Security-Policy of the page: a browser may run what is in it, and ask this server.
inline constexpr std::string_view kStatusPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace dragoman::server
