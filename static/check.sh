#!/bin/sh
# Checks the types of the scripts, and that all browsers have what the page uses. `make lint` runs it from any folder. It needs Node.js and npm, and the registry of npm once: the
# compiler and the types of what is vendored are installed as vendor/package-lock.json pins them, each with its hash.
set -eu
cd "$(dirname "$0")"

# skip ends the check where what it needs is missing, as a failure where nothing may be skipped.
skip() {
  if [ -n "${E2E_REQUIRED:-}" ]; then
    echo "types of the scripts: $1 (E2E_REQUIRED is set)" >&2
    exit 1
  fi
  echo "types of the scripts: skipped, $1"
  exit 0
}

for tool in node npm; do
  command -v "$tool" >/dev/null 2>&1 || skip "no $tool found: apt-get install nodejs npm"
done

# npm leaves a copy of the lock file in what it installed.
if ! [ vendor/node_modules/.package-lock.json -nt vendor/package-lock.json ]; then
  (cd vendor && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || skip "npm could not install the compiler: is its registry reachable?"
fi
# The store and its tests are checked by themselves, without the types of a page: it knows no element of it.
vendor/node_modules/.bin/tsc -p src/store/tsconfig.json
vendor/node_modules/.bin/tsc -p src/views/tsconfig.json
vendor/node_modules/.bin/tsc -p src/tsconfig.json
# What the page uses is in all browsers.
node features.mjs
