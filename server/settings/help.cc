// The text of --help, for people and for programs, from the table of settings.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/base/version.h"
#include "server/settings/config.h"
#include "server/settings/option_table.h"
#include "server/settings/option_values.h"

namespace dragoman::server {
namespace {

using nlohmann::ordered_json;

constexpr char kAbout[] = "a translation server";
constexpr char kUsage[] = "dragomand --model DIR [flags]";

// A flag that is not a setting.
struct OwnFlag {
  std::string_view name;
  std::string_view argument;
  std::string_view help;
  bool everyone;
};
constexpr OwnFlag kOwnFlags[] = {
    {"config", "FILE",
     "read settings from FILE, a JSON object keyed by these names; flags override it", true},
    {"check-config", "", "check the settings, print those in effect as JSON and exit", true},
    {"print-program", "", "print the operations of the model's network and exit", false},
    {"version", "", "print the version and exit", true},
    {"verbose", "", "with --version: also the build, the instruction set and the libraries", false},
    {"help", "[all|json]", "print these flags, or all flags as text or JSON, and exit", true}};

// Breaks the text into lines of `width` bytes. All except the first begin with `indent` spaces.
std::string Wrap(absl::string_view text, size_t width, size_t indent) {
  std::string out;
  size_t used = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (used > 0 && used + 1 + word.size() > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      used = 0;
    }
    absl::StrAppend(&out, used > 0 ? " " : "", word);
    used += (used > 0 ? 1 : 0) + word.size();
  }
  return out;
}

std::string HelpForPeople(bool all) {
  constexpr size_t kColumn = 36;
  constexpr size_t kWidth = 100 - kColumn;
  ServerConfig defaults;
  std::string out = absl::StrCat("dragomand: ", kAbout, "\n\n  ", kUsage, "\n\n");
  const auto line = [&out](std::string_view name, std::string_view argument, std::string_view help,
                           const std::string& value) {
    std::string left = absl::StrCat("  --", absl::string_view(name.data(), name.size()), " ",
                                    absl::string_view(argument.data(), argument.size()));
    left += left.size() < kColumn ? "" : "\n";
    left.resize(left.back() == '\n' ? left.size() + kColumn : kColumn, ' ');
    const std::string text = absl::StrCat(absl::string_view(help.data(), help.size()),
                                          value.empty() ? "" : absl::StrCat(" (", value, ")"));
    absl::StrAppend(&out, left, Wrap(text, kWidth, kColumn), "\n");
  };
  for (const Option& option : Options()) {
    const bool shown =
        option.audience == Audience::kEveryone || (all && option.audience == Audience::kSome);
    if (!shown) continue;
    line(option.name, option.argument, option.help, TextOf(option, {&defaults, &defaults}));
  }
  for (const OwnFlag& flag : kOwnFlags) {
    if (flag.everyone || all) line(flag.name, flag.argument, flag.help, "");
  }
  if (!all) absl::StrAppend(&out, "\nThe other flags: dragomand --help all\n");
  return out;
}

ordered_json Describe(std::string_view name, std::string_view argument, std::string_view help,
                      const std::string& by_default, bool repeats) {
  return {{"name", name},
          {"value", argument},
          {"help", help},
          {"default", by_default},
          {"repeats", repeats}};
}

std::string HelpForPrograms() {
  ServerConfig defaults;
  ordered_json flags = ordered_json::array();
  ordered_json objects = ordered_json::object();
  for (const Option& option : Options()) {
    const std::string_view object = ObjectFor(option.audience);
    ordered_json& list = object.empty() ? flags : objects[std::string(object)];
    list.push_back(Describe(option.name, option.argument, option.help,
                            TextOf(option, {&defaults, &defaults}), IsRepeated(option)));
  }
  for (const OwnFlag& flag : kOwnFlags) {
    flags.push_back(Describe(flag.name, flag.argument, flag.help, "", false));
  }
  const ordered_json out = {{"program", "dragomand"}, {"version", kVersion}, {"about", kAbout},
                            {"usage", kUsage},        {"flags", flags},      {"objects", objects}};
  return out.dump(2) + "\n";
}

}  // namespace

std::string HelpText(HelpForm form) {
  return form == HelpForm::kJson ? HelpForPrograms() : HelpForPeople(form == HelpForm::kAll);
}

}  // namespace dragoman::server
