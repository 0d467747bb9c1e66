package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWireIsFresh makes the types again and compares them with the committed ones.
func TestWireIsFresh(t *testing.T) {
	dir, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, output))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the Go structs make: run go generate ./static/wiregen", output)
	}
}

// requests is the package of the settings that a page sends.
const requests = "instruments/request"

// source lays out a module with a package of events, one of runs and empty ones for the rest of the table.
func source(t *testing.T, event, run string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{events: event, requests: run}
	for _, r := range roots {
		if r.pkg != events && r.pkg != requests {
			files[r.pkg] += "\ntype " + r.name + " struct{}\n"
		}
	}
	for _, r := range roots {
		if (r.pkg == requests || r.pkg == events) && !strings.Contains(files[r.pkg], "type "+r.name+" ") {
			files[r.pkg] += "\ntype " + r.name + " struct{}\n"
		}
	}
	for pkg, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(pkg), "x.go")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text, "package") {
			text = "package x\n" + text
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const eventSource = `package event

type Type string

const (
	TypeB Type = "b_done"
	TypeA Type = "a_done"
)

// Event is an entry.
type Event struct {
	Seq  int  ` + "`json:\"seq\"`" + `
	Type Type ` + "`json:\"type\"`" + `
	Body Body ` + "`json:\"body\"`" + `
}

// A says something; Why may be ReasonGood.
type A struct {
	Inner
	// Why says why; ReasonBad is none.
	Why Reason ` + "`json:\"why,omitempty\"`" + `
	B   *B     ` + "`json:\"b\"`" + `
	Fs  []Float ` + "`json:\"fs\"`" + `
	No  int    ` + "`json:\"-\"`" + `
	Any map[string][]any ` + "`json:\"any\"`" + `
}

type Inner struct {
	X, y int ` + "`json:\"x\"`" + `
}

type B struct{}

type Reason string

const (
	ReasonGood Reason = "good"
	// ReasonBad is the other.
	ReasonBad Reason = "bad"
)

// Float is odd.
//
//wire:type number | "NaN"
type Float float64

func (*A) EventType() Type { return TypeA }
func (*B) EventType() Type { return TypeB }
`

func TestForms(t *testing.T) {
	out, err := generate(source(t, eventSource, "package run\n\ntype Settings struct {\n\tL []string `json:\"l\"`\n\tN int `json:\"n\"`\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    | { type: \"b_done\"; body: B }\n    | { type: \"a_done\"; body: A }\n  );\n",
		"// A says something; Why may be \"good\".\nexport interface A {\n  x: number;\n  // why says why; \"bad\" is none.\n  why?: Reason;\n  b: B | null;\n  fs: Num[];\n  any: Record<string, unknown[]>;\n}\n",
		"export type Reason =\n  | \"good\"\n  // \"bad\" is the other.\n  | \"bad\";\n",
		"// Num is odd.\nexport type Num = number | \"NaN\";\n",
		"export interface Settings {\n  l?: string[] | null;\n  n?: number;\n}\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the types lack\n%s\nthey are\n%s", want, out)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ run, want string }{
		"no name":      {"type Settings struct { A int }", "field A has no name for JSON"},
		"unknown type": {"type Settings struct { A chan int `json:\"a\"` }", "*ast.ChanType is not known"},
		"same name":    {"type Settings struct { A A `json:\"a\"` }\ntype A struct{}", "both A in TypeScript"},
		"no struct":    {"type Settings struct { E }\ntype E int", "embeds E, which is no struct"},
	} {
		if _, err := generate(source(t, eventSource, "package run\n"+c.run+"\n")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", name, err, c.want)
		}
	}
}
