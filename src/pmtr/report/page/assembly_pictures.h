// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "pmtr/render/image.h"
#include "pmtr/report/page/display_layout.h"

namespace pmtr {

/// Pictures of an assembly by the software renderer. Without placed parts there are none.
/// Where the middle of a part is in a picture; shares of its width and height, from the left and the top.
struct PictureLabel {
  std::size_t part = 0;
  double x = 0.0;
  double y = 0.0;
};

struct AssemblyPictures {
  std::optional<Image> assembled;
  std::optional<Image> exploded;
  std::vector<PictureLabel> numbers;  ///< of the parts in `exploded`
  std::optional<Image> joints;        ///< a contact sheet of the used joints
};

struct PictureOptions {
  int width = 1200;  ///< pixels
  int height = 900;
  double explode = 0.6;
  int joint_cells = 24;  ///< at most, those with the lowest confidence first: they are worth a look
};

/// Between two pictures it looks whether it is to stop; what is not drawn then is not there.
AssemblyPictures draw_assembly(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                               const DisplayLayout& layout, const PictureOptions& options, Threads& threads,
                               const Listener& listener);

}  // namespace pmtr
