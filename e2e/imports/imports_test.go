// Package imports checks which package may import which: the layers that ARCHITECTURE.md
// draws. It holds tests only.
package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/irscope/irscope/"

// pkg is what the tests read of `go list -json`.
type pkg struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
	Standard   bool
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 20 {
		t.Fatalf("go list found %d packages, expected the whole module", len(list))
	}
	return list
}

func under(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// codeGenerators are the packages below target/ that generate code.
var codeGenerators = []string{"target/interp", "target/wasm", "target/x86"}

func isCodeGenerator(path string) bool {
	for _, g := range codeGenerators {
		if under(path, g) {
			return true
		}
	}
	return false
}

// events are the packages of instruments that hold what a run says, as plain data: all that the web reads of them.
var events = []string{"instruments/check", "instruments/compact", "instruments/compare", "instruments/dumps", "instruments/event", "instruments/fault", "instruments/flow", "instruments/history", "instruments/linediff", "instruments/looptree", "instruments/request", "instruments/whatif"}

// rule says what a package must not import, and why.
type rule struct {
	name   string
	from   func(path string) bool
	forbid func(imp string, ours bool) bool
}

var rules = []rule{
	{
		"runtime imports only runtime and libraries",
		func(p string) bool { return under(p, "runtime") },
		func(imp string, ours bool) bool { return ours && !under(imp, "runtime") },
	},
	{
		"package runtime and what is below it know no WebAssembly engine, except its loader",
		func(p string) bool { return under(p, "runtime") && !under(p, "runtime/wasm") },
		func(imp string, ours bool) bool {
			return strings.Contains(imp, "wazero") || ours && under(imp, "runtime/wasm")
		},
	},
	{
		"loaders import package runtime, its abi, and no compiler",
		func(p string) bool { return under(p, "runtime/wasm") || under(p, "runtime/native") },
		func(imp string, ours bool) bool {
			return ours && imp != "runtime" && imp != "runtime/abi" && imp != "runtime/hostmath" && imp != "runtime/native/asm"
		},
	},
	{
		"wazero is imported by the loader of WebAssembly alone",
		func(p string) bool { return !under(p, "runtime") },
		func(imp string, _ bool) bool { return strings.Contains(imp, "wazero") },
	},
	{
		"what code generators share knows none of them, and no pass",
		func(p string) bool { return p == "target/codegen" },
		func(imp string, ours bool) bool {
			return ours && imp != "target" && imp != "compiler/ir" && imp != "compiler/tir"
		},
	},
	{
		"nothing under compiler imports web or instruments, nor a code generator, except the facade",
		func(p string) bool { return under(p, "compiler") },
		func(imp string, ours bool) bool { return ours && (under(imp, "web") || under(imp, "instruments")) },
	},
	{
		"only the facade of the compiler imports code generators",
		func(p string) bool { return strings.HasPrefix(p, "compiler/") },
		func(imp string, ours bool) bool { return ours && isCodeGenerator(imp) },
	},
	{
		"the loop level lies below arith and all that is built on that: what needs arith is in a folder of its own",
		func(p string) bool { return under(p, "compiler/tir") },
		func(imp string, ours bool) bool {
			return ours && imp != "compiler/ir" && !under(imp, "compiler/tir") && !under(imp, "runtime")
		},
	},
	{
		"the middle end of code generators knows no target and no runtime",
		func(p string) bool { return under(p, "compiler/lower") },
		func(imp string, ours bool) bool {
			return ours && imp != "compiler/arith" && imp != "compiler/ir" && imp != "compiler/tir" && imp != "runtime/dtype"
		},
	},
	{
		"target itself knows no code generator and no compiler",
		func(p string) bool { return p == "target" },
		func(imp string, ours bool) bool { return ours && !under(imp, "runtime") },
	},
	{
		"instruments/compact, event, flow, history and request, and compiler/script/syntax import only the standard library",
		func(p string) bool {
			return slices.Contains([]string{"instruments/compact", "instruments/event", "instruments/flow", "instruments/history", "instruments/looptree", "instruments/request", "compiler/script/syntax"}, p)
		},
		func(imp string, ours bool) bool { return ours || strings.Contains(strings.Split(imp, "/")[0], ".") },
	},
	{
		"ui/templates and static import nothing of ours",
		func(p string) bool { return under(p, "ui") || under(p, "static") },
		func(_ string, ours bool) bool { return ours },
	},
	{
		"the web knows no compiler, except the runner in this process",
		func(p string) bool { return under(p, "web") && !under(p, "web/run/inproc") },
		func(imp string, ours bool) bool {
			return ours && (under(imp, "compiler") || under(imp, "runtime") || under(imp, "target") ||
				under(imp, "instruments") && !slices.Contains(events, imp))
		},
	},
	{
		"nothing below the web imports it: the program and tests of it do",
		func(p string) bool { return p != "cmd/explorer" && !under(p, "e2e") },
		func(imp string, ours bool) bool { return ours && imp == "web" },
	},
	{
		"the runner in this process is chosen by the program",
		func(p string) bool { return p != "cmd/explorer" && !under(p, "e2e") },
		func(imp string, ours bool) bool { return ours && imp == "web/run/inproc" },
	},
	{
		"instruments know neither the web nor what is above it",
		func(p string) bool { return under(p, "instruments") },
		func(imp string, ours bool) bool {
			return ours && (under(imp, "web") || under(imp, "ui") || under(imp, "static"))
		},
	},
	{
		"instruments know no driver",
		func(p string) bool { return under(p, "instruments") && p != "instruments/driver" },
		func(imp string, ours bool) bool { return ours && imp == "instruments/driver" },
	},
	{
		"what the web is made of knows no runs: stores, shares, streams, graphs, colours",
		func(p string) bool {
			return under(p, "web/store") || under(p, "web/share") || under(p, "web/stream") || under(p, "web/live") || under(p, "web/present") || under(p, "web/class") || under(p, "web/graph") || under(p, "web/highlight") || under(p, "web/lru")
		},
		func(imp string, ours bool) bool {
			return ours && (under(imp, "web/run") || imp == "web/session" || imp == "web/export")
		},
	},
	{
		"only cmd/explorer, generators, the mutation tester and a fixture of tests know flags",
		func(p string) bool {
			return !under(p, "cmd") && !under(p, "compiler/ir/nodegen") && !strings.HasSuffix(p, "/gen") && p != "e2e/mutants" && p != "e2e/fixture/seed"
		},
		func(imp string, _ bool) bool { return imp == "flag" || strings.HasPrefix(imp, "github.com/spf13/") },
	},
}

func TestImportRules(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for _, r := range rules {
			if !r.from(path) {
				continue
			}
			for _, imp := range p.Imports {
				rel, ours := strings.CutPrefix(imp, module)
				if r.forbid(rel, ours) {
					t.Errorf("%s imports %s: %s", path, imp, r.name)
				}
			}
		}
	}
}
