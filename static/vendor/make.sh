#!/bin/sh
# Makes codemirror.js: CodeMirror 6 with its Python grammar as one module. It needs npm and the network, and is run
# by hand (make vendor-js) when a version below changes; what it makes is committed, so that builds need Go alone.
# All packages are pinned, those that others depend on too.
set -eu
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm init -y >/dev/null
npm install --save-exact --ignore-scripts --no-audit --no-fund \
  @codemirror/state@6.7.6 @codemirror/view@6.43.15 @codemirror/commands@6.11.1 @codemirror/language@6.13.1 \
  @codemirror/lint@6.9.8 @codemirror/lang-python@6.2.1 @codemirror/autocomplete@6.20.4 \
  @lezer/common@1.5.5 @lezer/highlight@1.2.5 @lezer/lr@1.4.12 @lezer/python@1.1.19 \
  @marijn/find-cluster-break@1.0.4 style-mod@4.1.4 crelt@1.0.7 w3c-keyname@2.2.8 @codemirror/streamparser@6.0.0

# style-mod writes <style> elements, which our Content-Security-Policy forbids, except in shadow roots, where it adopts
# constructed style sheets. Documents can adopt them too.
sed -i 's/if (!root.head && root.adoptedStyleSheets/if (root.adoptedStyleSheets/' node_modules/style-mod/src/style-mod.js
grep -q 'if (root.adoptedStyleSheets' node_modules/style-mod/src/style-mod.js

cp "$here/codemirror.d.ts" entry.ts # what the bundle exports

cd "$here"
go tool -modfile=../../tools.mod esbuild "$work/entry.ts" --bundle --minify --format=esm --target=es2023 --charset=utf8 \
  --legal-comments=none --log-level=warning --outfile=codemirror.js
: >codemirror.LICENSE
for p in @codemirror/view @lezer/common @marijn/find-cluster-break style-mod crelt w3c-keyname; do
  printf '%s (and the other packages of its author)\n\n' "$p" >>codemirror.LICENSE
  cat "$work/node_modules/$p/LICENSE" >>codemirror.LICENSE
  printf '\n' >>codemirror.LICENSE
done
sha256sum codemirror.js
