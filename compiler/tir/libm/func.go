package libm

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Func is a function that has a definition in TIR.
type Func struct {
	Name string // of its intrinsic, without "tir."

	// ULP bounds the error in float32, in units in the last place of the exact result, for all
	// arguments from Lo to Hi.
	ULP    float64
	Lo, Hi float64

	// Note says what else there is to know, such as what holds outside of Lo to Hi.
	Note string

	// Double says that there is a definition for float64 as well, DoubleULP bounds its error, in units in the last place of float64.
	Double    bool
	DoubleULP float64

	define func(m *formula, x []tir.Expr) tir.Expr
}

const maxFloat32 = 0x1.fffffep127

// funcs is the table of all definitions, in the order of docs/math.md.
var funcs = []*Func{
	{Name: "exp", ULP: 1.2, Lo: -maxFloat32, Hi: maxFloat32, Double: true, DoubleULP: 1, define: one((*formula).exp)},
	{Name: "exp2", ULP: 1.2, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).exp2)},
	{Name: "exp10", ULP: 1.4, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).exp10)},
	{Name: "log", ULP: 0.8, Lo: 0, Hi: maxFloat32, Double: true, DoubleULP: 1, define: one((*formula).log)},
	{Name: "log2", ULP: 1.75, Lo: 0, Hi: maxFloat32, define: one((*formula).log2)},
	{Name: "log10", ULP: 2, Lo: 0, Hi: maxFloat32, define: one((*formula).log10)},
	{Name: "log1p", ULP: 2.25, Lo: -1, Hi: maxFloat32, define: one((*formula).log1p)},
	{Name: "tanh", ULP: 1.35, Lo: -maxFloat32, Hi: maxFloat32, Double: true, DoubleULP: 1.25, define: one((*formula).tanh), Note: "tanh(-0) is 0"},
	{
		Name: "sigmoid", ULP: 2.5, Lo: -88, Hi: maxFloat32, Double: true, DoubleULP: 2, define: one((*formula).sigmoid),
		Note: "below -88.73 it is 0: e^-x overflows",
	},
	{Name: "erf", ULP: 1.15, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).erf)},
	{Name: "sin", ULP: 0.51, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).sin), Note: "computed in float64"},
	{Name: "cos", ULP: 0.51, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).cos), Note: "computed in float64"},
	{Name: "tan", ULP: 0.51, Lo: -maxFloat32, Hi: maxFloat32, define: one((*formula).tan), Note: "computed in float64"},
	{Name: "rsqrt", ULP: 1.5, Lo: 0, Hi: maxFloat32, Double: true, DoubleULP: 1.5, define: one((*formula).rsqrt)},
	{Name: "round", Lo: -maxFloat32, Hi: maxFloat32, Double: true, define: one((*formula).round), Note: "exact"},
	{
		Name: "pow", ULP: 2.25, Lo: -(1 << 31), Hi: 1 << 31, Double: true, DoubleULP: 2.25,
		define: func(m *formula, x []tir.Expr) tir.Expr { return m.pow(x[0], x[1]) },
		Note:   "for the constant exponents -2, -1, -0.5, 0.25, 0.5, 0.75, 1, 1.5, 2, 3 and 4, and bases not below 2^-31; others stay calls",
	},
	{
		Name: "ldexp", ULP: 0.5, Lo: -maxFloat32, Hi: maxFloat32, Double: true, DoubleULP: 0.5,
		define: func(m *formula, x []tir.Expr) tir.Expr { return m.ldexp(x[0], x[1]) },
		Note:   "exact where the result is not subnormal; the exponent is an integer, or a number that is rounded down, and finite",
	},
	{
		Name: "fma", ULP: 1, Lo: -maxFloat32, Hi: maxFloat32, Double: true, DoubleULP: 1,
		define: func(m *formula, x []tir.Expr) tir.Expr { return m.add(m.mul(x[0], x[1]), x[2]) },
		Note:   "a product and a sum, each rounded; the bound holds where they do not cancel",
	},
}

