// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Writes the files in tests/own_golden/values (README.md there).   generate_own_golden [--keep-pair]
// Most weights are refused because a gradient hangs on a kink; it takes a minute.
#include <array>
#include <cstdio>

#include <torch/autograd.h>
#include <torch/types.h>

#include "own_golden/network_case.h"
#include "own_golden/plain_losses.h"
#include "pmtr/core/file.h"
#include "pmtr/dataset/mating_surfaces.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/sample/sample_surface.h"
#include "pmtr/weights/safetensors.h"

namespace pmtr::test {

void generate_averaging();

namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return *std::move(result);
}

void write(const ValueFile& values, const std::string& name) {
  const auto bytes = format_safetensors(values.file());
  if (const Status status = write_file(own_golden_folder() / name, bytes); !status.ok())
    throw std::runtime_error(status.error().text());
  std::printf("%s: %zu bytes\n", name.c_str(), bytes.size());
}

std::vector<float> flat(const std::vector<Eigen::Vector3f>& points) {
  std::vector<float> values;
  for (const auto& p : points) values.insert(values.end(), p.data(), p.data() + 3);
  return values;
}

/// A small figure broken in two, each half turned: points, places in the whole, surface features, labels. The
/// whole is so small that so few points are as dense as the network is used to.
void generate_pair() {
  constexpr int points = 200;
  constexpr double size = 0.22;
  ShapeOptions shape;
  shape.around = 48;
  FractureOptions fracture;
  fracture.pieces = 2;
  fracture.seed = 3;
  fracture.min_volume_share = 0.35;
  const FracturedObject object = must(fracture_mesh(must(make_shape(Shape::blob, shape)), fracture));
  std::vector<TriangleMesh> pieces;
  for (const FracturePiece& piece : object.pieces) pieces.push_back(piece.mesh);
  const MatingSurfaces mating = find_mating_surfaces(pieces);
  const double area = mating.piece_areas[0] + mating.piece_areas[1];

  ValueFile pair;
  const std::array<std::string, 2> names{"source", "target"};
  for (std::size_t i = 0; i < 2; ++i) {
    Random random(5, i);
    const int count = static_cast<int>(std::lround(points * mating.piece_areas[i] / area));
    const SampledSurface sampled = must(sample_surface(pieces[i], count, 1.0 / size, random));
    std::vector<float> broken;
    for (const std::uint32_t face : sampled.faces)
      broken.push_back(mating.partner[i][face] >= 0 ? 1.0F : 0.0F);
    PointCloud cloud = sampled.cloud;
    std::vector<Eigen::Vector3f> assembled;
    for (const auto& p : cloud.points)
      assembled.push_back((p.cast<double>() + size * sampled.centre).cast<float>());
    pair.add(names[i] + ".assembled", flat(assembled), 3);
    const Eigen::Matrix3f turned = random.rotation().cast<float>();
    for (auto& p : cloud.points) p = turned * p;
    for (auto& n : cloud.normals) n = turned * n;
    pair.add(names[i] + ".points", flat(cloud.points), 3);
    const SurfaceFeatures features = find_surface_features(cloud, cloud, Threads::none());
    pair.add(names[i] + ".features", features.values, SurfaceFeatures::width);
    pair.add(names[i] + ".broken", broken, 1);
  }
  write(pair, "pair.safetensors");
}

void add_tensor(ValueFile& values, const std::string& name, const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kFloat).contiguous();
  values.add(name, std::span<const float>(flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())),
             flat.size(-1));
}

PyramidBatch in_double(PyramidBatch batch) {
  for (BatchLevel& level : batch.levels) level.points = level.points.to(torch::kDouble);
  if (batch.inputs.defined()) batch.inputs = batch.inputs.to(torch::kDouble);
  return batch;
}

/// What the network says of a pair, whether its fragments know of each other or not.
struct PairOutput {
  Features features;
  PairFeatures compared;
  torch::Tensor fracture_loss;
};

PairOutput run(const PmtrNetwork& network, const PairSample& sample, const LossOptions& losses) {
  const Execution execution{&Threads::none(), /*composed=*/true};
  PairOutput out;
  out.fracture_loss = torch::zeros({}, torch::kDouble);
  if (network.options().norm_scope == NormScope::pair) {
    const auto batch =
        in_double(stack_pyramids(std::array{&sample.source.input.pyramid, &sample.target.input.pyramid}));
    const NetworkOutput output = network.forward(batch, {Role::source, Role::target}, execution);
    out.features = name_features(output);
    const auto nodes = output.coarse_normalised.split_with_sizes(batch.levels[2].lengths);
    const auto points = output.decoded.fine.split_with_sizes(batch.levels[0].lengths);
    out.compared = {nodes[0], nodes[1], points[0], points[1]};
    return out;
  }
  std::vector<NetworkOutput> outputs;
  for (const Role role : {Role::source, Role::target}) {
    const FragmentSample& fragment = role == Role::source ? sample.source : sample.target;
    const PyramidBatch batch = in_double(stack_pyramids(std::array{&fragment.input.pyramid}));
    outputs.push_back(network.forward(batch, {role}, execution));
    Features own = name_features(outputs.back());
    own["fracture"] = plain_fracture_logits(network, outputs.back(), batch, fragment.input.dense);
    const torch::Tensor labels = torch::tensor(at::ArrayRef<float>(fragment.fracture)).to(torch::kDouble);
    out.fracture_loss =
        out.fracture_loss +
        0.5 * torch::binary_cross_entropy_with_logits(
                  own["fracture"], labels, {}, torch::full({1}, losses.fracture_positive, torch::kDouble));
    for (const auto& [name, tensor] : own)
      out.features[name] = out.features.contains(name) ? torch::cat({out.features[name], tensor}) : tensor;
  }
  out.compared = {outputs[0].coarse_normalised, outputs[1].coarse_normalised, outputs[0].decoded.fine,
                  outputs[1].decoded.fine};
  return out;
}

