package highlight

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// pieces returns the marked and the other pieces of a line.
func pieces(line string, flips []int) (marked, rest []string) {
	pos := 0
	for i := 0; i+1 < len(flips); i += 2 {
		rest = append(rest, line[pos:flips[i]])
		marked = append(marked, line[flips[i]:flips[i+1]])
		pos = flips[i+1]
	}
	return marked, append(rest, line[pos:])
}

// TestMarkWords checks what is marked in a pair of lines, with a bar between marks.
func TestMarkWords(t *testing.T) {
	for _, c := range []struct{ a, b, marksA, marksB string }{
		{"conv1 = conv2d(image, c4e6, pad 1)", "conv1 = cls.conv2d(image, c4e6)", "pad 1", "cls."},
		{"bn1_var = add(ce1f, 1e-05)", "bn1_var = cls.add1(ce1f)", "add|1e-05", "cls.add1"},
		{"maxpool = max_pool2d(relu1, window 2, stride 2)", "maxpool = cls.max_pool2d(relu1)", "window 2, stride 2", "cls."},
		{"bn1_scale_nd = expand_dims(bn1_scale, axis [0,2,3])", "bn1_scale_nd = cls.expand_dims(bn1_scale)", "axis [0,2,3]", "cls."},
		{"a = f(x, padding=[1, 1], axis=2)", "a = f(x, padding=[1, 2], axis=2)", "1", "2"},
		{"a = f(x, axis=-1, keepdims=True)", "a = f(x, axis=1, keepdims=True)", "-1", "1"},
		{"a = f(x, axis=1, keepdims=True)", "a = f(x, keepdims=True, axis=1)", "keepdims=True", "keepdims=True"},
		{"T_add[v0, v1] = x[v0, v1] + y[v1]", "T_add[v0, v1] = x[v0, v1] * y[v1]", "+", "*"},
		{"a = f(x, y, z)", "a = f(y, z)", "x", ""},
		{"a = f(g(x, y), z)", "a = f(g(x, w), z)", "y", "w"},
		{`a = f(x, "one", 12)`, `a = f(x, "two", 12)`, `"one"`, `"two"`},
		{"lv: R.Tensor((2, 3)) = f(a)", "lv: R.Tensor((2, 4)) = f(a)", "3", "4"},
		// Punctuation alone is not marked.
		{"return (a)", "return (a,)", "", ""},
		{"def f(x):", "def f(x)", "", ""},
		{"a = b.c(d)", "a = b[c](d)", ".c", "[c]"},
		// Brackets that do not match.
		{"x = f((a, b", "x = f((a, c", "b", "c"},
		{"a) = b", "a) = c", "b", "c"},
	} {
		flipsA, flipsB, ok := markWords(c.a, c.b)
		marksA, _ := pieces(c.a, flipsA)
		marksB, _ := pieces(c.b, flipsB)
		if a, b := strings.Join(marksA, "|"), strings.Join(marksB, "|"); !ok || a != c.marksA || b != c.marksB {
			t.Errorf("%s\n%s\nmarks %q and %q (%t), want %q and %q", c.a, c.b, a, b, ok, c.marksA, c.marksB)
		}
	}
	// Too little is common.
	for _, c := range [][2]string{
		{"relu1 = cls.relu(bn1_out)", "relu1 = cls.fused_conv2d_add_multiply_add_relu_conv1(image, c4e6, c2df, c839, cb10)"},
		{"a = f(x)", "something quite different"},
	} {
		if a, b, ok := markWords(c[0], c[1]); ok {
			t.Errorf("%q and %q have marks %v and %v", c[0], c[1], a, b)
		}
	}
}

// said returns the tokens of a line that are no punctuation: those outside of marks, and those in each mark.
func said(line string, flips []int) (outside []string, inside map[int][]string) {
	inside = map[int][]string{}
	var walk func(nodes []node)
	walk = func(nodes []node) {
		for _, n := range nodes {
			for _, x := range n.items {
				walk(x.nodes)
			}
			if n.bracket || !n.says {
				continue
			}
			k, _ := slices.BinarySearch(flips, n.from+1) // the flips up to where the token begins
			if text := line[n.from:n.to]; k%2 == 0 {
				outside = append(outside, text)
			} else {
				inside[k/2] = append(inside[k/2], text)
			}
		}
	}
	walk(parseTree(line))
	return outside, inside
}

