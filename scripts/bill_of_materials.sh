#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Prints an SPDX 2.3 bill of materials (JSON) of this checkout: pmtr, the Debian packages that it is built and linked
# with, in the versions that are installed here, and the npm packages that web/package-lock.json pins.
#   scripts/bill_of_materials.sh [GROUP...] > pmtr.spdx.json      groups as in install_dependencies.sh; default: build
# The same checkout and the same packages give the same bytes: the date is that of the commit.
set -euo pipefail
cd "$(dirname "$0")/.."
groups=("$@")
[[ ${#groups[@]} -gt 0 ]] || groups=(build)

version=$(sed -n 's/^project(pmtr VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
created=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null || echo 1970-01-01T00:00:00Z)
quoted() { printf '"%s"' "$(sed 's/\\/\\\\/g; s/"/\\"/g' <<< "$1")"; }

packages=() relations=()
# name, version, licence (SPDX or NOASSERTION), purl, what pmtr has to do with it
add() {
  local id
  id=SPDXRef-$(tr -c 'A-Za-z0-9.\n' - <<< "$5-$1")
  packages+=("{\"SPDXID\": \"$id\", \"name\": $(quoted "$1"), \"versionInfo\": $(quoted "$2"), \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"licenseConcluded\": \"NOASSERTION\", \"licenseDeclared\": $(quoted "$3"), \"copyrightText\": \"NOASSERTION\", \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", \"referenceLocator\": $(quoted "$4")}]}")
  relations+=("{\"spdxElementId\": \"SPDXRef-pmtr\", \"relationshipType\": \"$6\", \"relatedSpdxElement\": \"$id\"}")
}

while read -r package; do
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "$package" 2>/dev/null || true)
  [[ $installed == installed\ * ]] || { echo "bill_of_materials: $package is not installed" >&2; continue; }
  add "$package" "${installed#installed }" NOASSERTION "pkg:deb/debian/$package@${installed#installed }" deb DEPENDS_ON
done < <(scripts/install_dependencies.sh --list "${groups[@]}" | sort -u)

# package-lock.json as npm writes it: a line with the path, then its version and its licence.
while IFS=$'\t' read -r name number licence; do
  add "$name" "$number" "${licence:-NOASSERTION}" "pkg:npm/${name/@/%40}@$number" npm \
    "$([[ $name == three ]] && echo CONTAINS || echo DEPENDS_ON)"
done < <(awk -F'"' '
  function out() { if (name != "" && !optional) printf "%s\t%s\t%s\n", name, number, licence }
  /^    "node_modules\// { out(); name = $2; sub(/.*node_modules\//, "", name); number = licence = ""; optional = 0; next }
  /^      "version":/ { number = $4 }
  /^      "license":/ { licence = $4 }
  /^      "optional": true/ { optional = 1 }
  END { out() }' web/package-lock.json)

joined() { local IFS=$'\n'; sed '$!s/$/,/; s/^/    /' <<< "$*"; }
cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "pmtr-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/pmtr-$version-$commit",
  "creationInfo": {"created": "$created", "creators": ["Tool: scripts/bill_of_materials.sh"]},
  "packages": [
    {"SPDXID": "SPDXRef-pmtr", "name": "pmtr", "versionInfo": "$version", "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "Copyright The pmtr authors", "sourceInfo": "commit $commit"},
$(joined "${packages[@]}")
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-pmtr"},
$(joined "${relations[@]}")
  ]
}
END
