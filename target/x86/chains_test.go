//go:build linux && amd64

package x86_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// innermost is the text of the loop that ends first.
func innermost(t *testing.T, text string) string {
	t.Helper()
	ends := regexp.MustCompile(`\tjl (L\d+)\n`).FindStringSubmatchIndex(text)
	if ends == nil {
		t.Fatalf("no loop in\n%s", text)
	}
	label := text[ends[2]:ends[3]]
	return text[strings.Index(text, "\n"+label+":"):ends[0]]
}

// TestChainsSideBySide looks at the loop of an exponential: with 32 registers constants are read from memory for fewer than two of three products, and vectors take turns, so that an instruction rarely waits for the one
// before. Comparisons become lanes without the register that these lie in.
func TestChainsSideBySide(t *testing.T) {
	x := placeholder("x", 64, 1024)
	for _, name := range []string{"exp", "tanh", "log"} {
		lib, _, err := build(scheduled(t, targets["avx512"], []*te.Tensor{x, must(topi.Unary(name, x))}), machineOf(t, targets["avx512"]))
		if err != nil {
			t.Fatal(err)
		}
		loop := innermost(t, lib.Kernels[0].Text())
		products := strings.Count(loop, "\tvf") // multiplications with a sum
		if vectors := strings.Count(loop, "\tvmovups zmmword ptr [r15"); vectors != 4 || products < 4*5 {
			t.Errorf("%s: %d vectors and %d products a turn:\n%s", name, vectors, products, loop)
		}
		waits := regexp.MustCompile(`\tvf\w+ (zmm\d+), .*\n\tvf\w+ (zmm\d+), `)
		waiting := 0
		for _, m := range waits.FindAllStringSubmatch(loop, -1) {
			if m[1] == m[2] {
				waiting++
			}
		}
		if waiting > 0 {
			t.Errorf("%s: %d of %d products wait for the one before:\n%s", name, waiting, products, loop)
		}
		if reads := strings.Count(loop, "[rip+"); reads > products*2/3 {
			t.Errorf("%s: %d constants are read for %d products:\n%s", name, reads, products, loop)
		}
		if strings.Contains(loop, "{k1}{z}") {
			t.Errorf("%s: a comparison reads its target:\n%s", name, loop)
		}
	}
}
