package parse

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/script/syntax"
)

func (b *builder) integer(n *syntax.Node) any {
	if v, err := strconv.ParseInt(n.Text, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseUint(n.Text, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		return v
	}
	b.fail(n, "integers have at most 64 bits", "%q is not an integer", n.Text)
	return nil
}

// pythonBinary computes with numbers, strings and lists known now, as Python does. What Python
// refuses, and what no node can hold, fails. ok is false where an operand is no such value.
func (b *builder) pythonBinary(n *syntax.Node, op string, x, y any) (v any, ok bool) {
	_, left := x.(string)
	_, right := y.(string)
	if left || right {
		return b.joined(n, op, x, y), true
	}
	if l, ok := x.(*list); ok {
		return b.listBinary(n, op, l, y)
	}
	if l, ok := y.(*list); ok && op == "*" {
		return b.listBinary(n, op, l, x)
	}
	i, iok := asBig(x)
	k, kok := asBig(y)
	if iok && kok {
		return b.pythonInt(n, op, i, k), true
	}
	f, fok := asPythonFloat(x)
	g, gok := asPythonFloat(y)
	if !fok || !gok || op != "**" && operations[op].bits != nil {
		return nil, false
	}
	return b.pythonFloat(n, op, f, g), true
}

// joined evaluates a sign with a string on a side of it: strings can be joined only.
func (b *builder) joined(n *syntax.Node, op string, x, y any) string {
	s, left := x.(string)
	t, right := y.(string)
	if !left || !right || op != "+" {
		b.fail(n, "strings can only be joined, by +", "%s %s %s cannot be computed", describe(x), op, describe(y))
	}
	if len(s)+len(t) > maxText {
		b.fail(n, "", "this string has more than %d bytes", maxText)
	}
	return s + t
}

func (b *builder) listBinary(n *syntax.Node, op string, l *list, y any) (any, bool) {
	if r, ok := y.(*list); ok && op == "+" {
		return b.newList(n, slices.Concat(l.items, r.items), l.tuple), true
	}
	times, ok := asPythonInt(y)
	if !ok || op != "*" {
		return nil, false
	}
	if times = max(times, 0); times > maxItems || int64(max(l.size, 1))*times > maxItems {
		b.fail(n, "", "this list has more than %d values", maxItems)
	}
	return b.newList(n, slices.Repeat(l.items, int(times)), l.tuple), true
}

// pythonFloat computes with floats.
func (b *builder) pythonFloat(n *syntax.Node, op string, f, g float64) float64 {
	if g == 0 && (op == "/" || op == "//" || op == "%") || op == "**" && f == 0 && g < 0 {
		b.fail(n, "", "%v %s %v is a division by zero", f, op, g)
	}
	switch op {
	case "+":
		return f + g
	case "-":
		return f - g
	case "*":
		return f * g
	case "/":
		return f / g
	case "//":
		return math.Floor(f / g)
	case "%":
		return f - g*math.Floor(f/g)
	case "**":
		v := math.Pow(f, g)
		if math.IsInf(v, 0) && !math.IsInf(f, 0) && !math.IsInf(g, 0) || math.IsNaN(v) && f < 0 {
			b.fail(n, "", "%v ** %v does not fit in a float64", f, g)
		}
		return v
	}
	b.fail(n, "", "floats have no operator %s", op)
	return 0
}

// maxShift bounds exponents and shifts: beyond it, no result other than 0, 1 and -1 has 64 bits.
const maxShift = 64

// bigOps are the operations on integers that are those of Python for all operands.
var bigOps = map[string]func(z, x, y *big.Int) *big.Int{
	"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "&": (*big.Int).And, "|": (*big.Int).Or, "^": (*big.Int).Xor,
}

// pythonInt computes with integers. The result has at most 64 bits, or is a float.
func (b *builder) pythonInt(n *syntax.Node, op string, x, y *big.Int) any {
	out := new(big.Int)
	if f := bigOps[op]; f != nil {
		return b.sized(n, f(out, x, y))
	}
	switch op {
	case "/", "//", "%":
		if y.Sign() == 0 {
			b.fail(n, "", "%s %s %s is a division by zero", x, op, y)
		}
		if op == "/" {
			f, _ := new(big.Rat).SetFrac(x, y).Float64()
			return f
		}
		// Python rounds down, big.Int so that the rest is not negative.
		rest := new(big.Int)
		out.DivMod(x, y, rest)
		if rest.Sign() != 0 && y.Sign() < 0 {
			out.Sub(out, big.NewInt(1))
			rest.Add(rest, y)
		}
		if op == "%" {
			out = rest
		}
	case "<<", ">>":
		if y.Sign() < 0 {
			b.fail(n, "", "%s %s %s shifts by a negative number", x, op, y)
		}
		by := uint(maxShift)
		if y.IsInt64() {
			by = uint(min(y.Int64(), maxShift))
		}
		if op == ">>" {
			out.Rsh(x, by)
		} else {
			out.Lsh(x, by)
		}
	case "**":
		if y.Sign() < 0 {
			f, _ := new(big.Float).SetInt(x).Float64()
			g, _ := new(big.Float).SetInt(y).Float64()
			return b.pythonFloat(n, op, f, g)
		}
		if y.Cmp(big.NewInt(maxShift)) > 0 && x.CmpAbs(big.NewInt(1)) > 0 {
			b.fail(n, "integers have at most 64 bits", "%s ** %s is too large", x, y)
		}
		out.Exp(x, y, nil)
	default:
		b.fail(n, "", "integers have no operator %s", op)
	}
	return b.sized(n, out)
}

// sized returns an integer as an int64, or as a uint64 where only that holds it.
func (b *builder) sized(n *syntax.Node, v *big.Int) any {
	switch {
	case v.IsInt64():
		return v.Int64()
	case v.IsUint64():
		return v.Uint64()
	}
	b.fail(n, "integers have at most 64 bits", "the result of %s is too large", n.Text)
	return nil
}

// asBig returns an integer of Python.
func asBig(v any) (*big.Int, bool) {
	if u, ok := v.(uint64); ok {
		return new(big.Int).SetUint64(u), true
	}
	i, ok := asPythonInt(v)
	if !ok {
		return nil, false
	}
	return big.NewInt(i), true
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
	case uint64:
		return float64(x), true
	}
	return 0, false
}
