// SPDX-License-Identifier: Apache-2.0
// Pages that the command wrote: what is in them, and what a browser makes of them.
#pragma once

#include "gallery/picture.hpp"
#include "tests/tools/support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace command {

inline std::string read(const std::filesystem::path& path) {
  const std::vector<char> bytes = gallery::read_file(path);
  return {bytes.begin(), bytes.end()};
}

inline std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  return text.substr(from + begin.size(), text.find(end, from) - from - begin.size());
}

inline nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(between(page, R"(<script type="application/json" id="data">)", "</script>"));
}

// Runs the page in a browser, and what a user would do with it.
class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "there is no 'chromium' here; install Debian's package to have the page tested in it";
    }
  }

  // What the script, which comes at the page's end, leaves in `result`. "errors" are those of the whole page.
  nlohmann::json run(std::string page, const std::string& script, const std::string& options = "") {
    const auto insert = [&](std::string_view place, const std::string& text) {
      page.insert(page.find(place), text);
    };
    insert("<style>",
           "<script>var errors = []; addEventListener('error', (e) => errors.push(e.message));</script>");
    insert("</body>", "<script>const result = {};" + script +
                          "result.errors = errors; document.body.innerHTML = '<pre></pre>';"
                          "document.querySelector('pre').textContent = JSON.stringify(result);</script>");
    const std::string dom = browse(page, options + " --window-size=1280,900 --dump-dom");
    const std::string log = log_of_browser();
    const nlohmann::json result = nlohmann::json::parse(between(dom, "<pre>", "</pre>"), nullptr, false);
    EXPECT_TRUE(result.is_object()) << log << dom;
    if (result.is_object()) {
      EXPECT_EQ(result["errors"], nlohmann::json::array());
    }
    return result;
  }

  // What a user of a window of that size sees of the page.
  gallery::picture picture_of(const std::string& page, const std::string& options, const std::string& size) {
    const std::filesystem::path to = folder_ / fmt::format("seen-{}.png", runs_);
    browse(page, fmt::format("{} --window-size={} --hide-scrollbars --screenshot='{}'", options, size,
                             to.string()));
    return gallery::read_png(to);
  }

 private:
  std::string browse(const std::string& page, const std::string& options) {
    const std::string command =
        fmt::format("timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
                    "--disable-background-networking --disable-component-update --disable-sync "
                    "--enable-logging=stderr --user-data-dir='{}' {} 'file://{}' 2>'{}'",
                    (folder_ / fmt::format("profile-{}", ++runs_)).string(), options,
                    folder_.with("page.html", page).string(), (folder_ / "log").string());
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string out;
    for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    if (pipe != nullptr) pclose(pipe);
    EXPECT_THAT(log_of_browser(), testing::Not(testing::HasSubstr("CONSOLE")));
    return out;
  }
  std::string log_of_browser() const {
    return std::filesystem::file_size(folder_ / "log") > 0 ? read(folder_ / "log") : "";
  }

 protected:
  gallery::temporary_folder folder_;

 private:
  unsigned runs_ = 0;
};

inline constexpr const char* count = "const count = (what) => document.querySelectorAll(what).length;";

}  // namespace command
