#include "engine/documents/packaged_document.h"

#include <map>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "engine/base/concat.h"

namespace dragoman::engine {

using std::string_view;

absl::StatusOr<std::unique_ptr<Document>> PackagedDocument::Read(
    std::string bytes, string_view needed, const std::function<bool(string_view name)>& is_read,
    const Reader& reader, const DocumentOptions& options) {
  absl::StatusOr<Archive> archive = Archive::Open(std::move(bytes));
  if (!archive.ok()) return archive.status();
  if (!archive->Has(needed)) {
    return absl::InvalidArgumentError(
        Concat("the archive has no member ", needed, ", which this format needs"));
  }
  std::unique_ptr<PackagedDocument> document(new PackagedDocument(*std::move(archive)));
  int64_t left = options.max_bytes;
  for (const std::string& name : document->archive_.names()) {
    if (!is_read(name)) continue;
    const int64_t size = document->archive_.SizeOf(name);
    if (size > left) {
      return absl::ResourceExhaustedError(Concat(name, ": ", size, " bytes after decompression; ",
                                                 left, " of ", options.max_bytes,
                                                 " are left for this document"));
    }
    left -= size;
  }
  left = options.max_bytes;
  for (const std::string& name : document->archive_.names()) {
    if (!is_read(name)) continue;
    absl::StatusOr<std::string> content = document->archive_.Read(name, left);
    if (!content.ok()) return content.status();
    left -= static_cast<int64_t>(content->size());
    Member member = {name, XmlTexts(*std::move(content))};
    if (absl::Status read = reader(document->archive_, name, &member.texts); !read.ok())
      return read;
    for (DocumentText& text : member.texts.TakeTexts()) {
      absl::Status added = document->AddText(std::move(text), options, name);
      if (!added.ok()) return added;
      ++member.count;
    }
    if (member.count > 0) document->members_.push_back(std::move(member));
  }
  return document;
}

absl::StatusOr<std::string> PackagedDocument::Write(Translations translations) const {
  std::map<std::string, std::string> contents;
  size_t first = 0;
  for (const Member& member : members_) {
    absl::StatusOr<std::string> written = member.texts.Write(
        std::span(texts()).subspan(first, member.count), translations.subspan(first, member.count));
    if (!written.ok()) return written.status();
    if (*written != member.texts.xml()) contents.emplace(member.name, *std::move(written));
    first += member.count;
  }
  return archive_.With(contents);
}

bool IsCodeStyle(string_view style) {
  const std::string name = absl::AsciiStrToLower(std::string(style));
  for (const string_view part : {"code", "verbatim", "preformatted", "source_20_text",
                                 "source_text", "sourcetext", "teletype", "typewriter"}) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

absl::StatusOr<std::unique_ptr<Document>> XmlDocument::Read(std::string bytes, const Reader& reader,
                                                            const DocumentOptions& options) {
  std::unique_ptr<XmlDocument> document(new XmlDocument(std::move(bytes)));
  if (absl::Status read = reader(&document->file_); !read.ok()) return read;
  for (DocumentText& text : document->file_.TakeTexts()) {
    absl::Status added = document->AddText(std::move(text), options, "a paragraph");
    if (!added.ok()) return added;
  }
  return document;
}

absl::StatusOr<std::string> XmlDocument::Write(Translations translations) const {
  return file_.Write(texts(), translations);
}

}  // namespace dragoman::engine
