#include "server/base/tls_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "server/base/file_watch.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "tests/server/base/certificates.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using testing::Authority;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TlsStoreTest : public ::testing::Test {
 protected:
  TlsStoreTest() {
    SetLogLevel(LogLevel::kOff);
    Write(first_);
  }
  ~TlsStoreTest() override { SetLogLevel(LogLevel::kInfo); }

  void Write(const Authority::Issued& issued) {
    testing::Replace(paths_.certificate, issued.certificate);
    testing::Replace(paths_.key, issued.key);
  }

  absl::Status Open() {
    auto store = TlsStore::Open(paths_, UnixNow);
    if (store.ok()) store_ = *std::move(store);
    return store.status();
  }

  // Returns the message with which the store refuses the files.
  std::string Refusal() {
    const absl::Status status = Open();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  TlsPaths paths_{folder_ + "tls.crt", folder_ + "tls.key", ""};
  const Authority authority_{"Test CA"};
  const Authority::Issued first_ = authority_.Issue({.name = "first"});
  std::unique_ptr<TlsStore> store_;
};

TEST_F(TlsStoreTest, ReadsAPairAndSaysWhatItIs) {
  ASSERT_TRUE(Open().ok());
  const auto now = store_->current();
  EXPECT_EQ(now->certificate, first_.certificate);
  EXPECT_EQ(now->subject, "CN=first");
  EXPECT_NEAR(static_cast<double>(now->not_after), static_cast<double>(std::time(nullptr) + 86'400),
              60);
  EXPECT_EQ(now->client_ca, "");
  EXPECT_FALSE(store_->wants_clients());
}

TEST_F(TlsStoreTest, RefusesWithTheFileAndWhatIsWrongWithIt) {
  const Authority::Issued other = authority_.Issue();
  testing::Replace(paths_.key, other.key);
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("tls.key"), HasSubstr("does not belong to the certificate")));
  testing::Replace(paths_.key, "nonsense");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls.key"), HasSubstr("no private key in PEM")));
  std::filesystem::remove(paths_.key);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls.key"), HasSubstr("No such file")));

  Write(authority_.Issue({.begin = -7200, .end = -10}));
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls.crt"), HasSubstr("expired at 20")));
  Write(authority_.Issue({.begin = 3600}));
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls.crt"), HasSubstr("valid only from 20")));
  testing::Replace(paths_.certificate, "");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls.crt"), HasSubstr("no certificate in PEM")));
  // A chain with a broken certificate is refused: clients would miss that certificate.
  Write(first_);
  testing::Replace(
      paths_.certificate,
      first_.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  EXPECT_THAT(Refusal(), HasSubstr("no certificate in PEM"));

  Write(first_);
  paths_.client_ca = folder_ + "ca.crt";
  testing::Replace(paths_.client_ca, first_.key);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("ca.crt"), HasSubstr("no certificate in PEM")));
}

// Clients would refuse every handshake with such a certificate.
TEST_F(TlsStoreTest, ACertificateThatIsForNoServerIsRefused) {
  for (const auto& wish :
       {Authority::Wish{.purposes = "clientAuth"}, Authority::Wish{.purposes = "codeSigning"},
        Authority::Wish{.purposes = "anyExtendedKeyUsage"},
        Authority::Wish{.key_usage = "keyCertSign"}}) {
    Write(authority_.Issue(wish));
    EXPECT_THAT(Refusal(),
                AllOf(HasSubstr("tls.crt"), HasSubstr("not for servers"), HasSubstr("serverAuth")));
  }
  for (const auto& wish :
       {Authority::Wish{.purposes = ""}, Authority::Wish{.purposes = "clientAuth,serverAuth"},
        Authority::Wish{.key_usage = "digitalSignature"}}) {
    Write(authority_.Issue(wish));
    EXPECT_TRUE(Open().ok()) << wish.purposes;
  }
  const auto present = store_->current();
  Write(authority_.Issue({.purposes = "clientAuth"}));
  EXPECT_FALSE(store_->Reload().ok());
  EXPECT_EQ(store_->current(), present);
}

