package relaypass_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestQuantizedProductsMeaning: what looks like a dequantization, and is none, stays; what is one is the same afterwards. Lines are those of a dataflow block with a result y.
func TestQuantizedProductsMeaning(t *testing.T) {
	const quantize = `v0 = R.divide(c, R.const(0.5, "float32"))
v1 = R.round(v0)
v2 = R.add(v1, R.const(3.0, "float32"))
v3 = R.clip(v2, R.prim_value(T.float32(-128)), R.prim_value(T.float32(127)))
y = R.astype(v3, "int8")
`
	for _, c := range []struct{ name, params, lines string }{
		{"bytes that wrap", `x: R.Tensor((20, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a0 = R.subtract(x, R.const(3, "int8"))
a1 = R.astype(a0, "float32")
a = R.multiply(a1, R.const(0.5, "float32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int32"))
y = R.matmul(a, b)
`},
		{"unsigned bytes that wrap", `x: R.Tensor((20, 8), "uint8"), w: R.Tensor((8, 6), "int8")`, `a0 = R.subtract(x, R.const(3, "uint8"))
a1 = R.astype(a0, "float32")
a = R.multiply(a1, R.const(0.5, "float32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int32"))
y = R.matmul(a, b)
`},
		{"a scale that widens", `x: R.Tensor((1, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a0 = R.astype(x, "float32")
a = R.multiply(a0, R.const([[0.5], [1.0], [2.0]], "float32"))
c = R.permute_dims(a)
d = R.permute_dims(c)
b = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int32"))
e = R.permute_dims(b)
y = R.matmul(e, c)
`},
		{"a zero point that widens", `x: R.Tensor((1, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a0 = R.astype(x, "int32")
a1 = R.subtract(a0, R.const([[1], [2], [3]], "int32"))
a2 = R.astype(a1, "float32")
a = R.multiply(a2, R.const(0.5, "float32"))
c = R.permute_dims(a)
b = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int32"))
e = R.permute_dims(b)
y = R.matmul(e, c)
`},
		{"a zero point for each row", `x: R.Tensor((8, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "int32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const([1, 2, 3, 4, 5, 6, 7, 8], "int32"), axis=0)
y = R.matmul(a, b)
`},
		{"a zero point for each column", `x: R.Tensor((20, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a = R.dequantize(x, R.const(0.5, "float32"), R.const(4, "int32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const([1, 2, 3, 4, 5, 6], "int32"), axis=1)
y = R.matmul(a, b)
`},
		{"a zero point for each row and a scale for each column", `x: R.Tensor((6, 6), "int8"), w: R.Tensor((6, 6), "int8")`, `a = R.dequantize(x, R.const(0.5, "float32"), R.const(4, "int32"))
b0 = R.astype(w, "int32")
b1 = R.subtract(b0, R.const([[1], [2], [3], [4], [5], [6]], "int32"))
b2 = R.astype(b1, "float32")
b = R.multiply(b2, R.const([0.5, 1.0, 2.0, 0.5, 1.0, 2.0], "float32"))
y = R.matmul(a, b)
`},
		{"a zero point for each input channel", `x: R.Tensor((1, 4, 5, 5), "int8"), w: R.Tensor((6, 4, 3, 3), "int8")`, `a = R.dequantize(x, R.const(0.5, "float32"), R.const(4, "int32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const([1, 2, 3, 4], "int32"), axis=1)
y = R.nn.conv2d(a, b, padding=1)
`},
		{"a scale with more dimensions", `x: R.Tensor((8,), "int8")`, `a = R.dequantize(x, R.const(0.25, "float32"), R.const(1, "int32"))
v0 = R.divide(a, R.const([[0.25]], "float32"))
v1 = R.round(v0)
v2 = R.add(v1, R.const(1.0, "float32"))
v3 = R.clip(v2, R.prim_value(T.float32(-128)), R.prim_value(T.float32(127)))
y = R.astype(v3, "int8")
`},
		{"windows between the data", `x: R.Tensor((1, 2, 1, 1), "int8")`, `a = R.dequantize(x, R.const(0.25, "float32"), R.const(1, "int32"))
c = R.nn.max_pool2d(a, pool_size=[2, 2], padding=[2, 2, 1, 1], dilation=[3, 3])
` + quantize},
		{"real numbers of a byte by byte", `x: R.Tensor((20, 8), "int8"), w: R.Tensor((8, 6), "int8")`, `a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "int32"))
b = R.dequantize(w, R.const(0.5, "float32"), R.const(-128, "int32"))
c = R.matmul(a, b)
` + quantize},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameQuantized(t, rand.New(rand.NewPCG(1, 1)), c.params, c.lines)
		})
	}
}