// TestMarksAreWhole checks marks of random lines: they are in order, not empty and cut no token, they say something, and what is
// outside of them is the same on both sides, punctuation apart.
func TestMarksAreWhole(t *testing.T) {
	token := rapid.SampledFrom([]string{"a", "b", "lv12", "é", "T", ".", ",", " ", "(", ")", "[", "]", "{", "}", "=", "-", "1", "-1", "1e-05", "+", "\"s, (\"", "\"", ":", "->", "==", "\xff", "#", "f(", "x, "})
	seed.Check(t, func(t *rapid.T) {
		a := strings.Join(rapid.SliceOfN(token, 0, 40).Draw(t, "a"), "")
		b := strings.Join(rapid.SliceOfN(token, 0, 40).Draw(t, "b"), "")
		if rapid.Bool().Draw(t, "alike") { // lines that share most of their text
			at := rapid.IntRange(0, len(a)).Draw(t, "at")
			b = a[:at] + token.Draw(t, "new") + a[min(len(a), at+rapid.IntRange(0, 3).Draw(t, "cut")):]
		}
		flipsA, flipsB, ok := markWords(a, b)
		if !ok {
			return
		}
		for _, side := range []struct {
			line  string
			flips []int
		}{{a, flipsA}, {b, flipsB}} {
			if len(side.flips)%2 != 0 || !slices.IsSorted(side.flips) || len(side.flips) > 0 && side.flips[len(side.flips)-1] > len(side.line) {
				t.Fatalf("%q and %q: flips %v of %q", a, b, side.flips, side.line)
			}
			ends := boundaries(parseTree(side.line), map[int]bool{})
			for i, at := range side.flips {
				if !ends[at] || i%2 == 1 && at <= side.flips[i-1] {
					t.Fatalf("%q and %q: flips %v of %q cut a token or hold nothing", a, b, side.flips, side.line)
				}
			}
			if _, inside := said(side.line, side.flips); len(inside) != len(side.flips)/2 {
				t.Fatalf("%q and %q: of the marks %v of %q only %v say something", a, b, side.flips, side.line, inside)
			}
		}
		x, _ := said(a, flipsA)
		y, _ := said(b, flipsB)
		if !slices.Equal(x, y) {
			t.Fatalf("%q and %q: outside of marks %v and %v stand %q and %q", a, b, flipsA, flipsB, x, y)
		}
	})
}

// boundaries notes where nodes begin and end.
func boundaries(nodes []node, at map[int]bool) map[int]bool {
	for _, n := range nodes {
		at[n.from], at[n.to] = true, true
		for _, x := range n.items {
			boundaries(x.nodes, at)
		}
	}
	return at
}

// hostile returns pairs of lines of n columns.
func hostile(n int) map[string][2]string {
	mixed := func(step int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString([]string{"a", "(", "b,", ")", "[c", "]", "d "}[i*step%7])
		}
		return b.String()
	}
	return map[string][2]string{
		"open brackets":  {strings.Repeat("(", n), strings.Repeat("(", n-1) + "x"},
		"nested":         {strings.Repeat("(a", n/4) + strings.Repeat(")", n/4), strings.Repeat("(b", n/4) + strings.Repeat(")", n/4)},
		"commas":         {"f(" + strings.Repeat("a,", n/2), "f(" + strings.Repeat("b,", n/2)},
		"names":          {strings.Repeat("a b ", n/4), strings.Repeat("b c ", n/4)},
		"mixed":          {mixed(3), mixed(5)},
		"one word":       {strings.Repeat("é", n/2), strings.Repeat("é", n/2-1) + "x"},
		"strings":        {strings.Repeat(`"a`, n/2), strings.Repeat(`"b`, n/2)},
		"empty brackets": {strings.Repeat("()", n/2), strings.Repeat("[]", n/2)},
	}
}

// TestHostileLines checks that lines of 100,000 columns take no longer than their length explains.
func TestHostileLines(t *testing.T) {
	for name, c := range hostile(100_000) {
		start := time.Now()
		markWords(c[0], c[1])
		took := time.Since(start)
		t.Logf("%s: %v", name, took)
		if took > 20*time.Second { // some milliseconds; the square of the length would take minutes
			t.Errorf("%s: marking two lines of 100,000 columns took %v", name, took)
		}
	}
}

func BenchmarkMarkWords(b *testing.B) {
	for b.Loop() {
		markWords("block1_bn1_scale_nd = expand_dims(block1_bn1_scale, axis [0,2,3])", "block1_bn1_scale_nd = cls.expand_dims(block1_bn1_scale)")
	}
}
