#include "client/admin_fleet.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dragoman {
namespace {

constexpr std::string_view kDns = "dns:///";

// "1.2.3.4:5" or "[::1]:5"; "" for another family.
std::string TextOf(const addrinfo& found, const std::string& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (found.ai_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(found.ai_addr);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return absl::StrCat(text.data(), ":", port);
  }
  if (found.ai_family != AF_INET6) return "";
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(found.ai_addr);
  inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  return absl::StrCat("[", text.data(), "]:", port);
}

absl::StatusOr<AdminTargets> ResolveName(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--server: found 'dns:///", std::string(name),
                                                   "', expected dns:///HOST:PORT"));
  }
  AdminTargets targets;
  targets.is_fleet = true;
  targets.host = std::string(name.substr(0, colon));
  const std::string port(name.substr(colon + 1));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(targets.host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat(targets.host, ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    std::string address = TextOf(*at, port);
    const auto known = std::find(targets.addresses.begin(), targets.addresses.end(), address);
    if (!address.empty() && known == targets.addresses.end()) {
      targets.addresses.push_back(std::move(address));
    }
  }
  if (targets.addresses.empty()) {
    return absl::UnavailableError(absl::StrCat(targets.host, ": found no address"));
  }
  // A name server turns its answers round from time to time.
  std::sort(targets.addresses.begin(), targets.addresses.end());
  return targets;
}

}  // namespace

absl::StatusOr<AdminTargets> ResolveTargets(const std::string& server) {
  if (server.starts_with(kDns)) return ResolveName(std::string_view(server).substr(kDns.size()));
  if (server.empty()) {
    return absl::InvalidArgumentError("--server: found nothing, expected an address");
  }
  if (server.starts_with("unix:")) return AdminTargets{{server}, false, ""};
  AdminTargets targets;
  targets.addresses = absl::StrSplit(server, ',');
  targets.is_fleet = targets.addresses.size() > 1;
  for (const std::string& address : targets.addresses) {
    if (!address.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--server: found '", server, "', expected addresses with commas between"));
  }
  return targets;
}

std::vector<AdminAnswer> AskAll(const AdminTargets& targets, int parallel,
                                const std::function<AdminAnswer(const std::string&)>& ask) {
  std::vector<AdminAnswer> answers(targets.addresses.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < answers.size(); i = next++) {
      answers[i] = ask(targets.addresses[i]);
      answers[i].address = targets.addresses[i];
    }
  };
  std::vector<std::thread> threads;
  const size_t helpers = std::min(answers.size(), static_cast<size_t>(std::max(parallel, 1))) - 1;
  for (size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return answers;
}

std::string TableOf(const std::vector<AdminAnswer>& answers) {
  constexpr size_t kColumns = 5;
  using Line = std::array<std::string, kColumns>;
  std::vector<Line> lines = {{"ADDRESS", "MODEL", "VERSION", "STATE", "ERROR"}};
  for (const AdminAnswer& answer : answers) {
    if (!answer.status.ok()) {
      lines.push_back({answer.address, "-", "-", "failed", std::string(answer.status.message())});
      continue;
    }
    for (const AdminRow& row : answer.rows) {
      lines.push_back({answer.address, row.model.empty() ? "-" : row.model,
                       row.version.empty() ? "-" : row.version, row.state, ""});
    }
  }
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    for (size_t i = 0; i < kColumns; ++i) {
      text += line[i];
      text.append(widths[i] + 2 - line[i].size(), ' ');
    }
    absl::StrAppend(&out, text.substr(0, text.find_last_not_of(' ') + 1), "\n");
  }
  return out;
}

}  // namespace dragoman