TEST_F(TlsStoreTest, AKeyWithAPasswordIsRefusedAndNobodyIsAsked) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  BIO* const bio = BIO_new(BIO_s_mem());
  std::string password = "secret";
  PEM_write_bio_PrivateKey(bio, key, EVP_aes_256_cbc(), nullptr, 0, nullptr, password.data());
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  testing::Replace(paths_.key, std::string(data, static_cast<size_t>(size)));
  BIO_free(bio);
  EVP_PKEY_free(key);
  EXPECT_THAT(Refusal(), HasSubstr("a key with a password"));
}

TEST_F(TlsStoreTest, AReloadExchangesAllAndABrokenOneNothing) {
  paths_.client_ca = folder_ + "ca.crt";
  testing::Replace(paths_.client_ca, authority_.pem());
  ASSERT_TRUE(Open().ok());
  const auto first = store_->current();
  EXPECT_EQ(store_->Reload().value(), false);
  EXPECT_EQ(store_->current(), first);

  const Authority::Issued second = authority_.Issue({.name = "second"});
  Write(second);
  EXPECT_EQ(store_->Reload().value(), true);
  EXPECT_EQ(store_->current()->subject, "CN=second");
  EXPECT_EQ(store_->current()->key, second.key);
  EXPECT_EQ(first->subject, "CN=first");  // a reader of the old certificate may still use it

  testing::Replace(paths_.key, first_.key);
  EXPECT_FALSE(store_->Reload().ok());
  EXPECT_EQ(store_->current()->subject, "CN=second");
}

TEST_F(TlsStoreTest, AWatchReadsWhatHasChangedOnceItStaysTheSame) {
  std::vector<std::string> outcomes;
  FileWatch watch([&](const std::string& what, bool ok) {
    outcomes.push_back(what + (ok ? " ok" : " error"));
  });
  watch.Add({"certificates", {paths_.certificate, paths_.key}, [&] {
               return store_->Reload().status();
             }});
  ASSERT_TRUE(Open().ok());
  watch.Look();
  watch.Look();
  EXPECT_THAT(outcomes, ElementsAre());

  const Authority::Issued second = authority_.Issue({.name = "second"});
  testing::Replace(paths_.certificate, second.certificate);
  watch.Look();  // the key file still has the old key, so the pair does not match yet
  testing::Replace(paths_.key, second.key);
  watch.Look();
  EXPECT_THAT(outcomes, ElementsAre());
  watch.Look();
  EXPECT_THAT(outcomes, ElementsAre("certificates ok"));
  EXPECT_EQ(store_->current()->subject, "CN=second");

  // A broken pair is read once, not at every look. It is read again when its files change or on
  // request.
  outcomes.clear();
  testing::Replace(paths_.key, "nonsense");
  for (int i = 0; i < 4; ++i) watch.Look();
  EXPECT_THAT(outcomes, ElementsAre("certificates error"));
  watch.ReloadAll();
  watch.Look();
  EXPECT_THAT(outcomes, ElementsAre("certificates error", "certificates error"));
  testing::Replace(paths_.key, second.key);
  watch.Look();
  watch.Look();
  EXPECT_EQ(outcomes.back(), "certificates ok");
}

TEST_F(TlsStoreTest, AWatchFollowsLinksAsMountedSecretsHaveThem) {
  // The layout of a mounted Kubernetes secret: secret -> ..data/secret and ..data -> ..1. An update
  // writes ..2 and then renames a new link to it over ..data.
  std::filesystem::create_directories(folder_ + "..1");
  std::filesystem::create_directories(folder_ + "..2");
  testing::Replace(folder_ + "..1/secret", "old");
  testing::Replace(folder_ + "..2/secret", "new");
  std::filesystem::create_symlink("..1", folder_ + "..data");
  std::filesystem::create_symlink("..data/secret", folder_ + "secret");
  int reads = 0;
  FileWatch watch([](const std::string&, bool) {});
  watch.Add({"secret", {folder_ + "secret"}, [&] {
               ++reads;
               return absl::OkStatus();
             }});
  watch.Look();
  std::filesystem::create_symlink("..2", folder_ + "..new");
  std::filesystem::rename(folder_ + "..new", folder_ + "..data");
  watch.Look();
  watch.Look();
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace dragoman::server
