#include "server/options.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace leveret::server {
namespace {

using Action = Options::Action;

Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "leveret");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

// What the user is told; "" if the arguments are fine.
std::string complaint(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

// A configuration as it is without a file, under a changed environment.
class Environment : public testing::Test {
 protected:
  static constexpr const char* kNames[] = {"DEFAULT_USER", "DEFAULT_PASS", "DEFAULT_VHOST"};

  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* prefix : {"LEVERET_", "RABBITMQ_"}) {
      for (const char* name : kNames) unsetenv((std::string(prefix) + name).c_str());
    }
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
  static config::Configuration built_in() {
    config::Configuration configuration = config::load_yaml("", "test");
    apply_overrides({}, &configuration);
    return configuration;
  }
};

TEST(Options, NoArgumentsServeWithDefaults) {
  const Options options = parse({});
  EXPECT_EQ(options.action, Action::kServe);
  EXPECT_EQ(options.config_file, "");
  EXPECT_FALSE(options.port || options.bind || options.data_dir || options.loops);
}

TEST(Options, EachOptionIsTaken) {
  const Options options =
      parse({"--config", "file.yaml", "--data-dir", "/data", "--port", "1234", "--bind", "::1",
             "--log-level", "debug", "--loops", "3", "--loopback-users", "a,b"});
  EXPECT_EQ(options.config_file, "file.yaml");
  EXPECT_EQ(options.data_dir, "/data");
  EXPECT_EQ(options.port, 1234);
  EXPECT_EQ(options.bind, "::1");
  EXPECT_EQ(options.log_level, config::LogLevel::kDebug);
  EXPECT_EQ(options.loops, 3);
  EXPECT_EQ(options.loopback_users, (std::vector<std::string>{"a", "b"}));
}

TEST(Options, ValueMayFollowAnEqualsSign) {
  const Options options = parse({"--port=0", "--config=a=b.yaml", "--bind="});
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.config_file, "a=b.yaml");
  EXPECT_EQ(options.bind, "");
}

TEST(Options, ActionsAreTaken) {
  EXPECT_EQ(parse({"--help"}).action, Action::kHelp);
  EXPECT_EQ(parse({"-h"}).action, Action::kHelp);
  EXPECT_EQ(parse({"--version"}).action, Action::kVersion);
  EXPECT_EQ(parse({"--check-config", "--config", "f"}).action, Action::kCheckConfig);
  const Options ping = parse({"ping", "--port", "99"});
  EXPECT_EQ(ping.action, Action::kPing);
  EXPECT_EQ(ping.port, 99);
}

TEST(Options, EveryLogLevelHasItsName) {
  EXPECT_EQ(parse({"--log-level=trace"}).log_level, config::LogLevel::kTrace);
  EXPECT_EQ(parse({"--log-level=debug"}).log_level, config::LogLevel::kDebug);
  EXPECT_EQ(parse({"--log-level=info"}).log_level, config::LogLevel::kInfo);
  EXPECT_EQ(parse({"--log-level=warning"}).log_level, config::LogLevel::kWarning);
  EXPECT_EQ(parse({"--log-level=error"}).log_level, config::LogLevel::kError);
}

TEST(Options, LoopbackUsersMayBeNone) {
  EXPECT_EQ(parse({"--loopback-users=none"}).loopback_users, std::vector<std::string>());
  EXPECT_EQ(parse({"--loopback-users=a,,b,"}).loopback_users, (std::vector<std::string>{"a", "b"}));
}

TEST(Options, BadNumbersAreNamed) {
  const std::string tail = " is not a number from 0 to 65535";
  EXPECT_EQ(complaint({"--port", "x"}), "--port: 'x'" + tail);
  EXPECT_EQ(complaint({"--port", "65536"}), "--port: '65536'" + tail);
  EXPECT_EQ(complaint({"--port", "-1"}), "--port: '-1'" + tail);
  EXPECT_EQ(complaint({"--port", "12 "}), "--port: '12 '" + tail);
  EXPECT_EQ(complaint({"--port="}), "--port: ''" + tail);
  EXPECT_EQ(complaint({"--port", "99999999999999999999"}), "--port: '99999999999999999999'" + tail);
  EXPECT_EQ(complaint({"--loops", "1025"}), "--loops: '1025' is not a number from 0 to 1024");
}

