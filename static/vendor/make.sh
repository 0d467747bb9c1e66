#!/bin/sh
# Makes codemirror.js: CodeMirror 6 with its Python grammar as one module, and its licences. Needs npm and the network, and is run
# by hand (make vendor-js); what it makes is committed, so that builds need Go alone.
#
# package.json names the versions, package-lock.json the hash of every package, and SHA256SUMS the hashes of what is
# committed. The script fails, and changes nothing, if what it makes has other hashes. After a change of versions,
# `make.sh --update` writes the files and their hashes.
set -eu
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp package.json "$work"
cd "$work"
if [ "${1:-}" = --update ]; then
  npm install --omit-lockfile-registry-resolved --package-lock-only --ignore-scripts --no-audit --no-fund
  cp package-lock.json "$here"
else
  cp "$here/package-lock.json" .
fi
npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# style-mod writes <style> elements, which our Content-Security-Policy forbids, except in shadow roots, where it adopts
# constructed style sheets. Documents can adopt them too.
sed -i 's/if (!root.head && root.adoptedStyleSheets/if (root.adoptedStyleSheets/' node_modules/style-mod/src/style-mod.js
grep -q 'if (root.adoptedStyleSheets' node_modules/style-mod/src/style-mod.js

cp "$here/codemirror.d.ts" entry.ts # what the bundle exports

mkdir made
(cd "$here" && go tool -modfile=../../tools.mod esbuild "$work/entry.ts" --bundle --minify --format=esm --target=es2023 \
  --charset=utf8 --legal-comments=none --log-level=warning --outfile="$work/made/codemirror.js")
for p in @codemirror/view @lezer/common @marijn/find-cluster-break style-mod crelt w3c-keyname; do
  printf '%s (and the other packages of its author)\n\n' "$p"
  cat "node_modules/$p/LICENSE"
  printf '\n'
done >made/codemirror.LICENSE

cd made
if [ "${1:-}" = --update ]; then
  sha256sum codemirror.js codemirror.LICENSE >"$here/SHA256SUMS"
elif ! sha256sum -c "$here/SHA256SUMS"; then
  echo "make.sh: what was made is not what is committed; if that is wanted, run make.sh --update and look at the change" >&2
  exit 1
fi
cp codemirror.js codemirror.LICENSE "$here"
