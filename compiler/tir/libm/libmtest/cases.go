package libmtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/libm"
	"github.com/irscope/irscope/runtime/dtype"
)

// Case is a function of one or more arguments that tests evaluate on samples.
type Case struct {
	Name  string
	Func  *libm.Func
	Args  int // that vary
	Call  func(x []tir.Expr) *tir.Call
	Exact func(x []float64) float64
	lo    float64 // of the linear samples
	hi    float64
	least float64 // smallest absolute argument for which the bound holds
}

// Cases returns the functions of package libm, pow once for each exponent that is defined.
func Cases() []Case {
	var out []Case
	for _, f := range libm.Funcs() {
		op := tir.LookupBuiltin("tir." + f.Name).Op
		c := Case{Name: f.Name, Func: f, Args: 1, Call: func(x []tir.Expr) *tir.Call { return tir.NewCall(op, x...) }}
		switch r, ok := references[f.Name]; {
		case ok:
			c.Exact, c.lo, c.hi = func(x []float64) float64 { return r.exact(x[0]) }, r.lo, r.hi
			out = append(out, c)
		case f.Name == "fma":
			c.Args, c.lo, c.hi = 3, -4, 4
			// A float32 product is exact in float64; what cancels is left out by Measure.
			c.Exact = func(x []float64) float64 { return x[0]*x[1] + x[2] }
			out = append(out, c)
		case f.Name == "ldexp":
			c.Args, c.lo, c.hi = 2, -160, 160
			c.Exact = func(x []float64) float64 { return math.Ldexp(x[0], int(math.Floor(x[1]))) }
			out = append(out, c)
		case f.Name == "pow":
			for _, k := range []float64{-2, -1, -0.5, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4} {
				p := c
				p.Name, p.lo, p.hi, p.least = fmt.Sprintf("pow %g", k), -6, 6, 1/f.Hi
				p.Call = func(x []tir.Expr) *tir.Call {
					return tir.NewCall(op, x[0], tir.FloatConst(x[0].DType(), k))
				}
				p.Exact = func(x []float64) float64 { return math.Pow(x[0], k) }
				out = append(out, p)
			}
		default:
			panic("libmtest: no reference for " + f.Name)
		}
	}
	return out
}

// reference is an exact function and an interval in which it is sampled densely.
type reference struct {
	exact  func(float64) float64
	lo, hi float64
}

var references = map[string]reference{
	"exp":     {math.Exp, -105, 90},
	"exp2":    {math.Exp2, -152, 130},
	"exp10":   {func(x float64) float64 { return math.Pow(10, x) }, -46, 39},
	"sigmoid": {func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -88, 20},
	"tanh":    {math.Tanh, -10, 10},
	"erf":     {math.Erf, -4.5, 4.5},
	"log":     {math.Log, 0, 4},
	"log2":    {func(x float64) float64 { return math.Log(x) / math.Ln2 }, 0, 4},
	"log10":   {math.Log10, 0, 12},
	"log1p":   {math.Log1p, -1, 3},
	"sin":     {math.Sin, -20, 20},
	"cos":     {math.Cos, -20, 20},
	"tan":     {math.Tan, -20, 20},
	"rsqrt":   {func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 16},
	"round":   {math.Round, -9, 9},
}

// edges are where something changes: limits of the format, thresholds of definitions, halves.
var edges = []float64{
	0, 0x1p-149, 0x1p-127, 0x1p-126, 0x1p-60, 0x1p-24, 0x1p-23, 0.25, 0.5, 0.625, 0.927734375, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.25,
	math.Sqrt2, math.Sqrt2 / 2, math.Pi / 4, math.Pi / 2, math.Pi, 2 * math.Pi, 7.5, 8.5, 20, 38, 38.5, 38.6, 44.8, 45, 45.5,
	87.3, 88, 88.72, 88.73, 89, 103.2, 103.9, 104, 126, 127, 128, 129, 149, 150, 151, 8191, 8192, 8193, 1 << 22, 1 << 23, 1 << 24,
	1e19, 0x1p63, 0x1p64, math.MaxFloat32 / 2, math.MaxFloat32, math.Inf(1), math.NaN(),
}

// Samples returns n values or more for each argument of c: the edges and their neighbours with both
// signs, a sweep over all numbers of the format, and the interval of interest densely.
func Samples(c Case, n int) [][]float32 {
	var first []float32
	for _, e := range edges {
		for _, x := range []float32{float32(e), -float32(e)} {
			up, down := x, x
			for range 4 {
				first = append(first, up, down)
				up, down = math.Nextafter32(up, float32(math.Inf(1))), math.Nextafter32(down, float32(math.Inf(-1)))
			}
		}
	}
	r := uint32(2463534242)
	next := func() uint32 { // xorshift
		r ^= r << 13
		r ^= r >> 17
		r ^= r << 5
		return r
	}
	for i := range n / 2 {
		first = append(first, math.Float32frombits(uint32(float64(i)*(1<<32)/float64(n/2))+next()%64))
		first = append(first, float32(c.lo+(c.hi-c.lo)*(float64(i)+float64(next())/(1<<32))/float64(n/2)))
	}
	if slices.Contains([]string{"sin", "cos", "tan"}, c.Name) { // on both sides of the limit
		for i := range n / 4 {
			first = append(first, libm.TrigLimit*1.1*(2*float32(i)/float32(n/4)-1))
		}
	}
	for len(first)%8 != 0 {
		first = append(first, 1)
	}
	out := [][]float32{first}
	for len(out) < c.Args {
		xs := make([]float32, len(first))
		for i := range xs {
			xs[i] = float32(c.lo + (c.hi-c.lo)*float64(next())/(1<<32))
		}
		out = append(out, xs)
	}
	return out
}

// Function is a kernel that applies c to n elements of type d, in vectors of some lanes. It has a
// buffer for each argument and one for the results.
func Function(c Case, d dtype.DType, n int64, lanes int) *tir.PrimFunc {
	i := tir.NewVar("i", dtype.Int32T)
	at := tir.Expr(i)
	if lanes > 1 {
		at = &tir.Ramp{Start: tir.Mul(i, tir.Int32(int64(lanes))), Stride: tir.Int32(1), Lanes: lanes}
	}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel", "tir.noalias", true)}
	buffer := func(name string) *tir.Buffer {
		b := tir.NewBuffer(name, d, []tir.Expr{tir.Int32(n)}, "")
		f.Params, f.Buffers = append(f.Params, tir.NewVar(name+"_handle", dtype.HandleT)), append(f.Buffers, b)
		return b
	}
	var x []tir.Expr
	for k := range c.Args {
		x = append(x, tir.Load(buffer("X"+string(rune('0'+k))), at))
	}
	f.Body = &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(n / int64(lanes)), Body: tir.Store(buffer("Y"), c.Call(x), at)}
	return f
}
