package parse_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

var words = regexp.MustCompile(`\w+|[ \n]+|"[^"\n]*"|.`)

// TestRandomErrors takes out, replaces and repeats words of the goldens: whatever comes of it
// is read, or refused with errors that have a place and are not those of this program.
func TestRandomErrors(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, rng *rand.Rand) {
		pool := strings.Fields(`0 -1 None T.int64() "x" A x () [] T.float32(1) R.Tensor T.handle cls 1.5 True n {} A[0] T.block() R.shape([2])
		T.Buffer((4,)) x.shape A.data (1,2) * lambda`)
		for _, s := range seeds(t) {
			parts := words.FindAllString(s, -1)
			if len(parts) == 0 {
				continue
			}
			for range 30 {
				edited := append([]string{}, parts...)
				for range 1 + rng.IntN(3) {
					i := rng.IntN(len(parts))
					switch rng.IntN(3) {
					case 0:
						edited[i] = ""
					case 1:
						edited[i] = pool[rng.IntN(len(pool))]
					case 2:
						edited[i] = parts[rng.IntN(len(parts))]
					}
				}
				text := strings.Join(edited, "")
				mods, diags := parse.File("error.py", text, parse.Options{AllowMissingConstants: true})
				for _, d := range diags {
					if d.Span == nil || d.Message == "" || strings.Contains(d.Message, "runtime error") {
						t.Errorf("%s\nin\n%s", d.Format(), text)
					}
				}
				for _, m := range mods {
					script.Module(m.Module, script.Options{})
				}
			}
		}
	})
}
