// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "record.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "mesh.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/evaluate/sample_record.h"
#include "pmtr/render/png.h"
#include "pmtr/report/page/assembly_pictures.h"
#include "pmtr/report/page/report_html.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/words.h"
#include "poses.h"
#include "work.h"

namespace pmtr::python {
namespace {

py::list parts_of(const Record& r) {
  py::list out;
  const std::vector<std::string> names = r.record.context.names();
  for (std::size_t i = 0; i < r.record.assembly.parts.size(); ++i) {
    const PlacedPart& part = r.record.assembly.parts[i];
    py::dict entry;
    entry["name"] = names[i];
    entry["placed"] = part.placed;
    entry["anchor"] = part.anchor;
    entry["component"] = part.component;
    entry["world_from_part"] = part.placed ? py::object(pose_array(part.world_from_part)) : py::none();
    entry["confidence"] = part.confidence;
    entry["open_share"] = part.open_share;
    out.append(entry);
  }
  return out;
}

py::list joints_of(const Record& r) {
  py::list out;
  for (std::size_t i = 0; i < r.record.assembly.joints.size(); ++i) {
    const Joint& joint = r.record.assembly.joints[i];
    py::dict entry;
    entry["a"] = joint.a;
    entry["b"] = joint.b;
    entry["a_from_b"] = pose_array(joint.a_from_b);
    entry["confidence"] = joint.confidence;
    entry["matches"] = joint.matches;
    entry["used"] = joint.used;
    entry["band"] = band_name(band_of(joint));
    entry["fate"] = fate_word(r.record, i);
    entry["evidence"] = joint.evidence ? py::object(evidence_dict(*joint.evidence)) : py::none();
    out.append(entry);
  }
  return out;
}

/// Settles which files go where, so it changes what the record says of them.
void save(Record& r, const std::filesystem::path& folder, bool report, bool light, int threads,
          py::object callback) {
  Work work(std::move(callback));
  AssemblyRecord record = r.record;
  work.run([&] {
    Threads team(threads);
    return write_results(folder, r.files, record, {report, light}, team, work.listener());
  });
  r.record = std::move(record);
}

/// PNG, or nothing where no part is placed.
py::object picture(const Record& r, bool exploded, int width, int height, int threads) {
  PictureOptions options;
  options.width = width;
  options.height = height;
  options.joint_cells = 0;
  const std::vector<const TriangleMesh*> meshes = meshes_of(r.files);
  Work work{py::none()};
  const auto bytes = work.run([&]() -> Result<std::vector<std::byte>> {
    Threads team(threads);
    AssemblyPictures pictures =
        draw_assembly(r.record, meshes, lay_out(r.record, meshes), options, team, Listener{});
    const std::optional<Image>& image = exploded ? pictures.exploded : pictures.assembled;
    if (!image) return std::vector<std::byte>{};
    return encode_png(*image);
  });
  if (bytes.empty()) return py::none();
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Record load(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& fragments) {
  Work work{py::none()};
  return work.run([&]() -> Result<Record> {
    Record out;
    PMTR_TRY(out.record, read_assembly(folder));
    PMTR_TRY(out.files,
             find_fragments(folder, out.record, fragments, /*accept_placed=*/true, work.listener()));
    return out;
  });
}

py::dict scores_dict(const SampleRecord& sample) {
  py::dict out;
  const AssemblyScores& scores = sample.scores;
  out["path"] = sample.path;
  out["crd"] = scores.crd;
  out["cd"] = scores.cd;
  out["rmse_r_deg"] = scores.rmse_r_deg;
  out["rmse_t"] = scores.rmse_t;
  out["pa_cd"] = scores.pa_cd;
  out["pa_crd"] = scores.pa_crd;
  out["rot_deg"] = scores.rot_deg;
  out["trans"] = scores.trans;
  out["placed"] = scores.placed;
  out["complete"] = scores.complete;
  py::list pieces;
  for (const PieceRecord& piece : sample.pieces) {
    py::dict entry;
    entry["share"] = piece.share;
    entry["confidence"] = piece.confidence;
    entry["anchor"] = piece.scores.anchor;
    entry["placed"] = piece.scores.placed;
    entry["rot_deg"] = piece.scores.rot_deg;
    entry["trans"] = piece.scores.trans;
    entry["right"] = piece.scores.right();
    pieces.append(entry);
  }
  out["pieces"] = pieces;
  return out;
}

py::dict score(const Record& r, const ScatteredObject& truth, int points, bool count_anchor, int threads) {
  const std::size_t parts = r.record.assembly.parts.size();
  if (parts != truth.pieces.size())
    raise({Cause::mismatch,
           fmt::format("the assembly has {} parts, the truth {} pieces", parts, truth.pieces.size()),
           {}});
  for (std::size_t i = 0; i < parts; ++i)
    if (r.files[i].mesh.vertices.size() != truth.pieces[i].vertices.size())
      raise({Cause::mismatch, fmt::format("part {} of the assembly is not piece {} of the truth", i, i), {}});
  if (parts < 2) raise({Cause::empty, "one part alone cannot be wrong", {}});
  if (points < 2) raise(invalid_option("points: at least 2"));
  Work work{py::none()};
  return scores_dict(work.run([&] {
    Threads team(threads);
    return record_sample(truth, r.record.assembly, points, {count_anchor}, team);
  }));
}

}  // namespace

void bind_record(py::module_& module) {
  py::class_<Record>(module, "Record")
      .def_property_readonly("parts", &parts_of)
      .def_property_readonly("joints", &joints_of)
      .def_property_readonly(
          "json",
          [](const Record& r) { return py::bytes(assembly_json(r.record.assembly, r.record.context)); })
      .def_property_readonly("summary", [](const Record& r) { return summary_sentence(r.record); })
      .def_property_readonly("object_size", [](const Record& r) { return r.record.context.object_size; })
      .def_property_readonly("weights", [](const Record& r) { return r.record.context.weights; })
      .def_property_readonly("fragments",
                             [](const Record& r) {
                               std::vector<Mesh> out;
                               for (const MeshFile& file : r.files)
                                 out.emplace_back(std::make_shared<MeshFile>(file), false);
                               return out;
                             })
      .def("save", &save)
      .def("picture", &picture)
      .def("score", &score);
  module.def("load", &load);
}

}  // namespace pmtr::python
