// Package static holds the files that the explorer serves as they are: style sheets, bundled scripts and the icon, embedded in
// the program and named by their content.
//
// The web package mounts Handler under Prefix and asks URL for the address of a file. The package knows no route, no template and
// no compiler, and imports only the standard library. The bundles under dist are made from css/ and src/ by `make generate` and
// committed, so that building the program needs Go alone; a test compares them with their sources. vendor/ holds what others
// wrote, see VENDOR.md there; the pages that need it import it by its address.
package static

//go:generate go tool -modfile=../tools.mod esbuild src/app.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/app.js
//go:generate go tool -modfile=../tools.mod esbuild src/editing/sourcepage.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/editor.js
//go:generate go tool -modfile=../tools.mod esbuild src/editing/userpass.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/userpass.js
//go:generate go tool -modfile=../tools.mod esbuild src/graph/graphview.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/graph.js
//go:generate go tool -modfile=../tools.mod esbuild src/pipeline/pipelineeditor.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/pipeline.js
//go:generate go tool -modfile=../tools.mod esbuild src/history/historyview.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/history.js
//go:generate go tool -modfile=../tools.mod esbuild src/search/searchview.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/search.js
//go:generate go tool -modfile=../tools.mod esbuild src/metrics/metricsview.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/metrics.js
//go:generate go tool -modfile=../tools.mod esbuild src/editing/editir.ts --bundle --minify --format=esm --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/editir.js
//go:generate go tool -modfile=../tools.mod esbuild src/theme.ts --bundle --minify --format=iife --target=es2023 --charset=utf8 --log-level=warning --outfile=dist/theme.js
//go:generate go tool -modfile=../tools.mod esbuild css/history.css --bundle --minify --charset=utf8 --log-level=warning --outfile=dist/history.css
//go:generate go tool -modfile=../tools.mod esbuild css/app.css --bundle --minify --charset=utf8 --log-level=warning --outfile=dist/app.css
