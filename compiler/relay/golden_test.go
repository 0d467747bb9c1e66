package relay_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
)

var update = flag.Bool("update", false, "write the goldens")

// TestGoldens reads the section NAME.relay of each archive and compares the module, as TVMScript, and what is printed of it; errors
// stand where the module would.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := &txtar.Archive{Comment: ar.Comment}
		for _, f := range ar.Files {
			name, isInput := strings.CutSuffix(f.Name, ".relay")
			if !isInput || strings.HasSuffix(name, ".printed") {
				continue
			}
			out.Files = append(out.Files, f)
			text := string(f.Data)
			m, found := relay.Read(f.Name, text)
			if m == nil {
				out.Files = append(out.Files, txtar.File{Name: name + ".error", Data: []byte(found[0].String() + "\n")})
				continue
			}
			printed := reads(t, path+" "+name, m)
			out.Files = append(out.Files, txtar.File{Name: name + ".py", Data: []byte(script.Module(m, script.Options{}).Source)})
			if printed != text {
				out.Files = append(out.Files, txtar.File{Name: name + ".printed.relay", Data: []byte(printed)})
			}
		}
		got := txtar.Format(out)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := txtar.Format(ar); string(got) != string(want) {
			t.Errorf("%s differs; run go test ./compiler/relay -update and read the diff:\n%s", path, got)
		}
	}
}

// reads checks that a module that was read is well formed, that it prints, that the text reads back as an equal module and prints the
// same again, and that TVMScript says it too. It returns the text.
func reads(t *testing.T, name string, m *ir.Module) string {
	t.Helper()
	for _, d := range relax.WellFormed(m, op.VerifyOpts()) {
		t.Errorf("%s: %s", name, d)
	}
	text, err := relay.Text(m)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	again, found := relay.Read("printed.relay", text)
	if again == nil {
		t.Fatalf("%s: what was printed does not read back: %s\n%s", name, found[0], text)
	}
	if d := ir.FirstModuleMismatch(m, again, ir.EqualOpts{}); d != nil {
		t.Errorf("%s: what was printed reads back as another module: %s\n%s", name, d, text)
	}
	if twice, err := relay.Text(again); twice != text {
		t.Errorf("%s: what was printed prints otherwise the second time (%v):\n%s\n%s", name, err, text, twice)
	}
	if err := roundtrip.Check(m); err != nil {
		t.Errorf("%s: as TVMScript: %v", name, err)
	}
	return text
}
