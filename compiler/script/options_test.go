package script_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
)

// forEyes are the options whose text is no TVMScript any more.
var forEyes = []string{"underline", "num_context_lines", "print_line_numbers"}

// setOptions reads "key=value | key=value": options by TVM's names, "underline=PATH" and
// "annotate=PATH: TEXT". It reports whether the text reads back.
func setOptions(t *testing.T, list string) (o script.Options, reads bool) {
	t.Helper()
	path := func(s string) ir.Path {
		p, err := ir.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	reads = true
	for _, kv := range strings.Split(list, " | ") {
		key, value, _ := strings.Cut(kv, "=")
		switch key {
		case "underline":
			o.UnderlinePaths = append(o.UnderlinePaths, path(value))
		case "annotate":
			at, note, _ := strings.Cut(value, ": ")
			o.AnnotatePaths = append(o.AnnotatePaths, script.PathNote{Path: path(at), Text: strings.ReplaceAll(note, `\n`, "\n")})
		default:
			if err := o.Set(key, value); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range forEyes {
			reads = reads && k != key
		}
	}
	return o, reads
}

// knownOptions returns the names of the options that Set takes.
func knownOptions(t *testing.T) map[string]bool {
	err := (&script.Options{}).Set("?", true)
	_, list, ok := strings.Cut(err.Error(), "known are ")
	if !ok {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for name := range strings.SplitSeq(list, ", ") {
		out[name] = true
	}
	return out
}

// TestOptions prints the modules of testdata/options.txtar. A section "NAME | OPTIONS" holds
// how the module of section NAME prints with the options, and reads back where it can.
func TestOptions(t *testing.T) {
	const file = "testdata/options.txtar"
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mods, plain, missing := map[string]*ir.Module{}, map[string]string{}, knownOptions(t)
	delete(missing, "verbose_expr") // of expressions: TestVerboseExpr
	for i, f := range ar.Files {
		name, options, printed := strings.Cut(f.Name, " | ")
		if !printed {
			m, diags := parse.Module(name, string(f.Data), parse.Options{})
			if len(diags) > 0 {
				t.Fatal(diags[0].Format())
			}
			mods[name] = m
			continue
		}
		m := mods[name]
		if m == nil {
			t.Fatalf("section %q comes before its module", f.Name)
		}
		o, reads := setOptions(t, options)
		text := script.Module(m, o)
		if plain[name] == "" {
			plain[name] = script.Module(m, script.Options{}).Source
		}
		if text.Source == plain[name] {
			t.Errorf("%s prints as without options", f.Name)
		}
		for _, kv := range strings.Split(options, " | ") {
			key, _, _ := strings.Cut(kv, "=")
			delete(missing, key)
		}
		if n := strings.Count(text.Source, "\n"); n != len(text.Lines) {
			t.Errorf("%s: %d lines, %d entries", f.Name, n, len(text.Lines))
		}
		if reads {
			if err := roundtrip.CheckWith(m, o); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		switch {
		case *update:
			ar.Files[i].Data = []byte(text.Source)
		case text.Source != string(f.Data):
			t.Errorf("%s prints as\n%swant\n%s", f.Name, text.Source, f.Data)
		}
	}
	for key := range missing {
		t.Errorf("no section shows the option %s", key)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
