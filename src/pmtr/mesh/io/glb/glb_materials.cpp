// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_materials.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "pmtr/mesh/io/glb/data_uri.h"
#include "pmtr/mesh/io/mesh_appearance.h"

namespace pmtr::glb {
namespace {

Result<Texture> read_image(const Json& document, Accessors& accessors, std::uint64_t index) {
  const std::string where = fmt::format("image {}", index);
  const Json* image = entry(document, "images", index);
  if (image == nullptr) return malformed(where + " does not exist");
  Texture texture;
  texture.name = text_at(*image, "name");
  texture.mime = text_at(*image, "mimeType");
  if (find(*image, "bufferView") != nullptr) {
    PMTR_TRY(const std::uint64_t view, index_at(*image, "bufferView", 0, where));
    PMTR_TRY(const auto bytes, accessors.view(view));
    texture.bytes.assign(bytes.begin(), bytes.end());
  } else {
    const std::string_view uri = text_at(*image, "uri");
    auto data = decode_data_uri(uri);
    if (!data) {
      return Error{
          Cause::unsupported, fmt::format("{} is in another file ({})", where, uri.substr(0, 80)), {}};
    }
    texture.bytes = std::move(data->bytes);
    if (texture.mime.empty()) texture.mime = data->mime;
  }
  if (texture.mime.empty()) texture.mime = image_mime(texture.bytes, texture.name);
  if (texture.name.empty()) texture.name = fmt::format("image_{}{}", index, image_extension(texture.mime));
  return texture;
}

/// The image of a texture, also where an extension offers a newer kind of picture only.
Result<std::uint64_t> image_of_texture(const Json& document, std::uint64_t index) {
  const std::string where = fmt::format("texture {}", index);
  const Json* texture = entry(document, "textures", index);
  if (texture == nullptr) return malformed(where + " does not exist");
  if (find(*texture, "source") != nullptr) return index_at(*texture, "source", 0, where);
  if (const Json* extensions = find(*texture, "extensions"); extensions != nullptr) {
    for (const char* name : {"EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif"}) {
      const Json* extension = find(*extensions, name);
      if (extension != nullptr && find(*extension, "source") != nullptr) {
        return index_at(*extension, "source", 0, where);
      }
    }
  }
  return malformed(where + " has no image");
}

Eigen::Vector4f base_colour_of(const Json& surface) {
  Eigen::Vector4f colour = Eigen::Vector4f::Ones();
  const Json* factor = find(surface, "baseColorFactor");
  if (factor == nullptr || !factor->is_array() || factor->size() != 4) return colour;
  for (std::size_t i = 0; i < 4; ++i) {
    if ((*factor)[i].is_number()) {
      colour[static_cast<Eigen::Index>(i)] =
          static_cast<float>(std::clamp((*factor)[i].get<double>(), 0.0, 1.0));
    }
  }
  return colour;
}

}  // namespace

void read_materials(const Json& document, Accessors& accessors, std::uint64_t most_picture_bytes,
                    TriangleMesh& mesh, std::vector<std::string>& warnings) {
  std::map<std::uint64_t, int> texture_of_image;
  const auto load = [&](std::uint64_t image) {
    auto texture = read_image(document, accessors, image);
    if (!texture.ok()) {
      warnings.push_back(texture.error().message);
      return -1;
    }
    if (texture->bytes.size() > most_picture_bytes) {
      warnings.push_back(fmt::format("image {} is left out: pictures overlap in the file", image));
      return -1;
    }
    most_picture_bytes -= texture->bytes.size();
    mesh.textures.push_back(*std::move(texture));
    return static_cast<int>(mesh.textures.size()) - 1;
  };
  for (std::size_t i = 0; i < entry_count(document, "materials"); ++i) {
    const Json& json = *entry(document, "materials", i);
    Material& material = mesh.materials.emplace_back();
    material.name = text_at(json, "name");
    const Json* surface = find(json, "pbrMetallicRoughness");
    if (surface == nullptr) continue;
    material.base_colour = base_colour_of(*surface);
    const Json* slot = find(*surface, "baseColorTexture");
    if (slot == nullptr) continue;
    const auto texture = index_at(*slot, "index", std::uint64_t{1} << 63, fmt::format("material {}", i));
    const auto image =
        texture.ok() ? image_of_texture(document, *texture) : Result<std::uint64_t>(texture.error());
    if (!image.ok()) {
      warnings.push_back(fmt::format("material {}: {}", i, image.error().message));
      continue;
    }
    const auto known = texture_of_image.find(*image);
    material.texture = known != texture_of_image.end()
                           ? known->second
                           : texture_of_image.emplace(*image, load(*image)).first->second;
  }
}

}  // namespace pmtr::glb
