package parse

import (
	"math"
	"strconv"

	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) integer(n *node) any {
	if v, err := strconv.ParseInt(n.s, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseUint(n.s, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseInt(n.s, 10, 64); err == nil {
		return v
	}
	b.fail(n, "integers have at most 64 bits", "%q is no integer", n.s)
	return nil
}

// pythonBinary computes with numbers and lists known now.
func pythonBinary(op string, x, y any) (any, bool) {
	if l, ok := x.(*list); ok {
		if r, ok := y.(*list); ok && op == "+" {
			if l.size+r.size > maxItems {
				return nil, false
			}
			return &list{items: append(append([]any{}, l.items...), r.items...), tuple: l.tuple, size: l.size + r.size}, true
		}
		if n, ok := y.(int64); ok && op == "*" && n >= 0 && n*int64(len(l.items)) < 1<<16 {
			if int64(l.size)*n > maxItems {
				return nil, false
			}
			out := &list{tuple: l.tuple, size: l.size * int(n)}
			for range n {
				out.items = append(out.items, l.items...)
			}
			return out, true
		}
		return nil, false
	}
	if s, ok := x.(string); ok {
		t, ok := y.(string)
		if !ok || op != "+" || len(s)+len(t) > maxText {
			return nil, false
		}
		return s + t, true
	}
	a, aok := asPythonInt(x)
	c, cok := asPythonInt(y)
	if aok && cok {
		return pythonInt(op, a, c)
	}
	f, fok := asPythonFloat(x)
	g, gok := asPythonFloat(y)
	if !fok || !gok {
		return nil, false
	}
	switch op {
	case "+":
		return f + g, true
	case "-":
		return f - g, true
	case "*":
		return f * g, true
	case "/":
		return f / g, g != 0
	case "**":
		return math.Pow(f, g), true
	case "//":
		return math.Floor(f / g), g != 0
	case "%":
		return f - g*math.Floor(f/g), g != 0
	}
	return nil, false
}

func pythonInt(op string, a, c int64) (any, bool) {
	switch op {
	case "+":
		return a + c, true
	case "-":
		return a - c, true
	case "*":
		return a * c, true
	case "/":
		return float64(a) / float64(c), c != 0
	case "//":
		if c == 0 || c == -1 && a == math.MinInt64 {
			return nil, false
		}
		return tir.FloorDivInt(a, c), true
	case "%":
		if c == 0 || c == -1 {
			return int64(0), c != 0
		}
		return tir.FloorModInt(a, c), true
	case "<<":
		return a << uint(c&63), c >= 0 && c < 63
	case ">>":
		return a >> uint(c&63), c >= 0 && c < 64
	case "&":
		return a & c, true
	case "|":
		return a | c, true
	case "^":
		return a ^ c, true
	case "**":
		out := int64(1)
		if c < 0 || c > 64 {
			return math.Pow(float64(a), float64(c)), true
		}
		for range c {
			out *= a
		}
		return out, true
	}
	return nil, false
}

func asPythonInt(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func asPythonFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	}
	return 0, false
}
