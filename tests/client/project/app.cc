// Translates a text with the server at an address.
#include <iostream>

#include "client/translation_client.h"

int main(int argc, char** argv) {
  dragoman::client::ClientOptions options;
  options.server = argc > 1 ? argv[1] : "localhost:50051";
  options.retry.max_attempts = 100;  // the server may still be starting
  const auto client = dragoman::client::TranslationClient::Create(options);
  if (!client.ok()) {
    std::cerr << client.status() << "\n";
    return 2;
  }
  dragoman::v1::TranslateRequest request;
  request.add_contents("Guten Morgen!");
  request.set_target_language_code("en");
  const auto answer = (*client)->Translate(request);
  if (!answer.ok()) {
    std::cerr << answer.status() << "\n";
    return 1;
  }
  std::cout << answer->translations(0).translated_text() << "\n";
}
