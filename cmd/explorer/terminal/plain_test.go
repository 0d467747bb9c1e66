package terminal

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"lines\n\tand tabs, é 語 😀": "lines\n\tand tabs, é 語 😀",
		"\x1b]0;T\x07\x1b[2J":      `\u001b]0;T\u0007\u001b[2J`,
		"a\rb\x00\x7f":             `a\u000db\u0000\u007f`,
		"\u009b31m":                `\u009b31m`,
		"\u202eevil\u2069\u200f":   `\u202eevil\u2069\u200f`,
		"\ufeffx\u200by\u2028":     `\ufeffx\u200by\u2028`,
		"\x9b31m\xff":              `\u009b31m\u00ff`,
		"\ufffd":                   "\ufffd",
	} {
		if strings.Contains(want, `\u`) == (want == in) {
			t.Fatalf("the case %q tests nothing", in)
		}
		if got := Plain(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		// However the text is cut into writes, the result is the same.
		for size := 1; size <= 5; size++ {
			var b strings.Builder
			w := &Filter{W: &b}
			for i := 0; i < len(in); i += size {
				if n, err := w.Write([]byte(in[i:min(len(in), i+size)])); err != nil || n != min(size, len(in)-i) {
					t.Fatalf("%q: wrote %d (%v)", in, n, err)
				}
			}
			if b.String() != Plain(in) && len(w.tail) == 0 {
				t.Errorf("%q in pieces of %d becomes %q, want %q", in, size, b.String(), Plain(in))
			}
		}
	}
}