// sameQuantized runs a program before and after the pass. It says whether the pass changed it.
func sameQuantized(t *testing.T, r *rand.Rand, params, lines string) bool {
	t.Helper()
	text := "@R.function\ndef main(" + params + "):\n    with R.dataflow():\n        " + strings.ReplaceAll(lines, "\n", "\n        ") + "R.output(y)\n    return y\n"
	m, found := parse.Module("test.py", text, parse.Options{})
	if m == nil {
		t.Fatalf("%v\n%s", found, text)
	}
	out, _ := passtest.Check(t, passtest.NewContext(), quantizedProducts(t), m)
	if out == m {
		return false
	}
	args := bytesFor(t, r, m)
	if d := passtest.Differ(ofBytes(t, out, args), ofBytes(t, m, args)); d != "" {
		t.Errorf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
	}
	return true
}

// bytesFor are arguments of all values of their types.
func bytesFor(t *testing.T, r *rand.Rand, m *ir.Module) []graphrun.Value {
	t.Helper()
	args, err := graphrun.Inputs(ir.MustLookup[*relax.Function](m, "main"), 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range args {
		for _, x := range graphrun.Tensors(a) {
			if x.DType.IsInteger() && x.DType.Bits == 8 {
				for i := range x.Data {
					x.Data[i] = byte(r.IntN(256))
				}
			}
		}
	}
	return args
}

func ofBytes(t *testing.T, m *ir.Module, args []graphrun.Value) []*tensor.Tensor {
	t.Helper()
	m, err := passtest.NewContext().Run(transform.LegalizeOps, m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := graphrun.Run(context.Background(), m, "main", args...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, passtest.Text(m))
	}
	return graphrun.Tensors(v)
}

// TestQuantizedProductsKeepMeaning runs random programs of dequantized values before and after the pass. Scales are powers of two, and sums small, so that nothing is rounded otherwise.
func TestQuantizedProductsKeepMeaning(t *testing.T) {
	changed, all := 0, 0
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		g := &bytePrograms{Rand: r}
		all++
		if sameQuantized(t, r, g.program(), g.lines.String()) {
			changed++
		}
	})
	t.Logf("%d of %d changed", changed, all)
}

// bytePrograms writes lines of a dataflow block.
type bytePrograms struct {
	*rand.Rand
	params []string
	lines  strings.Builder
	n      int
	pool   []byteValue
}

// byteValue is a value of a program, of real numbers.
type byteValue struct {
	name  string
	shape []int
}

func (g *bytePrograms) emit(shape []int, format string, args ...any) byteValue {
	g.n++
	v := byteValue{fmt.Sprintf("v%d", g.n), shape}
	fmt.Fprintf(&g.lines, v.name+" = "+format+"\n", args...)
	return v
}

func (g *bytePrograms) chance(p float64) bool { return g.Float64() < p }

func (g *bytePrograms) pick(list ...string) string { return list[g.IntN(len(list))] }

