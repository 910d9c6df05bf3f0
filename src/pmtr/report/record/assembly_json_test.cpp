// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/assembly_json.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(AssemblyJson, VerdictsAndCertificateWhereThereAreAny) {
  Assembly assembly;
  assembly.parts.resize(2);
  assembly.joints.resize(2);
  AssemblyContext context;
  context.files = {"a.ply", "b.ply"};
  const std::string plain = assembly_json(assembly, context);
  EXPECT_EQ(plain.find("fate"), std::string::npos);
  EXPECT_NE(plain.find("\"certificate\": null"), std::string::npos);

  assembly.verdicts.resize(2);
  assembly.verdicts[0] = {JointFate::used, 1.5, 0.25};
  assembly.verdicts[1] = {JointFate::unjoined, {}, {}};
  assembly.certificate = Certificate{true, 0.0, 2.0, 3};
  const std::string full = assembly_json(assembly, context);
  EXPECT_NE(full.find("\"fate\": \"used\",\n      \"residual_deg\": 1.5,\n      \"residual_shift\": 0.25"),
            std::string::npos);
  EXPECT_NE(full.find("\"fate\": \"unjoined\",\n      \"residual_deg\": null"), std::string::npos);
  EXPECT_NE(full.find("\"optimal\": true"), std::string::npos);
}

}  // namespace
}  // namespace pmtr
