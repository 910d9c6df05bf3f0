#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Man pages from the help texts, so that there is one place where options are explained:
#   packaging/man_pages.sh PROGRAM VERSION FOLDER
set -euo pipefail
program=$1 version=$2 folder=$3
mkdir -p "$folder"
rm -f "$folder"/*.gz

# Help text to roff: headings are bold sections, "  --option   words" are paragraphs with a tag, the rest is text.
to_roff() {
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\\([.']\\)/\\\\\&\\1/" | awk '
    /^[A-Z][A-Za-z ]*:$/ { sub(/:$/, ""); print ".SH " toupper($0); next }
    /^  [^ ]/ {
      line = substr($0, 3)
      at = match(line, /  +/)
      print ".TP"
      if (at == 0) { print ".B " line; next }
      print ".B " substr(line, 1, at - 1)
      print substr(line, at + RLENGTH)
      next
    }
    /^ +/ { sub(/^ +/, ""); print; next }
    /^$/ { next }
    { print }'
}

page() {  # name, help text
  local name=$1 help=$2 summary usage
  summary=$(head -n 1 <<<"$help")
  usage=$(sed -n 's/^Usage: //p' <<<"$help" | head -n 1)
  {
    printf '.TH %s 1 "" "pmtr %s" "User Commands"\n' "${name^^}" "$version"
    printf '.SH NAME\n%s \\- %s\n' "${name//-/\\-}" "$(sed -e 's/\.$//' -e 's/-/\\-/g' <<<"${summary,}")"
    printf '.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n' "${usage//-/\\-}"
    sed -e 1d -e '/^Usage: /d' <<<"$help" | to_roff
    [[ $name == pmtr ]] || printf '.SH SEE ALSO\n.BR pmtr (1)\n'
  } | gzip -9n >"$folder/$name.1.gz"
}

help=$("$program" --help)
page pmtr "$help"
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help"); do
  page "pmtr-$command" "$("$program" "$command" --help)"
done
