#!/bin/sh
# Makes the fonts of the page: subsets of Inter and JetBrains Mono. Needs Node.js, npm and the network, and is run by hand (make fonts);
# what it makes is committed, so that builds need Go alone.
#
# package.json names the versions, package-lock.json the hash of every package, and SHA256SUMS the hashes of what is committed. The
# script fails, and changes nothing, if what it makes has other hashes. After a change of versions or of the subset,
# `make.sh --update` writes the files and their hashes.
set -eu
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp package.json subset.mjs "$work"
cd "$work"
if [ "${1:-}" = --update ]; then
  npm install --omit-lockfile-registry-resolved --package-lock-only --ignore-scripts --no-audit --no-fund
  cp package-lock.json "$here"
else
  cp "$here/package-lock.json" .
fi
npm ci --ignore-scripts --no-audit --no-fund

mkdir made
node subset.mjs made
cp node_modules/inter-ui/LICENSE.txt made/inter.LICENSE
cp node_modules/@fontsource-variable/jetbrains-mono/LICENSE made/jetbrains-mono.LICENSE

cd made
if [ "${1:-}" = --update ]; then
  sha256sum * >"$here/SHA256SUMS"
elif ! sha256sum -c "$here/SHA256SUMS"; then
  echo "make.sh: what was made is not what is committed; if that is wanted, run make.sh --update and look at the change" >&2
  exit 1
fi
cp -- * "$here"