// list writes n numbers, one for all if n is 0.
func (g *bytePrograms) list(n int, one func() string) string {
	if n == 0 {
		return one()
	}
	out := make([]string, n)
	for i := range out {
		out[i] = one()
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// source are the real numbers that a parameter, or a constant, of bytes stands for: by one scale, or by those of an axis.
func (g *bytePrograms) source(axis int, shape ...int) byteValue {
	dt := g.pick("int8", "uint8")
	bytes := fmt.Sprintf("p%d", len(g.params))
	if total := count(shape); g.chance(0.3) && total < 60 {
		lo, hi := -128, 127
		if dt == "uint8" {
			lo, hi = 0, 255
		}
		flat := make([]string, total)
		for i := range flat {
			flat[i] = fmt.Sprint(lo + g.IntN(hi-lo+1))
		}
		bytes = g.emit(nil, "R.reshape(R.const([%s], %q), R.shape(%s))", strings.Join(flat, ", "), dt, ints(shape)).name
	} else {
		g.params = append(g.params, fmt.Sprintf("%s: R.Tensor(%s, %q)", bytes, tuple(shape), dt))
	}
	if axis < 0 && g.chance(0.3) {
		axis = g.IntN(len(shape))
	}
	vector := func() int {
		if axis >= 0 && g.chance(0.4) {
			return shape[axis]
		}
		return 0
	}
	scales, zeros := vector(), vector()
	scale := g.list(scales, func() string { return g.pick("0.25", "0.5", "1.0") })
	zero := g.list(zeros, func() string { return fmt.Sprint(g.IntN(9)) })
	if g.chance(0.5) {
		return g.emit(shape, "R.dequantize(%s, R.const(%s, \"float32\"), R.const(%s, \"int32\"), axis=%d)", bytes, scale, zero, max(axis, 0))
	}
	behind := make([]int, 0, len(shape)) // so that vectors broadcast
	along := func(n int, text, dt string) string {
		if n == 0 {
			return fmt.Sprintf("R.const(%s, %q)", text, dt)
		}
		behind = append(behind[:0], n)
		for range shape[axis+1:] {
			behind = append(behind, 1)
		}
		return g.emit(nil, "R.const(%s, %q)", nested(text, len(behind)-1), dt).name
	}
	x := g.emit(nil, "R.astype(%s, \"int32\")", bytes)
	if zero != "0" {
		x = g.emit(nil, "R.subtract(%s, %s)", x.name, along(zeros, zero, "int32"))
	}
	x = g.emit(nil, "R.astype(%s, \"float32\")", x.name)
	return g.emit(shape, "R.multiply(%s, %s)", x.name, along(scales, scale, "float32"))
}

// nested writes a list of numbers as one of lists of one number, so deep.
func nested(list string, deep int) string {
	words := strings.Split(strings.Trim(list, "[]"), ", ")
	for i := range words {
		words[i] = strings.Repeat("[", deep) + words[i] + strings.Repeat("]", deep)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func count(shape []int) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

func ints(shape []int) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ") }

func tuple(shape []int) string {
	return "(" + strings.Trim(ints(shape), "[]") + ",)"
}

// program writes a program and returns its parameters.
func (g *bytePrograms) program() string {
	if g.chance(0.5) {
		g.pool = append(g.pool, g.source(-1, 1, 2+g.IntN(4), 3+g.IntN(4), 3+g.IntN(4)))
	} else {
		g.pool = append(g.pool, g.source(-1, 2+g.IntN(5), 2+g.IntN(6)))
	}
	for range 1 + g.IntN(6) {
		x := g.pool[max(0, len(g.pool)-1-g.IntN(2))]
		if y := g.step(x); y.name != "" {
			g.pool = append(g.pool, y)
		}
	}
	last := g.pool[len(g.pool)-1]
	if g.chance(0.6) {
		last = g.quantized(last)
	}
	fmt.Fprintf(&g.lines, "y = R.add(%s, %s)\n", last.name, last.name)
	return strings.Join(g.params, ", ")
}

// quantized is x as bytes, written in either way.
func (g *bytePrograms) quantized(x byteValue) byteValue {
	zero, dt := g.IntN(9), g.pick("int8", "uint8")
	lo, hi := -128, 127
	if dt == "uint8" {
		lo, hi = 0, 255
	}
	scale := g.pick("0.5", "1.0", "64.0")
	if g.chance(0.4) {
		return g.emit(x.shape, "R.quantize(%s, R.const(%s, \"float32\"), R.const(%d, \"int32\"), out_dtype=%q)", x.name, scale, zero, dt)
	}
	y := g.emit(nil, "R.divide(%s, R.const(%s, \"float32\"))", x.name, scale)
	y = g.emit(nil, "R.round(%s)", y.name)
	if zero != 0 {
		y = g.emit(nil, "R.add(%s, R.const(%d.0, \"float32\"))", y.name, zero)
	}
	y = g.emit(nil, "R.clip(%s, R.prim_value(T.float32(%d)), R.prim_value(T.float32(%d)))", y.name, lo, hi)
	return g.emit(x.shape, "R.astype(%s, %q)", y.name, dt)
}

// step adds a call of an operator that has a rule, if x has the shape for it.
func (g *bytePrograms) step(x byteValue) byteValue {
	rank := len(x.shape)
	axis := g.IntN(rank)
	switch g.IntN(13) {
	case 0, 1:
		if rank == 4 {
			return g.convolved(x)
		}
		return g.multiplied(x)
	case 2:
		perm := g.Perm(rank)
		shape := make([]int, rank)
		for i, p := range perm {
			shape[i] = x.shape[p]
		}
		return g.emit(shape, "R.permute_dims(%s, axes=%s)", x.name, ints(perm))
	case 3:
		shape := slices.Insert(slices.Clone(x.shape), axis, 1)
		if g.chance(0.5) {
			return g.emit(shape, "R.reshape(%s, R.shape(%s))", x.name, ints(shape))
		}
		return g.emit(shape, "R.expand_dims(%s, axis=%d)", x.name, axis)
	case 4:
		if rank > 2 {
			shape := slices.Clone(x.shape)
			a := g.IntN(rank - 1)
			shape[a] *= shape[a+1]
			shape = slices.Delete(shape, a+1, a+2)
			return g.emit(shape, "R.reshape(%s, R.shape(%s))", x.name, ints(shape))
		}
	case 5:
		return g.emit(x.shape, "R.nn.relu(%s)", x.name)
	case 6:
		return g.emit(x.shape, "R.clip(%s, R.prim_value(T.float32(%d)), R.prim_value(T.float32(%d)))", x.name, -g.IntN(9), 1+g.IntN(30))
	case 7:
		shape := slices.Clone(x.shape)
		width := make([]int, 2*rank)
		width[2*axis], width[2*axis+1] = g.IntN(2), g.IntN(2)
		shape[axis] += width[2*axis] + width[2*axis+1]
		return g.emit(shape, "R.nn.pad(%s, pad_width=%s, pad_mode=\"constant\", pad_value=%s)", x.name, ints(width), g.pick("0.0", "0.0", "2.0"))
	case 8:
		y := x
		for _, p := range g.pool {
			if slices.Equal(p.shape, x.shape) && g.chance(0.5) {
				y = p
			}
		}
		shape := slices.Clone(x.shape)
		shape[axis] *= 2
		return g.emit(shape, "R.concat((%s, %s), axis=%d)", x.name, y.name, axis)
	case 9:
		if x.shape[axis]%2 == 0 {
			shape := slices.Clone(x.shape)
			shape[axis] /= 2
			parts := g.emit(nil, "R.split(%s, 2, axis=%d)", x.name, axis)
			first := g.emit(shape, "%s[0]", parts.name)
			g.pool = append(g.pool, first)
			return g.emit(shape, "%s[1]", parts.name)
		}
	case 10:
		if rank == 4 && x.shape[2] > 1 && x.shape[3] > 1 {
			pad, dilation := g.IntN(2), 1
			if x.shape[2] > 3 && x.shape[3] > 3 {
				dilation += g.IntN(2)
			}
			shape := slices.Clone(x.shape)
			shape[2], shape[3] = x.shape[2]+2*pad-dilation, x.shape[3]+2*pad-dilation
			return g.emit(shape, "R.nn.max_pool2d(%s, pool_size=[2, 2], padding=[%[2]d, %[2]d, %[2]d, %[2]d], dilation=[%[3]d, %[3]d])", x.name, pad, dilation)
		}
	case 11:
		shape := slices.Clone(x.shape)
		shape[axis] = 1
		return g.emit(shape, "R.%s(%s, axis=[%d], keepdims=True)", g.pick("max", "min"), x.name, axis)
	default:
		from := g.IntN(x.shape[axis])
		shape := slices.Clone(x.shape)
		shape[axis] -= from
		return g.emit(shape, "R.strided_slice(%s, axes=[%d], begin=[%d], end=[%d])", x.name, axis, from, x.shape[axis])
	}
	return byteValue{}
}

// multiplied is a product with a matrix, at times with a bias.
func (g *bytePrograms) multiplied(x byteValue) byteValue {
	rank := len(x.shape)
	k, n := x.shape[rank-1], 1+g.IntN(6)
	if k > 40 {
		return byteValue{}
	}
	axis := 1
	if g.chance(0.3) {
		axis = 0
	}
	w := g.source(axis, k, n)
	y := g.emit(append(slices.Clone(x.shape[:rank-1]), n), "R.matmul(%s, %s)", x.name, w.name)
	if g.chance(0.4) {
		y = g.emit(y.shape, "R.add(%s, %s)", y.name, g.bias(n, n))
	}
	return y
}

// bias is a constant of int32, of one scale or of one for each of n.
func (g *bytePrograms) bias(n int, shape ...int) string {
	values := g.list(n, func() string { return fmt.Sprint(g.IntN(400) - 200) })
	b := g.emit(nil, "R.const(%s, \"int32\")", nested(values, len(shape)-1))
	return g.emit(nil, "R.dequantize(%s, R.const(%s, \"float32\"), R.const(0, \"int32\"))", b.name, g.pick("0.25", "0.5", "0.125", "0.0625")).name
}

func (g *bytePrograms) convolved(x byteValue) byteValue {
	c, h, w := x.shape[1], x.shape[2], x.shape[3]
	pad := g.IntN(2)
	k := 1 + g.IntN(min(3, h+2*pad, w+2*pad))
	if c > 12 {
		return byteValue{}
	}
	o := 1 + g.IntN(5)
	axis := 0
	if g.chance(0.2) {
		axis = 1
	}
	f := g.source(axis, o, c, k, k)
	y := g.emit([]int{x.shape[0], o, h + 2*pad - k + 1, w + 2*pad - k + 1}, "R.nn.conv2d(%s, %s, padding=%d)", x.name, f.name, pad)
	if g.chance(0.4) {
		y = g.emit(y.shape, "R.add(%s, %s)", y.name, g.bias(o, o, 1, 1))
	}
	return y
}
