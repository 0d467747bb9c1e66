package relay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/script/parse"
)

// chain is a program of n nodes, each of which uses the one before it.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(4), float32]) {\n  %0 = nn.relu(%x);\n")
	for i := 1; i < n; i++ {
		if i%10 == 0 {
			fmt.Fprintf(&b, "  let %%v%d = exp(%%%d);\n  %%%d = add(%%v%d, 1f);\n", i, i-1, i, i)
			continue
		}
		fmt.Fprintf(&b, "  %%%d = add(%%%d, 1f);\n", i, i-1)
	}
	fmt.Fprintf(&b, "  %%%d\n}\n", n-1)
	return b.String()
}

// TestLongChains: reading takes time in proportion to the text, and no stack of its length.
func TestLongChains(t *testing.T) {
	start := time.Now()
	m, found := relay.Read("chain.relay", chain(100_000))
	if m == nil {
		t.Fatal(found[0])
	}
	text, err := relay.Text(m)
	if err != nil || strings.Count(text, "\n") != 110_002 {
		t.Fatalf("%d lines, %v", strings.Count(text, "\n"), err)
	}
	t.Logf("read and printed in %v", time.Since(start))
}

func TestDeepNesting(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 1<<20), strings.Repeat("nn.relu(", 1<<20), "let %x = " + strings.Repeat("-", 1<<20), strings.Repeat("if (True) {", 1<<20),
		"fn (%x: " + strings.Repeat("(", 1<<20), "add(1, 2, a=" + strings.Repeat("[", 1<<20), strings.Repeat("1 + ", 1<<16) + "1",
	} {
		if m, found := relay.Read("deep.relay", text); m == nil && (len(found) != 1 || found[0].Span == nil) {
			t.Errorf("%.20s: %v", text, found)
		}
	}
}

// TestPrintErrors: what Relay has no words for is named.
func TestPrintErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`R.nn.attention(x, x, x, causal_mask="TopLeft")`, "in main: relax.nn.attention has no counterpart in Relay"},
		{`R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((1, 2, 3, 4), "float32"))`, "in main: relax.call_dps_packed has no counterpart in Relay"},
		{`R.expand_dims(x, axis=[0, 2])`, "in main: an expand_dims of axes that are not one behind the other has no counterpart in Relay"},
	} {
		text := "@R.function\ndef main(x: R.Tensor((1, 2, 3, 4), \"float32\")):\n    return " + c.body + "\n"
		mods, found := parse.File("m.py", text, parse.Options{})
		if len(mods) == 0 {
			t.Fatal(found)
		}
		if _, err := relay.Text(mods[0].Module); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.body, err, c.want)
		}
	}
}

func TestFrontendReadsRelay(t *testing.T) {
	text := []byte("\n  #[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")
	for name, data := range map[string][]byte{"model.bin": text, "m.relay": text[strings.Index(string(text), "def"):]} {
		if f := frontend.Detect(name, data); f != frontend.Relay {
			t.Errorf("%s is taken for %s", name, f)
		}
		src, _, err := frontend.One(t.Context(), name, data, frontend.Options{})
		if err != nil || src.Form != frontend.Relay || src.Module.Lookup("main") == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, found, err := frontend.Load(t.Context(), "m.relay", []byte("#[version = \"0.0.5\"]\ndef @main() {\n  match (1) {}\n}"), frontend.Options{})
	if err == nil || len(found) != 1 || found[0].Span.String() != "m.relay:3:3" {
		t.Errorf("got %v, %v", found, err)
	}
}

// FuzzRead reads any text: it does not panic, an error has a place, and what is read prints and comes back.
func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no goldens: %v", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if strings.HasSuffix(file.Name, ".relay") {
				f.Add(string(file.Data))
				f.Add(string(file.Data[:len(file.Data)/2]))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, found := relay.Read("fuzz.relay", text)
		if m == nil {
			if len(found) != 1 || found[0].Span == nil || found[0].Message == "" {
				t.Fatalf("no diagnostic with a place: %v", found)
			}
			return
		}
		for _, fn := range m.Funcs() {
			if _, ok := fn.(*relax.Function); !ok {
				t.Fatalf("it made a %T", fn)
			}
		}
		out, err := relay.Text(m)
		if err != nil {
			return
		}
		if again, found := relay.Read("printed.relay", out); again == nil {
			t.Fatalf("what was printed does not read: %s\n%s", found[0], out)
		}
	})
}

// TestTypesOfWeights: a parameter without a type has the one that an operator asks for, as in TVM.
func TestTypesOfWeights(t *testing.T) {
	for _, c := range []struct{ params, body, want string }{
		{"%x: Tensor[(1, 4, 8, 8), float32], %w", "nn.conv2d(%x, %w, groups=2, channels=6, kernel_size=[3, 1])", `Tensor((6, 2, 3, 1), "float32")`},
		{"%x: Tensor[(1, 8, 8, 4), float16], %w", "nn.conv2d(%x, %w, channels=6, kernel_size=[3, 1], data_layout=\"NHWC\", kernel_layout=\"HWIO\")", `Tensor((3, 1, 4, 6), "float16")`},
		{"%x: Tensor[(1, 2, 8, 8, 4), float32], %w", "nn.conv2d(%x, %w, channels=6, kernel_size=[3, 1], data_layout=\"NCHW4c\", kernel_layout=\"OIHW4i2o\")", `Tensor((3, 2, 3, 1, 4, 2), "float32")`},
		{"%x: Tensor[(1, 4, 8, 8), float32], %w", "nn.conv2d_transpose(%x, %w, channels=6, kernel_size=[3, 1])", `Tensor((4, 6, 3, 1), "float32")`},
		{"%x: Tensor[(1, 4, 8), float32], %w", "nn.conv1d(%x, %w, channels=6, kernel_size=[3])", `Tensor((6, 4, 3), "float32")`},
		{"%x: Tensor[(5, 4), float32], %w", "nn.dense(%x, %w, units=3)", `Tensor((3, 4), "float32")`},
		{"%x: Tensor[(5, 4), float32], %w", "nn.bias_add(%x, %w)", `Tensor((4,), "float32")`},
		{"%x: Tensor[(5, 4), float32], %w", "nn.layer_norm(%x, %w, %w)", `Tensor((4,), "float32")`},
		{"%x: Tensor[(1, 4, 8, 8), float32], %w, %k: Tensor[(6, 4, 3, 3), float32]", "nn.deformable_conv2d(%x, %w, %k, kernel_size=[3, 3], channels=6)", `Tensor((1, 18, 6, 6), "float32")`},
		{"%x: Tensor[(1, 4, 8, 8), float32], %w", "nn.conv2d(%x, %w)", "Tensor(ndim=?)"},
		{"%x: Tensor[(1, ?, 8, 8), float32], %w", "nn.conv2d(%x, %w, channels=6, kernel_size=[3, 1])", "Tensor(ndim=?)"},
		{"%x: Tensor[(5, 4), float32], %w", "nn.bias_add(%x, %w, axis=7)", "Tensor(ndim=?)"},
	} {
		m, found := relay.Read("w.relay", "def @main("+c.params+") { "+c.body+" }")
		if m == nil {
			t.Errorf("%s: %v", c.body, found)
			continue
		}
		for _, f := range m.Funcs() {
			if got := relax.FormatSInfo(f.(*relax.Function).Params[1].SInfo); got != c.want {
				t.Errorf("%s: %s, want %s", c.body, got, c.want)
			}
		}
	}
}
