package parse

import (
	"fmt"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// failure is thrown to the statement that is being built. Its diagnostic has been added.
type failure struct{}

// fail reports an error at n and gives up the statement.
func (b *builder) fail(n *syntax.Node, help, format string, args ...any) {
	b.failAt(n.At, n.End, help, format, args...)
}

// failAt is fail for a range of the text.
func (b *builder) failAt(at, end int32, help, format string, args ...any) {
	b.d.Add(at, end, fmt.Sprintf(format, args...), help)
	panic(failure{})
}

// guard runs f and reports whether it went through. A panic that is not a failure is a fault of ours
// and reported as such, at s.
func (b *builder) guard(s *syntax.Stmt, f func()) (ok bool) {
	if b.stopped || b.d.Full() {
		return false
	}
	depth, graph, dims := b.depth, b.graph, b.dims
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		b.depth, b.graph, b.dims = depth, graph, dims
		if stop, is := r.(*budget.Stop); is {
			b.stopped = true
			b.d.Add(s.At, max(s.End, s.At+1), stop.Error(), "write out less in one text")
		} else if _, is := r.(failure); !is {
			b.internal(s.At, max(s.End, s.At+1), r)
		}
		ok = false
	}()
	f()
	return true
}

// internalError starts the message of an error that is ours, not of the text.
const internalError = "internal error: "

// internal reports a panic of ours while a range of the text was read.
func (b *builder) internal(at, end int32, panicked any) {
	b.d.Add(at, end, internalError+fmt.Sprint(panicked), "this is a bug of the compiler, whatever the text says: please report it with the text")
}

func (b *builder) span(n *syntax.Node) ir.Base { return b.line(b.spans.span(n.At, n.End)) }

func (b *builder) stmtBase(s *syntax.Stmt) ir.Base { return b.line(b.spans.span(s.At, s.End)) }

// toExpr turns a value into a loop-level expression; n is for errors.
func (b *builder) toExpr(v any, n *syntax.Node) tir.Expr {
	switch v := v.(type) {
	case tir.Expr:
		return v
	case int64:
		d := b.intType
		if d == dtype.Int32T && (v > math.MaxInt32 || v < math.MinInt32) {
			d = dtype.Int64T
		}
		return newOf(&b.nodes.ints, tir.IntImm{Base: b.span(n), Type: d, Value: v})
	case uint64:
		return &tir.IntImm{Base: b.span(n), Type: dtype.UInt64T, Value: int64(v)}
	case float64:
		return &tir.FloatImm{Base: b.span(n), Type: b.floatType, Value: v}
	case bool:
		x := tir.Bool(v)
		x.Base = b.span(n)
		return x
	case string:
		if b.dims {
			return b.dim(v, n)
		}
		return &tir.StringImm{Base: b.span(n), Value: v}
	case fresh:
		return v.v
	case metaVar:
		return b.toExpr(v.v, n)
	case *tir.IterVar:
		return v.Var
	case *tir.BufferRegion:
		return b.regionLoad(v, n)
	case *relax.PrimValue:
		return v.Value
	case *tir.Buffer:
		if len(v.Shape) == 0 {
			return &tir.BufferLoad{Base: b.span(n), Buffer: v}
		}
		b.fail(n, "read an element of it, or use its .data", "expected a value, got the buffer %s", v.Name)
	case poison:
		panic(failure{})
	}
	b.fail(n, "", "expected a scalar expression, got %s", describe(v))
	return nil
}

// expr evaluates n to a loop-level expression.
func (b *builder) expr(n *syntax.Node) tir.Expr { return b.toExpr(b.eval(n), n) }

// exprOf is expr for a value that is stored or bound as type d: literals take the type.
func (b *builder) exprOf(v any, d dtype.DType, n *syntax.Node) tir.Expr {
	switch x := v.(type) {
	case int64, uint64, float64, bool:
		if d.Lanes == 1 && (d.IsInteger() || d.IsFloat() || d.IsBool()) {
			return b.literal(d, x, n)
		}
	}
	return b.toExpr(v, n)
}

