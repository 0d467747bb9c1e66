package dumps_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
)

// tarOf packs files in any order, as browsers and archives have them.
func tarOf(t testing.TB, files []txtar.File) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(files)) {
		f := files[i]
		if err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipOf(t testing.TB, files []txtar.File) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		part, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestFolders reads each folder of testdata/folders as a tar, a compressed tar, and a zip archive, and compares it with its section
// "want".
func TestFolders(t *testing.T) {
	names, err := filepath.Glob("testdata/folders/*.txtar")
	if err != nil || len(names) < 6 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, want := a.Files[:len(a.Files)-1], &a.Files[len(a.Files)-1]
		if want.Name != "want" {
			t.Fatalf("%s does not end with what it is read as", name)
		}
		packed := tarOf(t, files)
		var small bytes.Buffer
		z := gzip.NewWriter(&small)
		if _, err := z.Write(packed); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for form, data := range map[string][]byte{"tar": packed, "tar.gz": small.Bytes(), "zip": zipOf(t, files)} {
			r, _, err := read(t, bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%s as %s: %v", name, form, err)
			}
			if got := outline(r); got != string(want.Data) && !*update {
				t.Errorf("%s as %s is read as\n%s\nwant\n%s", name, form, got, want.Data)
			} else if *update {
				want.Data = []byte(got)
			}
		}
		if *update {
			if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestGCC reads what the GCC of the machine writes.
func TestGCC(t *testing.T) {
	dir := t.TempDir()
	source, err := filepath.Abs("testdata/sum.c")
	if err != nil {
		t.Fatal(err)
	}
	tool(t, dir, "gcc", "-O2", "-c", source, "-fdump-tree-all", "-fdump-rtl-all", "-o", "sum.o")
	r, s, err := read(t, bytes.NewReader(tarOf(t, filesOf(t, dir))))
	if err != nil {
		t.Fatal(err)
	}
	if r.Ran < 150 || r.Changed < 40 || r.Same < 100 || r.Unknown > 20 {
		t.Errorf("%d passes, %+v\n%s", r.Ran, r.Counts, outline(r))
	}
	for _, f := range r.FunctionsAfter(nil) {
		t.Log(f.Name)
	}
	for _, hash := range r.Changes {
		for line := range strings.Lines(s.texts[hash.Text]) {
			if strings.HasPrefix(line, ";;") || strings.HasPrefix(line, "try_optimize") {
				t.Fatalf("%s after %s has what a pass said: %s", hash.Name, hash.Step.Name, line)
			}
		}
	}
}

// TestGoSSA reads the files that the Go compiler writes for each phase, and ssa.html: the two agree on which phases changed something
// of the SSA form.
func TestGoSSA(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package p\n\nfunc Sum(xs []int) int {\n\ts := 0\n\tfor _, x := range xs {\n\t\ts += x * 2\n\t}\n\treturn s\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tool(t, dir, "go", "tool", "compile", "-p", "p", "-d=ssa/all/dump=Sum", "f.go")
	files := filesOf(t, dir)
	t.Setenv("GOSSAFUNC", "Sum")
	t.Setenv("GOSSADIR", dir)
	tool(t, dir, "go", "tool", "compile", "-p", "p", "f.go")
	page, err := filepath.Glob(filepath.Join(dir, "**", "*.html"))
	if more, _ := filepath.Glob(filepath.Join(dir, "*.html")); len(page) == 0 {
		page = more
	}
	if err != nil || len(page) == 0 {
		t.Fatal(page, err)
	}
	data, err := os.ReadFile(page[0])
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := read(t, bytes.NewReader(tarOf(t, files)))
	if err != nil {
		t.Fatal(err)
	}
	b, s, err := read(t, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if a.Ran < 40 || a.Changed < 10 || b.Ran < 40 || b.Changed < 10 {
		t.Errorf("the files give %d phases, of which %d changed something, the page %d and %d", a.Ran, a.Changed, b.Ran, b.Changed)
	}
	status := map[string]string{}
	for _, x := range a.All() {
		status[x.Name] = string(x.Status)
	}
	timed := 0
	for _, x := range b.All() {
		if x.Measured.Total > 0 {
			timed++
		}
		// Dead values are on the page and not in the files.
		if want := status[x.Name]; want == "changed" && x.Status != "changed" {
			t.Errorf("%s is %s on the page, and %s in the files", x.Name, x.Status, want)
		}
	}
	if timed < 40 {
		t.Errorf("%d phases have the time that the page tells", timed)
	}
	for _, c := range b.Changes {
		if strings.Contains(s.texts[c.Text], "<span") || !strings.Contains(s.texts[c.Text], "b1:") && c.Step.Name != "genssa" {
			t.Fatalf("the text after %s is\n%s", c.Step.Name, s.texts[c.Text])
		}
	}
}

// mlirOpt returns what mlir-opt prints of a module in testdata, or of a file with its path.
func mlirOpt(t testing.TB, file, pipeline string, flags ...string) []byte {
	t.Helper()
	return tool(t, "testdata", "mlir-opt-14", append([]string{file, "--pass-pipeline=" + pipeline, "-o", os.DevNull}, flags...)...)
}

// TestMLIR reads what mlir-opt prints, nested passes among it.
func TestMLIR(t *testing.T) {
	for _, c := range []struct {
		flags           []string
		passes, changed int
	}{
		{[]string{"--print-ir-after-all"}, 11, 2},
		{[]string{"--print-ir-before-all", "--print-ir-after-all"}, 11, 4},
		{[]string{"--print-ir-before-all", "--print-ir-after-all", "--print-ir-module-scope"}, 11, 4},
		{[]string{"--print-ir-after-all", "--print-ir-after-change"}, 3, 1},
	} {
		r, _, err := read(t, bytes.NewReader(mlirOpt(t, "sum.mlir", "builtin.func(cse,canonicalize),inline,symbol-dce", append(c.flags, "--mlir-disable-threading")...)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Ran < c.passes || r.Changed < c.changed {
			t.Errorf("%v: %d passes, of which %d changed something, want %d and %d:\n%s", c.flags, r.Ran, r.Changed, c.passes, c.changed, outline(r))
		}
		for _, d := range r.Diagnostics {
			t.Errorf("%v: %s", c.flags, d.Message)
		}
	}
}

// TestMLIRThreads reads what mlir-opt prints while it works on functions in several threads: the dumps of the functions come in any
// order, and what is told of each function is what it is without threads.
func TestMLIRThreads(t *testing.T) {
	const functions, instructions = 60, 60
	var module strings.Builder
	for f := range functions {
		fmt.Fprintf(&module, "func @f%d(%%x: i32) -> i32 {\n", f)
		for i := range instructions {
			fmt.Fprintf(&module, "  %%a%d = arith.constant %d : i32\n  %%b%[1]d = arith.constant %[2]d : i32\n  %%s%[1]d = arith.addi %%a%[1]d, %%b%[1]d : i32\n", i, i%7)
		}
		fmt.Fprintf(&module, "  %%r = arith.addi %%x, %%s%d : i32\n  return %%r : i32\n}\n", f%instructions)
	}
	file := filepath.Join(t.TempDir(), "many.mlir")
	if err := os.WriteFile(file, []byte(module.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, form := range [][]string{{"--print-ir-before-all", "--print-ir-after-all"}, {"--print-ir-after-all"}, {"--print-ir-after-all", "--print-ir-after-change"}} {
		var want map[string][]string
		for _, flags := range [][]string{{"--mlir-disable-threading"}, {}, {}, {}} {
			out := mlirOpt(t, file, "builtin.func(cse,canonicalize,cse)", append(form, flags...)...)
			r, _, err := read(t, bytes.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][]string{}
			for _, s := range r.All() {
				if s.Kind != event.PassSequential {
					on := r.Step(s.Parent).Name
					got[on] = append(got[on], fmt.Sprintf("%s %s%s", s.Name, s.Status, differences(s)))
				}
			}
			if want == nil {
				want = got
			}
			if len(got) != functions || len(r.Diagnostics) > 0 || !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%v %v: %d functions, %d messages; read as\n%v\nwant\n%v", form, flags, len(got), len(r.Diagnostics), got, want)
			}
			t.Logf("%v %v: %d sequences for %d functions", form, flags, len(r.All())-r.Ran, len(got))
		}
	}
}

// filesOf reads a folder.
func filesOf(t testing.TB, dir string) []txtar.File {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []txtar.File
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, txtar.File{Name: e.Name(), Data: data})
	}
	return out
}

// TestBombs gives archives that unpack to more than the limits.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("large archives, one after the other")
	}
	big := bytes.Repeat([]byte("x"), 8<<20)
	_, _, err := read(t, bytes.NewReader(zipOf(t, []txtar.File{{Name: "1_a.s", Data: big}, {Name: "2_b.s", Data: big}})))
	limited(t, err, "archive")

	many := make([]txtar.File, dumps.MaxFiles+1)
	for i := range many {
		many[i] = txtar.File{Name: "f"}
	}
	_, _, err = read(t, bytes.NewReader(tarOf(t, many)))
	limited(t, err, "files")

	// Zeros in a compressed tar: 1 GiB in a megabyte.
	out, in := io.Pipe()
	go func() {
		z := gzip.NewWriter(in)
		w := tar.NewWriter(z)
		err := w.WriteHeader(&tar.Header{Name: "1_a.s", Mode: 0o644, Size: 1 << 30})
		for n := 0; n < 1<<30 && err == nil; n += len(big) {
			_, err = w.Write(big)
		}
		in.CloseWithError(err)
	}()
	_, _, err = read(t, out)
	limited(t, err, "archive")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}

	// A compressed text of 100 MB in 100 kB: what came before its end counts.
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	_, err = io.Copy(z, io.MultiReader(strings.NewReader("*** IR Dump After A on f ***\ndefine void @f() {\n}\n"), &repeat{text: "*** IR Dump After A on f ***\n" + strings.Repeat("\n", 1<<16), n: 1600}))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, err = read(t, &text)
	limited(t, err, "archive")

	for name, data := range map[string][]byte{"gzip": []byte("\x1f\x8bxxxx"), "zip": []byte("PK\x03\x04xxxx")} {
		if _, _, err := read(t, bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("a %s file that is none gives %v", name, err)
		}
	}
}
