package dumps_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
)

// repeat is a reader of a text, so many times.
type repeat struct {
	text string
	n    int
	rest string
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// limited wants an error that names a limit.
func limited(t *testing.T, err error, limit string) {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindLimit || e.Limit != limit {
		t.Errorf("the error is %v, want the limit %q", err, limit)
	}
}

func TestMillionPasses(t *testing.T) {
	r, _, err := read(t, &repeat{text: "*** IR Dump After A on f ***\ndefine void @f() {\n}\n", n: 1_000_000})
	limited(t, err, "passes")
	if names, _ := effects(r); len(names) != dumps.MaxSteps {
		t.Errorf("%d passes are kept, want %d", len(names), dumps.MaxSteps)
	}
}

func TestEndlessLine(t *testing.T) {
	head := "*** IR Dump After A on f ***\ndefine void @f() {\n  call void @g(i8* c\""
	in := io.MultiReader(strings.NewReader(head), &repeat{text: strings.Repeat("x", 1<<16), n: 1 << 10}, strings.NewReader("\")\n}\n"))
	r, s, err := read(t, in)
	if err != nil {
		t.Fatal(err)
	}
	f := r.FunctionsAfter(nil)
	if len(f) != 1 || len(s.texts[f[0].Text]) > dumps.MaxLine+1000 || !strings.Contains(s.texts[f[0].Text], "bytes of this line are left out") {
		t.Errorf("the functions are %+v", f)
	}
	if !strings.Contains(outline(r), "1 lines have more than 1024 KiB and are cut") {
		t.Errorf("nothing says that a line is cut:\n%s", outline(r))
	}
}

func TestEndlessDump(t *testing.T) {
	_, _, err := read(t, io.MultiReader(strings.NewReader("*** IR Dump After A on f ***\n"), &repeat{text: "  ret void\n", n: 1 << 24}))
	limited(t, err, "dump")
}

func TestLargeModule(t *testing.T) {
	body := strings.Repeat("  call void @a_function_with_a_long_name(i32 1, i32 2, i32 3)\n", 500_000)
	var in []io.Reader
	for i := range 6 {
		in = append(in, strings.NewReader(fmt.Sprintf("*** IR Dump After A on f%d ***\ndefine void @f%d() {\n", i, i)), strings.NewReader(body), strings.NewReader("}\n"))
	}
	_, _, err := read(t, io.MultiReader(in...))
	limited(t, err, "module")
}

// TestBrokenInput reads a dump whose connection breaks: what came before is there, and the error says where it ended.
func TestBrokenInput(t *testing.T) {
	head := "*** IR Dump After A on f ***\ndefine void @f() {\n}\n*** IR Dump After B on f ***\ndefine void @f() {\n  ret void\n}\n"
	r, _, err := read(t, io.MultiReader(strings.NewReader(head), iotest.ErrReader(errors.New("reset"))))
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.Contains(e.Message, "ended at line 7: reset") {
		t.Errorf("the error is %v", err)
	}
	if names, _ := effects(r); len(names) != 2 || r.Changed != 2 {
		t.Errorf("read as\n%s", outline(r))
	}
}

// TestNoDump gives what has no pass in it.
func TestNoDump(t *testing.T) {
	for _, in := range []string{"", "hello", "*** IR \n*** IR ***\n***", "define void @f() {\n}\n", "\x00\xff", strings.Repeat("\n", 100)} {
		if dumps.Knows([]byte(in)) {
			t.Errorf("%q is taken for a dump", in)
		}
		_, _, err := read(t, strings.NewReader(in))
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput {
			t.Errorf("%q gives %v", in, err)
		}
	}
}

// TestPictures gives what LLVM writes with -print-changed=dot-cfg: a page that names a picture for each pass. The error says what to use.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	module, err := filepath.Abs("testdata/sum.ll")
	if err != nil {
		t.Fatal(err)
	}
	tool(t, dir, "opt", "-O1", "-S", module, "-o", os.DevNull, "-print-changed=dot-cfg", "-dot-cfg-dir="+dir)
	page, err := os.ReadFile(filepath.Join(dir, "passes.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]byte{page, tarOf(t, []txtar.File{{Name: "d/passes.html", Data: page}, {Name: "d/diff_0.pdf", Data: []byte("%PDF-1.5\n\x00")}})} {
		if _, _, err := read(t, bytes.NewReader(in)); err == nil || !strings.Contains(err.Error(), "-print-changed=diff instead") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestTextsCanBeShown gives bytes that no page can show as they are, in texts and in names, in each format of a stream.
func TestTextsCanBeShown(t *testing.T) {
	const body = "%s \x00 \xff\xfe \u202e \x1b[1mbold\x1b]0;title\x07 \x9b31m\r\n"
	const name = "\x00A\u202e<script>\xff"
	for format, in := range map[string]string{
		"MLIR": "// -----// IR Dump After " + name + " //----- //\nfunc.func @\"f\x01\u2066\"() {\n" + body + "}\n",
		"TVM":  "After Running Pass: pass name: " + name + ", opt_level: 0\n@R.function\ndef f(x):\n    " + body,
		"XLA":  "*** Begin module_0001.f.0001.p.after_" + name + ".before_b.txt ***\nHloModule f\n\nf {\n  " + body + "}\n*** End module_0001.f.0001.p.after_" + name + ".before_b.txt ***\n",
	} {
		r, s, err := read(t, strings.NewReader(in))
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		shown(t, format, r, s)
	}
	in := "*** IR Dump After \x00A\u202e<script>\xff on f\x1b[31m\x07 ***\ndefine void @\"f\x01\u2066\"() {\n  ; \x00 \xff\xfe \u202e \x1b[1mbold\x1b]0;title\x07 \x9b31m\r\n}\n"
	r, s, err := read(t, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	shown(t, "LLVM", r, s)
}

// shown checks that what was read can be put on a page, and that nothing of it is left out.
func shown(t *testing.T, format string, r *event.Run, s *sink) {
	t.Helper()
	text := outline(r)
	for _, x := range s.texts {
		text += x
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: %q is not valid UTF-8", format, text)
	}
	for _, c := range text {
		if c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0 || c == 0x202e || c == 0x2066 {
			t.Errorf("%s: %U is left in %q", format, c, text)
		}
	}
	for _, want := range []string{"<U+0000>", "<0xff>", "<U+202E>", "bold", "<script>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s is missing in %q", format, want, text)
		}
	}
}

// FuzzRead reads anything: it ends, and what it tells is a log that folds.
func FuzzRead(f *testing.F) {
	f.Add("*** IR Dump After A on f ***\ndefine void @f() {\n}\n")
	f.Add("; *** IR Dump Before A on loop %x in function f ***\n; Preheader:\n; Loop:\nx:\n*** IR Dump After B (b) *** (loop: %x)\n+a\n-b\n")
	f.Add("*** IR Dump At Start ***\n*** IR for function f ***\nBISECT: NOT running pass (1) A on (f)\n# Machine code for function f\n")
	f.Fuzz(func(t *testing.T, in string) {
		r, _, err := read(t, strings.NewReader(in))
		if err == nil && r.Started == nil {
			t.Errorf("%q is read as nothing", in)
		}
		if knows := dumps.Knows([]byte(in)); knows != (r.Started != nil) && err == nil {
			t.Errorf("%q: Knows says %t", in, knows)
		}
	})
}
