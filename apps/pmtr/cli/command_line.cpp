// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The one file that includes CLI11.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "command.h"
#include "console.h"
#include "network_program.h"
#include "options.h"

namespace pmtr::command {

Option& Option::required() {
  option_->required();
  return *this;
}

namespace {

/// CLI11's own checks let NaN pass and put their ranges into --help.
template <class T, class Good>
CLI::Validator check_number(Good good, const std::string& expected) {
  auto check = [good, expected](const std::string& text) {
    T value{};
    const bool fine = CLI::detail::lexical_cast(text, value) && good(value);
    return fine ? std::string() : fmt::format("{} is not {}", text, expected);
  };
  return {check, ""};
}

CLI::Option* add_path(CLI::App& app, const std::string& names, std::optional<std::filesystem::path>& target,
                      const std::string& help) {
  return app.add_option_function<std::string>(
      names, [&target](const std::string& value) { target = value; }, help);
}

}  // namespace

Option& Option::range(std::int64_t low, std::int64_t high) {
  option_->check(check_number<std::int64_t>([=](std::int64_t value) { return low <= value && value <= high; },
                                            fmt::format("a whole number from {} to {}", low, high)));
  return *this;
}

Option& Option::positive() {
  option_->check(check_number<double>([](double value) { return std::isfinite(value) && value > 0.0; },
                                      "a number above zero"));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  auto check = [words](const std::string& text) {
    const bool fine = std::find(words.begin(), words.end(), text) != words.end();
    return fine ? std::string() : fmt::format("{} is not one of {}", text, fmt::join(words, ", "));
  };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option Options::flag(const std::string& names, bool& target, const std::string& help) {
  return Option(app_.add_flag(names, target, help));
}
Option Options::number(const std::string& names, std::uint64_t& target, const std::string& help) {
  // CLI11 lets "-1" and values beyond 64 bits wrap around.
  auto whole = [](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end
               ? std::string()
               : fmt::format("{} is not a whole number from 0 to {}", text, UINT64_MAX);
  };
  return Option(app_.add_option(names, target, help)
                    ->type_name("N")
                    ->capture_default_str()
                    ->check(CLI::Validator(whole, "")));
}
Option Options::number(const std::string& names, int& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("N")->capture_default_str());
}
Option Options::number(const std::string& names, double& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("X")->capture_default_str());
}
Option Options::number(const std::string& names, std::optional<int>& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("N"));
}
Option Options::number(const std::string& names, std::optional<double>& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("X"));
}
Option Options::text(const std::string& names, std::string& target, const std::string& type,
                     const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name(type));
}
Option Options::texts(const std::string& names, std::vector<std::string>& target, const std::string& type,
                      const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name(type));
}
Option Options::file(const std::string& names, std::filesystem::path& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("FILE"));
}
Option Options::file(const std::string& names, std::optional<std::filesystem::path>& target,
                     const std::string& help) {
  return Option(add_path(app_, names, target, help)->type_name("FILE"));
}
Option Options::files(const std::string& names, std::vector<std::filesystem::path>& target,
                      const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("FILE"));
}
Option Options::folder(const std::string& names, std::filesystem::path& target, const std::string& help) {
  return Option(app_.add_option(names, target, help)->type_name("DIR"));
}
Option Options::folder(const std::string& names, std::optional<std::filesystem::path>& target,
                       const std::string& help) {
  return Option(add_path(app_, names, target, help)->type_name("DIR"));
}

namespace {

int complain_about_usage(const std::string& text, const std::string& command = "") {
  complain(text);
  say(fmt::format("'pmtr{} --help' shows what is possible", command.empty() ? "" : " " + command));
  return exit_code::usage;
}

void declare(CLI::App& app, std::span<const Command> commands) {
  app.set_version_flag("--version", "pmtr " PMTR_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "(required)");
  app.require_subcommand(0, 1);  // a missing one is reported in our own words
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary)->group("Commands");
    Options options(*sub);
    command.declare(options);
  }
  app.footer(
      "pmtr COMMAND --help explains a command. Exit codes: 0 done, 2 wrong usage, 3 bad input,\n"
      "4 nothing could be assembled, 1 anything else.");
}

}  // namespace

int run_command_line(int argc, char** argv, std::span<const Command> commands) {
  CLI::App app("Puts broken 3D objects back together.", "pmtr");
  declare(app, commands);
  auto find = [&](const std::string& name) {
    return std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  };
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return exit_code::usage;
  }
  if (const std::string first = argv[1]; !first.starts_with('-') && find(first) == commands.end()) {
    return complain_about_usage(fmt::format("there is no command '{}'", first));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + "\n");
  } catch (const CLI::Success&) {
    return print(app.help());  // of the command, if there is one
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    return complain_about_usage(error.what(), chosen.empty() ? "" : chosen.front()->get_name());
  }
  if (app.get_subcommands().empty()) return complain_about_usage("a command is missing");
  const auto command = find(app.get_subcommands().front()->get_name());
  if (!command->run) return continue_in_network_program(argv);
  try {
    return command->run();
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return exit_code::failed;
  } catch (const std::exception& error) {  // a defect, here or in a library: not the input's fault
    complain(error.what());
    return exit_code::failed;
  }
}

}  // namespace pmtr::command