func one(f func(*formula, tir.Expr) tir.Expr) func(*formula, []tir.Expr) tir.Expr {
	return func(m *formula, x []tir.Expr) tir.Expr { return f(m, x[0]) }
}

var byName = func() map[string]*Func {
	out := make(map[string]*Func, len(funcs))
	for _, f := range funcs {
		out[f.Name] = f
	}
	return out
}()

// Funcs returns all functions with a definition.
func Funcs() []*Func { return append([]*Func(nil), funcs...) }

// Lookup returns the function that an intrinsic ("tir.exp") computes, nil if it has no
// definition here.
func Lookup(op *ir.Op) *Func {
	name, ok := strings.CutPrefix(op.Name, "tir.")
	if !ok {
		return nil
	}
	return byName[name]
}

// Expand returns the value of a call of f on args, whose types must be that of the call or
// scalars of its element type; nil where f is not defined for the type or the arguments. Values
// that are used more than once are given to bind, in the order in which they are computed. native
// tells what the target computes itself.
func (f *Func) Expand(call *tir.Call, args []tir.Expr, native func(name string) bool, bind Bind) tir.Expr {
	d := call.Type
	whole := f.Name == "pow" && d.IsInteger()
	if !whole && (!d.IsFloat() || d.Bits == 64 && !f.Double || d.Bits > 64) {
		return nil
	}
	base := call.Meta()
	to := d
	if d.Bits < 32 && !whole {
		to = dtype.Float32T.LikeVector(d)
	}
	x := make([]tir.Expr, len(args))
	for i, a := range args {
		if a.DType().IsInteger() && i == 1 && f.Name == "ldexp" {
			a = &tir.Cast{Base: base, Type: d.Elem().LikeVector(a.DType()), Value: a}
		}
		if a.DType().Elem() != d.Elem() {
			return nil
		}
		if a.DType().Lanes == 1 && d.Lanes > 1 {
			a = &tir.Broadcast{Base: base, Value: a, Lanes: int(d.Lanes), Scalable: d.Scalable}
		}
		x[i] = widen(base, a, to)
	}
	m := &formula{base: base, d: to, native: native, bind: bind}
	if whole {
		return m.expandPow(x[0], x[1])
	}
	out := f.define(m, x)
	if out == nil || to == d {
		return out
	}
	return &tir.Cast{Base: base, Type: d, Value: out}
}

// widen converts a to type d; a constant stays one.
func widen(base ir.Base, a tir.Expr, d dtype.DType) tir.Expr {
	if a.DType() == d {
		return a
	}
	switch a := a.(type) {
	case *tir.FloatImm:
		return &tir.FloatImm{Base: a.Base, Type: d, Value: a.Value}
	case *tir.Broadcast:
		if _, ok := a.Value.(*tir.FloatImm); ok {
			return &tir.Broadcast{Base: a.Base, Value: widen(base, a.Value, d.Elem()), Lanes: a.Lanes, Scalable: a.Scalable}
		}
	}
	return &tir.Cast{Base: base, Type: d, Value: a}
}

// Row is the row of f in the table of docs/math.md.
func (f *Func) Row() string {
	where := "all"
	switch {
	case f.Lo == 0:
		where = "x >= 0"
	case f.Hi == maxFloat32 && f.Lo > -maxFloat32:
		where = fmt.Sprintf("x >= %g", f.Lo)
	case f.Hi == 1<<31:
		where = "up to 2^31"
	case f.Hi < maxFloat32:
		where = fmt.Sprintf("%g to %g", f.Lo, f.Hi)
	}
	double := ""
	if f.Double {
		double = fmt.Sprint(f.DoubleULP)
	}
	return fmt.Sprintf("| `%s` | %g | %s | %s | %s |", f.Name, f.ULP, double, where, f.Note)
}
