// Reports that say who vouches for them, and reports about a challenge. session_test.cc forges other parts of a report.
#include <openssl/pem.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "conformance/report/json_lines.h"
#include "conformance/report/signature_line.h"
#include "conformance/runner/certificate.h"
#include "conformance/runner/merge.h"
#include "conformance/runner/plugin_hash.h"
#include "conformance/runner/verification.h"
#include "core/base/files.h"
#include "tools/testing/require.h"
#include "tools/testing/temporary_folder.h"

namespace bp::conformance {
namespace {

using testing::error_of;
using testing::require_ok;
using testing::require_value;

std::filesystem::path tested_build() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// Makes a pair of keys: NAME.pem and NAME_public.pem.
void make_keys(const testing::TemporaryFolder &folder, const std::string &name) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY *)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"),
                                                            EVP_PKEY_free);
  REQUIRE(key != nullptr);
  std::FILE *file = std::fopen((folder / (name + ".pem")).c_str(), "w");
  REQUIRE(PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  std::fclose(file);
  file = std::fopen((folder / (name + "_public.pem")).c_str(), "w");
  REQUIRE(PEM_write_PUBKEY(file, key.get()) == 1);
  std::fclose(file);
}

Session session_on_adder() {
  Session session;
  session.program = tested_build() / "tools/backplane";
  session.choice.name = tested_build() / "conformance/libbackplane_misbehaving.so";
  session.selection.patterns = {"x_ray/entry", "ops/add/f32/prime/*"};
  session.jobs = 1;
  return session;
}

// The report of a run, with the keys of a laboratory and of somebody else.
struct World {
  testing::TemporaryFolder folder;
  std::string lines = require_value(run_session(session_on_adder()));
  std::string file = folder / "results.jsonl";
  PublicKey laboratory, other;

  World() {
    make_keys(folder, "laboratory");
    make_keys(folder, "other");
    laboratory = require_value(read_public_key(folder / "laboratory_public.pem"));
    other = require_value(read_public_key(folder / "other_public.pem"));
    testing::write_file(file, lines);
  }
  std::string read() const { return require_value(read_file(file)); }
  // Returns why a verification refuses the report; empty if it does not.
  std::string problem_with(const std::string &content, const Demands &demands) const {
    testing::write_file(file, content);
    Session session;
    session.program = tested_build() / "tools/backplane";
    return error_of(verify_report(file, 0, 1, session, demands));
  }
};

// Returns the report with a case that passes in place of one that does not exist, and a hash that fits.
std::string forged(std::string lines) {
  const std::size_t at = lines.find("ops/add/f32/prime/edge"), totals = lines.find("{\"totals");
  REQUIRE(at < totals);
  lines.replace(at, 22, "ops/add/f32/prime/Edge");
  const std::size_t hash = lines.find("\"sha256\":\"", totals) + 10;
  return lines.replace(hash, 64, sha256_hex(lines.substr(0, totals)));
}

}  // namespace

TEST_CASE("a signed report says who vouches for it, and whoever verifies it can demand that") {
  const World world;
  CHECK(require_value(sign_report(world.file, world.folder / "laboratory.pem")) == world.laboratory);
  const std::string signed_lines = world.read();
  CHECK(signed_lines.starts_with(world.lines));
  CHECK(require_value(read_report(world.file)).signature->key == world.laboratory);
  CHECK(world.problem_with(signed_lines, {}) == "");
  CHECK(world.problem_with(signed_lines, {.signed_by = world.laboratory}) == "");
  CHECK(world.problem_with(signed_lines, {.signed_by = world.other}) ==
        fmt::format("{}: is signed by {}, expected {}", world.file, world.laboratory.id(), world.other.id()));
  CHECK(world.problem_with(world.lines, {.signed_by = world.laboratory}) ==
        fmt::format("{}: is not signed, expected a signature of {}: backplane conform sign adds one", world.file,
                    world.laboratory.id()));
}

