// A document that is an archive with XML files in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/documents/archive.h"
#include "engine/documents/document.h"
#include "engine/documents/xml_texts.h"

namespace dragoman::engine {

class PackagedDocument final : public Document {
 public:
  // Finds the texts of the member `name`, whose bytes `texts` has.
  using Reader =
      std::function<absl::Status(const Archive& archive, std::string_view name, XmlTexts* texts)>;

  // Reads the members that `is_read` selects, in the archive's order. Returns INVALID_ARGUMENT if
  // there is no member `needed`, which every document of the format has.
  static absl::StatusOr<std::unique_ptr<Document>> Read(
      std::string bytes, std::string_view needed,
      const std::function<bool(std::string_view name)>& is_read, const Reader& reader,
      const DocumentOptions& options);

  absl::StatusOr<std::string> Write(Translations translations) const override;

 private:
  struct Member {
    std::string name;
    XmlTexts texts;
    size_t count = 0;  // of its texts
  };

  explicit PackagedDocument(Archive archive) : archive_(std::move(archive)) {}

  const Archive archive_;
  std::vector<Member> members_;  // those with texts
};

// Reports whether the name or id of a style says that its text is program code, which stays as it
// is: "Source_20_Text" of LibreOffice, "HTMLCode" of Word, "VerbatimChar" of pandoc.
bool IsCodeStyle(std::string_view style);

// A document that is one XML file.
class XmlDocument final : public Document {
 public:
  using Reader = std::function<absl::Status(XmlTexts* texts)>;

  static absl::StatusOr<std::unique_ptr<Document>> Read(std::string bytes, const Reader& reader,
                                                        const DocumentOptions& options);

  absl::StatusOr<std::string> Write(Translations translations) const override;

 private:
  explicit XmlDocument(std::string bytes) : file_(std::move(bytes)) {}

  XmlTexts file_;
};

}  // namespace dragoman::engine