struct Computed {
  Features features;
  std::vector<double> losses;
  std::vector<double> gradients;  ///< [learnt, 3], gradient_digest()
};

Computed compute(const PmtrNetwork& network, const PairSample& sample, const LossOptions& options) {
  const PairOutput output = run(network, sample, options);
  Computed out;
  for (const auto& [name, tensor] : output.features) out.features[name] = digest(tensor);
  const PairFeatures& f = output.compared;
  const torch::Tensor coarse =
      options.contrast
          ? plain_contrast_loss(f.source_superpoints, f.target_superpoints, sample.truth)
          : plain_coarse_loss(f.source_superpoints, f.target_superpoints, sample.truth, options.circle);
  const torch::Tensor fine =
      plain_fine_loss(f.source_points, f.target_points, network.dustbin_score(), sample.truth, options);
  const ProxyLoss proxies = proxy_loss(network);
  const torch::Tensor total = options.coarse * coarse + options.fine * fine +
                              options.orthonormal * proxies.orthonormal + options.zero * proxies.zero +
                              options.fracture * output.fracture_loss;
  for (const torch::Tensor& loss :
       {coarse, fine, proxies.orthonormal, proxies.zero, output.fracture_loss, total})
    out.losses.push_back(loss.item<double>());
  const auto gradients =
      torch::autograd::grad({total}, network.parameters().learnt(), {}, false, false, true);
  std::size_t next = 0;
  for (const auto& entry : network.parameters().entries()) {
    if (!entry.learnt) continue;
    const auto row = gradient_digest(entry.name, gradients[next++]);
    out.gradients.insert(out.gradients.end(), row.begin(), row.end());
  }
  return out;
}

/// Multiplies every weight by 1 + 1e-6 times something, which moves the features some times as far as float
/// does.
void disturb(const PmtrNetwork& network, int which) {
  const torch::NoGradGuard no_grad;
  for (const auto& entry : network.parameters().entries()) {
    const torch::Tensor change = numbers_of(std::to_string(which) + entry.name, entry.tensor.sizes());
    if (entry.learnt) entry.tensor.mul_(1.0 + 1e-6 * change.to(torch::kDouble));
  }
}

/// How far the gradients move where the weights do by as little as rounding. Much, where some activation
/// stands so near to its kink that rounding decides on which side.
double gradient_noise(const Computed& a, const Computed& b) {
  const GradientScale scale(a.gradients);
  double worst = 0.0;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    const double length = a.gradients[i - i % 3];
    if (!scale.is_rounding(length))
      worst = std::max(worst, scale.away(b.gradients[i], a.gradients[i], length));
  }
  return worst;
}

double feature_noise(const Computed& a, const Computed& b) {
  double worst = 0.0;
  for (const auto& [name, tensor] : a.features)
    worst = std::max(worst, ((tensor - b.features.at(name)).abs().max() / tensor.abs().max()).item<double>());
  return worst;
}

PmtrNetwork double_network(const std::string& mode, const ValueFile& values) {
  PmtrNetwork network = make_network(mode, values);
  for (const auto& entry : network.parameters().entries())
    entry.tensor.set_data(entry.tensor.to(torch::kDouble));
  return network;
}

/// The first weights whose gradients do not hang on a kink.
void generate_network(const std::string& mode) {
  constexpr int disturbances = 10;
  constexpr double steady = 2e-4;
  ValueFile values;
  const PmtrNetwork fresh = must(PmtrNetwork::create(options_of(mode), 1));
  for (const auto& entry : fresh.parameters().entries()) {
    if (entry.learnt) {
      values.file().metadata["learnt"] += entry.name + "\n";
    } else {
      add_tensor(values, "buffer." + entry.name, entry.tensor);
    }
  }
  const PairSample sample = make_sample(ValueFile("pair.safetensors"), options_of(mode));
  for (int seed = 0;; ++seed) {
    values.file().metadata["seed"] = std::to_string(seed);
    const Computed computed = compute(double_network(mode, values), sample, losses_of(mode));
    double gradients = 0.0, features = 0.0;
    int tried = 0;
    for (; tried < disturbances && gradients < steady; ++tried) {
      const PmtrNetwork other = double_network(mode, values);
      disturb(other, tried);
      const Computed moved = compute(other, sample, losses_of(mode));
      gradients = std::max(gradients, gradient_noise(computed, moved));
      features = std::max(features, feature_noise(computed, moved));
    }
    std::printf("%s, weights %d: disturbed %d times, features move by %.1e, gradients by %.1e\n",
                mode.c_str(), seed, tried, features, gradients);
    if (gradients >= steady) continue;
    for (const auto& [name, tensor] : computed.features) add_tensor(values, name, tensor);
    values.add("losses", computed.losses, 1);
    values.add("gradients", computed.gradients, 3);
    break;
  }
  write(values, mode + ".safetensors");
}

}  // namespace
}  // namespace pmtr::test

int main(int argc, char** argv) {
  // The pair need not change when the sampling does.
  if (argc < 2 || std::string(argv[1]) != "--keep-pair") pmtr::test::generate_pair();
  for (const std::string& mode : pmtr::test::modes) pmtr::test::generate_network(mode);
  pmtr::test::generate_averaging();
}
