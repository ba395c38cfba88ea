// The status page: status_page.html, which CMake embeds in the program. The page loads only
// /metrics.
#pragma once

#include <string_view>

namespace dragoman::server {

// Returns the page's HTML, which is constant data of the program.
std::string_view StatusPage();

// The page's Content-Security-Policy. It allows inline scripts and styles, and requests to this
// server.
inline constexpr std::string_view kStatusPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace dragoman::server
