// Reads a document, translates it by capitals, and writes it again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/documents/document.h"

namespace dragoman::engine {

// Returns the document. Fails the test if the bytes are none.
std::unique_ptr<Document> ReadForTest(std::string_view format, const std::string& bytes,
                                      const DocumentOptions& options = {});

// Returns the message of the error with which the bytes are refused.
std::string FaultOf(std::string_view format, const std::string& bytes,
                    const DocumentOptions& options = {});

std::vector<std::string> TextsOf(const Document& document);

// Returns the document whose translations are its texts in capitals, apart from tags and
// references. Fails the test unless the document is the same with no translation at all.
std::string InCapitals(std::string_view format, const std::string& bytes,
                       const DocumentOptions& options = {});

// Returns the document with these translations, in order.
std::string WithTranslations(std::string_view format, const std::string& bytes,
                             const std::vector<std::string>& translations,
                             const DocumentOptions& options = {});

}  // namespace dragoman::engine