TEST(Options, BadWordsAreNamed) {
  EXPECT_EQ(complaint({"--log-level", "loud"}),
            "--log-level: 'loud' is none of trace, debug, info, warning, error");
  EXPECT_EQ(complaint({"serve"}), "unknown argument 'serve'");
  EXPECT_EQ(complaint({"--colour", "red"}), "unknown option --colour");
  EXPECT_EQ(complaint({"--colour=red"}), "unknown option --colour");
  EXPECT_EQ(complaint({"--port"}), "--port needs a value");
}

TEST(Options, UnknownOptionWithoutValueIsUnknownNotIncomplete) {
  EXPECT_EQ(complaint({"--verison"}), "unknown option --verison");
}

TEST(Options, HelpNamesEveryOption) {
  const std::string help = help_text();
  for (const char* option :
       {"--config ", "--check-config", "--data-dir", "--port", "--bind", "--log-level", "--loops",
        "--loopback-users", "--version", "--help", "ping", "LEVERET_DEFAULT_USER"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST_F(Environment, CommandLineWinsOverTheFile) {
  config::Configuration configuration = config::load_yaml("", "test");
  configuration.settings.listeners = {{"10.0.0.1", 1}, {"10.0.0.2", 2}};
  configuration.settings.loops = 7;
  const Options options = parse({"--port=4321", "--data-dir=/elsewhere", "--log-level=error",
                                 "--loops=2", "--loopback-users=none"});
  apply_overrides(options, &configuration);
  ASSERT_EQ(configuration.settings.listeners.size(), 1u);
  EXPECT_EQ(configuration.settings.listeners[0].address, "10.0.0.1");
  EXPECT_EQ(configuration.settings.listeners[0].port, 4321);
  EXPECT_EQ(configuration.settings.data_dir, "/elsewhere");
  EXPECT_EQ(configuration.settings.log.level, config::LogLevel::kError);
  EXPECT_EQ(configuration.settings.loops, 2);
  EXPECT_TRUE(configuration.settings.loopback_users.empty());
}

TEST_F(Environment, WithoutOptionsTheFileStays) {
  config::Configuration configuration = config::load_yaml("", "test");
  configuration.settings.listeners = {{"10.0.0.1", 1}, {"10.0.0.2", 2}};
  apply_overrides({}, &configuration);
  EXPECT_EQ(configuration.settings.listeners.size(), 2u);
}

TEST_F(Environment, GuestStandsInWithoutIt) {
  const config::Configuration configuration = built_in();
  ASSERT_EQ(configuration.definitions.users.size(), 1u);
  EXPECT_EQ(configuration.definitions.users[0].name, "guest");
}

TEST_F(Environment, NamesUserPasswordAndVhost) {
  const std::string guest_hash = built_in().definitions.users[0].password_hash;
  set("LEVERET_DEFAULT_USER", "hare");
  set("LEVERET_DEFAULT_PASS", "secret");
  set("LEVERET_DEFAULT_VHOST", "field");
  const config::Configuration configuration = built_in();
  ASSERT_EQ(configuration.definitions.users.size(), 1u);
  EXPECT_EQ(configuration.definitions.users[0].name, "hare");
  EXPECT_NE(configuration.definitions.users[0].password_hash, guest_hash);
  bool has_vhost = false;
  for (const auto& vhost : configuration.definitions.vhosts) has_vhost |= vhost.name == "field";
  EXPECT_TRUE(has_vhost);
  bool may_use_it = false;
  for (const auto& permission : configuration.definitions.permissions) {
    EXPECT_EQ(permission.user, "hare");
    may_use_it |= permission.vhost == "field";
  }
  EXPECT_TRUE(may_use_it);
}

TEST_F(Environment, OwnNameWinsOverRabbitsAndEmptyMeansUnset) {
  set("RABBITMQ_DEFAULT_USER", "rabbit");
  EXPECT_EQ(built_in().definitions.users[0].name, "rabbit");
  set("LEVERET_DEFAULT_USER", "");
  EXPECT_EQ(built_in().definitions.users[0].name, "rabbit");
  set("LEVERET_DEFAULT_USER", "hare");
  EXPECT_EQ(built_in().definitions.users[0].name, "hare");
}

TEST_F(Environment, DoesNothingWhereTheFileNamesUsers) {
  set("LEVERET_DEFAULT_USER", "hare");
  config::Configuration configuration = config::load_yaml("", "test");
  configuration.users_configured = true;
  apply_overrides({}, &configuration);
  EXPECT_EQ(configuration.definitions.users[0].name, "guest");
}

}  // namespace
}  // namespace leveret::server
