#include "config/access.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace leveret::config {
namespace {

constexpr auto kAll = std::to_array({Access::kConfigure, Access::kWrite, Access::kRead});

VhostAccess access_of(const std::string& configure, const std::string& write,
                      const std::string& read) {
  return VhostAccess({"u", "/", configure, write, read}, {});
}

TEST(VhostAccess, EachVerbAsksItsOwnPattern) {
  struct Case {
    const char* name;
    std::array<bool, 3> allowed;  // configure, write, read
  };
  const VhostAccess access = access_of("^c-", "^w-|^cw-", "");
  for (const Case& c : std::initializer_list<Case>{{"c-1", {true, false, false}},
                                                   {"w-1", {false, true, false}},
                                                   {"cw-1", {false, true, false}},
                                                   {"x-c-1", {false, false, false}},
                                                   {"", {false, false, false}}}) {
    for (std::size_t i = 0; i < kAll.size(); ++i) {
      EXPECT_EQ(access.allows(kAll[i], c.name), c.allowed[i]) << c.name << " " << i;
    }
  }
}

TEST(VhostAccess, EmptyPatternAllowsNoName) {
  const VhostAccess access = access_of("", "", "");
  for (const Access verb : kAll) {
    EXPECT_FALSE(access.allows(verb, "q"));
    EXPECT_FALSE(access.allows(verb, ""));
  }
}

TEST(VhostAccess, DefaultExchangeIsCheckedAsAmqDefault) {
  const VhostAccess access = access_of("^$", "^amq\\.default$", ".*");
  EXPECT_FALSE(access.allows(Access::kConfigure, ""));
  EXPECT_TRUE(access.allows(Access::kWrite, ""));
  EXPECT_TRUE(access.allows(Access::kWrite, "amq.default"));
  EXPECT_TRUE(access.allows(Access::kRead, ""));
}

TEST(VhostAccess, BrokenPatternAllowsNothing) {
  const VhostAccess access = access_of("(", ".*", ".*");
  EXPECT_FALSE(access.allows(Access::kConfigure, "q"));
  EXPECT_TRUE(access.allows(Access::kWrite, "q"));
}

TEST(TopicAccess, EverythingIsAllowedOnExchangesWithoutEntry) {
  const VhostAccess access({"u", "/", ".*", ".*", ".*"}, {{"u", "/", "events", "^a\\.", "^b\\."}});
  EXPECT_TRUE(access.has_topic_permissions());
  EXPECT_TRUE(access.allows_topic(Access::kWrite, "other", "x"));
  EXPECT_TRUE(access.allows_topic(Access::kWrite, "events", "a.1"));
  EXPECT_FALSE(access.allows_topic(Access::kWrite, "events", "b.1"));
  EXPECT_TRUE(access.allows_topic(Access::kRead, "events", "b.1"));
  EXPECT_FALSE(access.allows_topic(Access::kRead, "events", "a.1"));
}

TEST(TopicAccess, OnlyEntriesOfThatUserAndVhostCount) {
  const VhostAccess access({"u", "/", ".*", ".*", ".*"},
                           {{"v", "/", "events", "", ""}, {"u", "other", "events", "", ""}});
  EXPECT_FALSE(access.has_topic_permissions());
  EXPECT_TRUE(access.allows_topic(Access::kWrite, "events", "x"));
}

TEST(TopicAccess, EmptyPatternAllowsTheEmptyKeyOnly) {
  const VhostAccess access({"u", "/", ".*", ".*", ".*"}, {{"u", "/", "events", "", ""}});
  EXPECT_TRUE(access.allows_topic(Access::kWrite, "events", ""));
  EXPECT_FALSE(access.allows_topic(Access::kWrite, "events", "a"));
}

TEST(TopicAccess, UserAndVhostAreInsertedAsLiteralText) {
  const std::string pattern = "^{vhost}\\.{username}\\.[{username}]$";
  const VhostAccess access({"a.b|c", "p*", ".*", ".*", ".*"},
                           {{"a.b|c", "p*", "events", pattern, ""}});
  EXPECT_TRUE(access.allows_topic(Access::kWrite, "events", "p*.a.b|c.|"));
  EXPECT_FALSE(access.allows_topic(Access::kWrite, "events", "p*.axb|c.|"));
  EXPECT_FALSE(access.allows_topic(Access::kWrite, "events", "ppp.a.b|c.|"));
  EXPECT_FALSE(access.allows_topic(Access::kWrite, "events", "c"));
}

TEST(AccessTable, FindsUsersAndTheirVhosts) {
  Definitions definitions;
  definitions.users.resize(2);
  definitions.users[0].name = "a";
  definitions.users[0].tags = {"administrator"};
  definitions.users[1].name = "b";
  definitions.permissions = {{"a", "/", ".*", ".*", ".*"},
                             {"a", "v", "", "", ".*"},
                             {"b", "v", "^b", "", ""},
                             {"ghost", "/", ".*", ".*", ".*"}};
  const AccessTable table(definitions);
  ASSERT_NE(table.find_user("a"), nullptr);
  EXPECT_EQ(table.find_user("a")->tags.front(), "administrator");
  EXPECT_EQ(table.find_user("ghost"), nullptr);
  EXPECT_EQ(table.find_user(""), nullptr);
  ASSERT_NE(table.find("a", "/"), nullptr);
  EXPECT_TRUE(table.find("a", "/")->allows(Access::kWrite, "q"));
  EXPECT_FALSE(table.find("a", "v")->allows(Access::kWrite, "q"));
  EXPECT_TRUE(table.find("b", "v")->allows(Access::kConfigure, "b1"));
  EXPECT_EQ(table.find("b", "/"), nullptr);
  EXPECT_EQ(table.find("ghost", "/"), nullptr);
}

TEST(AccessTable, SessionsKeepTheirAccessBeyondTheTable) {
  Definitions definitions;
  definitions.users.resize(1);
  definitions.users[0].name = "a";
  definitions.permissions = {{"a", "/", ".*", ".*", ".*"}};
  std::shared_ptr<const VhostAccess> kept;
  {
    const AccessTable table(definitions);
    kept = table.find("a", "/");
  }
  EXPECT_TRUE(kept->allows(Access::kRead, "q"));
}

}  // namespace
}  // namespace leveret::config