TEST_CASE("a signature is refused if the report was changed, or if it is not whole") {
  const World world;
  require_value(sign_report(world.file, world.folder / "laboratory.pem"));
  const std::string signed_lines = world.read(), id = world.laboratory.id();
  const std::string at = fmt::format("{}: line {} ", world.file, std::ranges::count(signed_lines, '\n'));
  const std::string is_none = "is no signature of " + id + " for the lines before: they, or it, were changed";
  const std::string is_cut = "comes after the totals, expected nothing, or a whole signature";
  for (const Demands &demands : {Demands(), Demands{.signed_by = world.laboratory}}) {
    CHECK(world.problem_with(forged(signed_lines), demands) == at + is_none);
    // Cut off: within the line, so that the rest is no JSON; and by hand, so that it is.
    CHECK(world.problem_with(signed_lines.substr(0, signed_lines.size() - 4), demands) == at + is_cut);
    CHECK(world.problem_with(signed_lines.substr(0, world.lines.size() + 1), demands) == at + is_cut);
    CHECK(world.problem_with(signed_lines.substr(0, signed_lines.size() - 11) + "\"}\n", demands) ==
          at + "has 120 characters as 'signature', expected 128 hexadecimal digits");
    std::string changed = signed_lines;
    changed[changed.size() - 5] = changed[changed.size() - 5] == '0' ? '1' : '0';
    CHECK(world.problem_with(changed, demands) == at + is_none);
    CHECK_THAT(world.problem_with(signed_lines + signed_lines.substr(world.lines.size()), demands),
               Catch::EndsWith(" comes after the signature, expected nothing"));
  }
  // The newline at the end is no part of it.
  CHECK(world.problem_with(signed_lines.substr(0, signed_lines.size() - 1), {.signed_by = world.laboratory}) == "");
  // Another's signature of the same lines does not become the laboratory's by a change of name.
  testing::write_file(world.file, world.lines);
  require_value(sign_report(world.file, world.folder / "other.pem"));
  Signature renamed = *require_value(read_report(world.file)).signature;
  renamed.key = world.laboratory;
  CHECK(world.problem_with(world.lines + to_json(renamed) + "\n", {.signed_by = world.laboratory}) == at + is_none);
}

TEST_CASE("only a whole report is signed, and only once") {
  const World world;
  const std::string key = world.folder / "laboratory.pem";
  CHECK_THAT(error_of(sign_report(world.file, world.folder / "laboratory_public.pem")),
             Catch::EndsWith("is a public key, expected the private key that belongs to it"));
  CHECK(world.read() == world.lines);
  testing::write_file(world.file, world.lines.substr(0, world.lines.find("{\"totals")));
  CHECK(error_of(sign_report(world.file, key)) == world.file + ": has no totals: the run was cut short");
  testing::write_file(world.file, world.lines);
  require_value(sign_report(world.file, key));
  CHECK(error_of(sign_report(world.file, world.folder / "other.pem")) ==
        fmt::format("{0}: is signed by {1} already, expected no signature: backplane conform report {0} -o FILE writes "
                    "it without",
                    world.file, world.laboratory.id()));
}

TEST_CASE("what is made of signed shards has no signature") {
  const World world;
  require_value(sign_report(world.file, world.folder / "laboratory.pem"));
  const Report merged = require_value(merge({{world.file, require_value(read_report(world.file))}}));
  CHECK_FALSE(merged.signature.has_value());
  CHECK_FALSE(require_value(report_from_json(to_json_lines(merged))).signature.has_value());
}

TEST_CASE("a challenge determines the seed, and a verification demands it") {
  const World world;
  Session session = session_on_adder();
  require_ok(accept_challenge(session, "numbers of tomorrow"));
  const std::string hash = require_value(plugin_sha256(session.choice.name));
  // A shell computes the same: printf '%s%s' HASH TEXT | sha256sum | cut -c 1-13.
  CHECK(session.choice.seed == std::stoull(sha256_hex(hash + "numbers of tomorrow").substr(0, 13), nullptr, 16));
  const std::string lines = require_value(run_session(session));
  const Report report = require_value(report_from_json(lines));
  CHECK(report.header.challenge == "numbers of tomorrow");
  CHECK(report.header.seed == session.choice.seed);

  const Demands demands{.challenge = "numbers of tomorrow"};
  CHECK(world.problem_with(lines, demands) == "");
  CHECK(world.problem_with(lines, {}) == "");
  CHECK(world.problem_with(lines, {.challenge = "numbers of today"}) ==
        world.file + ": was made for the challenge 'numbers of tomorrow', expected the challenge 'numbers of today'");
  CHECK(world.problem_with(world.lines, demands) ==
        world.file + ": was made for no challenge, expected the challenge 'numbers of tomorrow'");
  // A convenient seed, with the name of the challenge.
  Report convenient = report;
  convenient.header.seed = 7;
  for (const Demands &one : {demands, Demands()}) {
    CHECK(
        world.problem_with(to_json_lines(convenient), one) ==
        fmt::format("{}: has the seed 7, expected {}, which the challenge 'numbers of tomorrow' gives for this plugin",
                    world.file, report.header.seed));
  }
}

TEST_CASE("a challenge needs a text, and a plugin that has a file") {
  Session session = session_on_adder();
  CHECK(error_of(accept_challenge(session, "")) ==
        "--challenge is empty, expected a text that nobody could know when the plugin was deposited");
  session.choice.name = "interpreter";
  CHECK(error_of(accept_challenge(session, "text")) ==
        "--challenge is for a plugin, which has a file: the interpreter has none");
}

}  // namespace bp::conformance
