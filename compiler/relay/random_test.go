package relay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestRandomPrograms: random programs, of graphs, lets, branches, tuples and functions, read, verify and come back from what is printed;
// what nothing uses and the order of what does not depend on one another change nothing.
func TestRandomPrograms(t *testing.T) {
	seed.Each(t, 400, func(t *testing.T, r *rand.Rand) {
		g := &generator{r: r}
		text := g.program()
		m, found := relay.Read("random.relay", text)
		if m == nil {
			t.Fatalf("%s\n%s", found[0], text)
		}
		reads(t, text, m)
		text2 := reorder(text, r)
		other, found := relay.Read("reordered.relay", text2)
		if other == nil {
			t.Fatalf("reordered: %s\n%s", found[0], text2)
		}
		if d := ir.FirstModuleMismatch(m, other, ir.EqualOpts{}); d != nil {
			t.Errorf("another order of what does not depend on one another is another module: %s\n%s", d, text)
		}
	})
}

// generator writes programs over tensors of two shapes. Values are names of variables, or of graph nodes.
type generator struct {
	r    *rand.Rand
	b    strings.Builder
	next int
}

func (g *generator) program() string {
	g.b.WriteString("#[version = \"0.0.5\"]\ndef @helper(%h: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {\n")
	g.body("  ", []string{"%h"}, 1)
	g.b.WriteString("}\ndef @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32], %c: bool) {\n")
	g.body("  ", []string{"%x", "%y"}, 3)
	g.b.WriteString("}\n")
	return g.b.String()
}

// body writes bindings over what is in scope, and a value.
func (g *generator) body(indent string, in []string, depth int) {
	vars := append([]string{}, in...)
	pick := func() string { return vars[g.r.IntN(len(vars))] }
	for range 1 + g.r.IntN(6) {
		g.next++
		name, let := fmt.Sprintf("%%%d", g.next), g.r.IntN(3) == 0
		if let {
			name = fmt.Sprintf("%%v%d", g.next)
			g.b.WriteString(indent + "let " + name + " = ")
		} else {
			g.b.WriteString(indent + name + " = ")
		}
		switch n := g.r.IntN(10); {
		case n < 3:
			fmt.Fprintf(&g.b, "%s(%s)", []string{"exp", "nn.relu", "negative"}[n], pick())
		case n < 6:
			fmt.Fprintf(&g.b, "%s(%s, %s)", []string{"add", "multiply", "maximum"}[n-3], pick(), pick())
		case n == 6:
			fmt.Fprintf(&g.b, "(%s, %s, %df).%d", pick(), pick(), g.r.IntN(5), g.r.IntN(2))
		case n == 7 && depth > 0:
			cond := []string{"True", "False"}[g.r.IntN(2)]
			if depth == 3 {
				cond = "%c"
			}
			fmt.Fprintf(&g.b, "if (%s) {\n", cond)
			g.body(indent+"  ", vars, depth-1)
			g.b.WriteString(indent + "} else {\n")
			g.body(indent+"  ", vars, depth-1)
			g.b.WriteString(indent + "}")
		case n == 8 && depth > 0:
			fmt.Fprintf(&g.b, "(fn (%%p%d: Tensor[(2, 3), float32]) {\n", g.next)
			g.body(indent+"  ", append(append([]string{}, vars...), fmt.Sprintf("%%p%d", g.next)), depth-1)
			fmt.Fprintf(&g.b, "%s})(%s)", indent, pick())
		default:
			fmt.Fprintf(&g.b, "reshape(transpose(%s, axes=[1, 0]), newshape=[2, -1])", pick())
		}
		g.b.WriteString(";\n")
		vars = append(vars, name)
	}
	fmt.Fprintf(&g.b, "%sadd(%s, %s)\n", indent, vars[len(vars)-1], pick())
}

// reorder swaps neighbors that are graph nodes of one line, neither of which names the other.
func reorder(text string, r *rand.Rand) string {
	lines := strings.Split(text, "\n")
	node := func(s string) (name string, ok bool) {
		s = strings.TrimSpace(s)
		name, _, ok = strings.Cut(s, " = ")
		return name, ok && s[0] == '%' && strings.HasSuffix(s, ";") && !strings.Contains(s, "})(")
	}
	for range len(lines) {
		i := r.IntN(len(lines) - 1)
		a, ok := node(lines[i])
		b, ok2 := node(lines[i+1])
		uses := func(line, name string) bool {
			return strings.Contains(line, name+",") || strings.Contains(line, name+")")
		}
		if ok && ok2 && !uses(lines[i+1], a) && !uses(lines[i], b) {
			lines[i], lines[i+1] = lines[i+1], lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
