// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assemble_arguments.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/report/record/units.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr::command {

Command assemble_command(const std::function<int(const AssembleArguments&)>& run) {
  const auto arguments = std::make_shared<AssembleArguments>();
  Command command;
  command.name = "assemble";
  command.summary = "Put fragments back together";
  command.declare = [arguments](Options& options) {
    AssembleArguments& a = *arguments;
    AssembleRequest& request = a.request;
    options.files("files", a.files, "The fragments: OBJ, PLY, STL, OFF or GLB").required();
    options.folder("-o,--out", a.out, "Folder for the results").required();
    options.file("--weights", a.weights,
                 "The network's weights (safetensors; see pmtr import), or 'none' for untrained ones "
                 "(default: the bundled ones)");
    options.text("--system", a.system, "NAME",
                 "Find poses by one of the systems that the paper compares with: global, lstm, dgl, nsm, wu, "
                 "wu-correlated, jigsaw or geotransformer; needs --weights of that system");
    options.number("--seed", request.seed, "Random seed");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options
        .number("--object-size", request.object_size,
                "Longest side of the whole object, in the units of the files (default: estimated)")
        .positive();
    options
        .number("--objects", request.objects,
                "How many similar objects the fragments are of, about: each is sampled like one")
        .range(1, 10000);
    options
        .text("--units", request.units, "NAME",
              fmt::format("Unit of the files, only named in the results: {}", fmt::join(known_units, ", ")))
        .one_of({known_units.begin(), known_units.end()});
    options.folder(
        "--work", a.work,
        "Keep there what is done, so that the same command goes on where it was interrupted; can be "
        "deleted afterwards");
    options.file("--constraints", request.constraints,
                 "Decisions about joints and fragments (constraints.json of pmtr view)");
    options.flag("--no-report", a.no_report, "Write neither report.html nor pictures");
    options.flag("--light", a.light, "Write a smaller report.html, with less detail (below 10 MB)");
    options
        .number("--points", request.points,
                fmt::format("Points per object that the network sees (default: {})", SampleOptions{}.points))
        .range(1, 100'000'000);
    options.flag("--place-all", request.place_all,
                 "Place uncertain fragments too, at their most likely pose");
    options.flag("--only-confirmed", request.only_confirmed,
                 "Join only what is confirmed (default: what is probable as well)");
    options.flag("--exhaustive", request.exhaustive,
                 "Search every pair in full, not only those that look promising");
    options
        .text("--progress", a.progress, "HOW",
              "How far it is: bar, for people, or lines, for programs (docs/command_line.md)")
        .one_of({"bar", "lines"});
    options.flag("--json", a.json, "Print assembly.json to standard output as well");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
