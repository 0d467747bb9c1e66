package roundtrip

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// Check prints m and reads the text. The error says what went wrong first: what the parser
// found, the first line that prints otherwise, or the path of the first node that differs.
func Check(m *ir.Module) error { return CheckWith(m, script.Options{}) }

// CheckWith is Check for a module printed with the options, which must be ones whose text
// reads back.
func CheckWith(m *ir.Module, o script.Options) error {
	text := script.Module(m, o).Source
	got, diags := parse.Module("printed.py", text, parse.Options{Constants: Constants(m)})
	if len(diags) > 0 {
		return fmt.Errorf("the text does not parse: %d errors, first\n%s", len(diags), parse.Format(diags[0]))
	}
	if again := script.Module(got, o).Source; again != text {
		return differs(text, again)
	}
	// A text knows free variables by their names only, so that those of the two correspond.
	if d := ir.FirstModuleMismatch(m, got, ir.EqualOpts{MapFreeVars: true}); d != nil {
		return fmt.Errorf("the text reads back as another module: %s", d)
	}
	return nil
}

// differs describes the first line in which two texts differ.
func differs(text, again string) error {
	for line := 1; ; line++ {
		a, restA, moreA := strings.Cut(text, "\n")
		b, restB, moreB := strings.Cut(again, "\n")
		if a != b || moreA != moreB {
			return fmt.Errorf("line %d\n%s\nprints after reading as\n%s", line, a, b)
		}
		text, again = restA, restB
	}
}

// keyLen is the number of digits of a digest under which constants are printed.
const keyLen = 12

// Constants returns the constants of a module by the keys under which they are printed, as
// parse.Options takes them.
func Constants(m *ir.Module) map[string]*ir.Blob {
	out := map[string]*ir.Blob{}
	add := func(b *ir.Blob) { out[b.Digest()[:keyLen]] = b }
	for _, f := range m.Funcs() {
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.Constant:
				add(n.Data)
			case *tir.AllocateConst:
				add(n.Data)
			}
			return true
		})
	}
	return out
}