// literal returns the constant v of type d.
func (b *builder) literal(d dtype.DType, v any, n *syntax.Node) tir.Expr {
	var out tir.Expr
	switch v := v.(type) {
	case uint64:
		out = tir.Const(d, int64(v))
	case float64:
		if d.IsFloat() {
			out = tir.FloatConst(d, v)
		} else {
			out = tir.Const(d, int64(v))
		}
	default:
		i, ok := asPythonInt(v)
		if !ok {
			b.fail(n, "", "expected a number, got %s", describe(v))
		}
		out = tir.Const(d, i)
	}
	setSpan(out, b.span(n))
	return out
}

// exprs evaluates a list of expressions; a single one is a list of one.
func (b *builder) exprs(n *syntax.Node) []tir.Expr {
	if n == nil {
		return nil
	}
	return b.toExprs(b.eval(n), n)
}

func (b *builder) toExprs(v any, n *syntax.Node) []tir.Expr {
	switch x := v.(type) {
	case nil:
		return nil
	case *list:
		out := make([]tir.Expr, len(x.items))
		for i, it := range x.items {
			out[i] = b.toExpr(it, part(n, i, len(x.items)))
		}
		return out
	case *relax.ShapeExpr:
		return x.Values
	}
	return []tir.Expr{b.toExpr(v, n)}
}

func asInt(v any) (int64, bool) {
	switch x := v.(type) {
	case *tir.IntImm:
		return x.Value, true
	case *relax.PrimValue:
		return asInt(x.Value)
	}
	return asPythonInt(v)
}

// toType returns an element type: of a string, or a name such as T.float32.
func (b *builder) toType(v any, n *syntax.Node) dtype.DType {
	switch x := v.(type) {
	case string:
		if x == "" {
			return dtype.Void
		}
		return b.parseType(x, n)
	case dtype.DType:
		return x
	case namespace:
		if d, ok := dtypeName(strings.TrimPrefix(x.path, "T.")); ok {
			return d
		}
	case *relax.DataTypeImm:
		return x.Value
	case nil:
		return dtype.Void
	}
	b.fail(n, `element types are strings such as "float32"`, "expected an element type, got %s", describe(v))
	return dtype.Void
}

// olderTypes are element types under the names that they had in older versions.
var olderTypes = map[string]dtype.DType{
	"e4m3_float8": {Code: dtype.Float8E4M3FN, Bits: 8, Lanes: 1}, "e5m2_float8": {Code: dtype.Float8E5M2, Bits: 8, Lanes: 1},
}

// parseType reads the name of an element type.
func (b *builder) parseType(s string, n *syntax.Node) dtype.DType {
	if d, ok := olderTypes[s]; ok {
		return d
	}
	d, err := dtype.Parse(s)
	if err == nil {
		return d
	}
	help := "element types are float32, float16, int64, int8, uint8, bool and the like, and vectors such as float32x4"
	known := strings.Fields("float64 float32 float16 bfloat16 int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool handle")
	best := map[string]string{"float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "boolean": "bool"}[s]
	if best == "" {
		best = near(s, known)
	}
	switch {
	case best != "":
		help = "did you mean " + best + "?"
	}
	b.fail(n, help, "unknown element type %q", s)
	return d
}

// dtypeName reads the name of a type as it stands behind "T.".
func dtypeName(s string) (dtype.DType, bool) {
	if !strings.ContainsAny(s, "0123456789") && s != "bool" && s != "handle" && s != "boolean" {
		return dtype.Void, false // most names of T; an error would have to be made for each
	}
	if d, ok := olderTypes[s]; ok {
		return d, true
	}
	if s == "boolean" {
		return dtype.BoolT, true
	}
	d, err := dtype.Parse(s)
	return d, err == nil
}
