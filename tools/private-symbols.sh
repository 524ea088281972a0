#!/bin/bash
# Gives the internal symbols of the installed archives the prefix libcairn_. A shared library hides them; in an archive a
# function engine_lock of a program's would otherwise be linked in place of ours, or be defined twice.
# usage: tools/private-symbols.sh NM OBJCOPY DIRECTORY ARCHIVE...   (below $MESON_INSTALL_DESTDIR_PREFIX)
set -euo pipefail
nm=$1 objcopy=$2 directory=$MESON_INSTALL_DESTDIR_PREFIX/$3
shift 3

names=$(mktemp)
trap 'rm -f "$names"' EXIT
for archive; do
  "$nm" --defined-only --extern-only "$directory/$archive"
done | awk 'NF == 3 && $3 !~ /^(lib)?cairn_/ { print $3, "libcairn_" $3 }' | sort -u >"$names"

# All archives get all names: an archive calls functions of another one.
for archive; do
  "$objcopy" --redefine-syms="$names" "$directory/$archive"
done
