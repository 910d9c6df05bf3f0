// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// "0.00123": three digits are as many as a person reads, of small lengths two.
std::string number_words(double value);
std::string gap_words(double value);

/// "accepted", "rejected by hand", "too weak", ...
std::string fate_label(const std::string& fate_word);

/// Why the joint is used or not, in a sentence.
std::string fate_sentence(const AssemblyRecord& record, std::size_t joint);

/// What was put together, in a sentence or two.
std::string summary_sentence(const AssemblyRecord& record);

/// How far a joint may be believed, and why: "confirmed: the surfaces fit, matches agree."
std::string band_sentence(const Joint& joint);

/// What the certificate promises and what it does not.
std::string certificate_sentence(const AssemblyRecord& record);

/// What the numbers are measured in.
std::string units_sentence(const AssemblyRecord& record);

}  // namespace pmtr
