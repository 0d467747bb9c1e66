package roundtrip

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
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
	got, diags := parse.Module("printed.py", text, parse.Options{Constants: Constants(m), Operators: op.DefinedIn(m)})
	if len(diags) > 0 {
		return fmt.Errorf("the text does not parse: %d errors, first\n%s", len(diags), diags[0].Format())
	}
	if again := script.Module(got, o).Source; again != text {
		return differs(text, again)
	}
	// A text knows free variables by their names only, so that those of the two correspond.
	if d := ir.FirstModuleMismatch(m, got, ir.EqualOpts{MapFreeVars: true}); d != nil {
		return fmt.Errorf("the text reads back as a different module: %s", d)
	}
	if o.IntDType.IsVoid() && o.FloatDType.IsVoid() && o.BufferDType.IsVoid() {
		return withoutComments(m, text)
	}
	return nil
}

// withoutComments checks that a text says the same to a reader that sees no comments, as all
// readers of Python but ours are.
func withoutComments(m *ir.Module, text string) error {
	got, diags := parse.Module("printed.py", StripComments(text), parse.Options{Constants: Constants(m), Operators: op.DefinedIn(m)})
	if len(diags) > 0 {
		return fmt.Errorf("the text without its comments does not parse: %d errors, first\n%s", len(diags), diags[0].Format())
	}
	if d := ir.FirstModuleMismatch(m, got, ir.EqualOpts{MapFreeVars: true}); d != nil {
		return fmt.Errorf("the text reads back as a different module without its comments: %s", d)
	}
	return nil
}

// StripComments returns a text of Python without its comments. Lines keep their numbers.
func StripComments(text string) string {
	var b strings.Builder
	quote := ""
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case quote != "" && rest[0] == '\\' && len(rest) > 1:
			b.WriteByte(rest[0])
			i++
		case quote != "" && strings.HasPrefix(rest, quote):
			b.WriteString(quote[1:])
			i += len(quote) - 1
			quote = ""
		case quote != "":
		case strings.HasPrefix(rest, `"""`):
			b.WriteString(`""`)
			i += 2
			quote = `"""`
		case rest[0] == '"', rest[0] == '\'':
			quote = rest[:1]
		case rest[0] == '#':
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return b.String()
			}
			i += end
		}
		b.WriteByte(text[i])
	}
	return b.String()
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
