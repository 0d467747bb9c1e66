package parse

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// failure is thrown to the statement that is being built. Its diagnostic has been added.
type failure struct{}

// fail reports an error at n and gives up the statement.
func (b *builder) fail(n *node, help, format string, args ...any) {
	b.d.add(n.at, n.end, fmt.Sprintf(format, args...), help)
	panic(failure{})
}

// guard runs f and reports whether it went through. Errors of the constructors of nodes,
// which expect what the builder has not checked, are reported at s.
func (b *builder) guard(s *stmt, f func()) (ok bool) {
	depth, graph, dims := b.depth, b.graph, b.dims
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		b.depth, b.graph, b.dims = depth, graph, dims
		if _, is := r.(failure); !is {
			if b.d.fn != "" || s.end > s.at {
				b.d.add(s.at, max(s.end, s.at+1), fmt.Sprintf("this statement makes no sense to the compiler: %v", r), "")
			}
		}
		ok = false
	}()
	f()
	return true
}

func (b *builder) span(n *node) ir.Base { return ir.Base{Span: b.d.span(n.at, n.end)} }

func (b *builder) stmtBase(s *stmt) ir.Base { return ir.Base{Span: b.d.span(s.at, s.end)} }

// toExpr turns a value into a loop-level expression; n is for errors.
func (b *builder) toExpr(v any, n *node) tir.Expr {
	switch v := v.(type) {
	case tir.Expr:
		return v
	case int64:
		d := b.intType
		if d == dtype.Int32T && (v > math.MaxInt32 || v < math.MinInt32) {
			d = dtype.Int64T
		}
		return &tir.IntImm{Base: b.span(n), Type: d, Value: v}
	case uint64:
		return &tir.IntImm{Base: b.span(n), Type: dtype.UInt64T, Value: int64(v)}
	case float64:
		return &tir.FloatImm{Base: b.span(n), Type: dtype.Float32T, Value: v}
	case bool:
		x := tir.Bool(v)
		x.Base = b.span(n)
		return x
	case string:
		if b.dims {
			return b.symbolic(v, n)
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
func (b *builder) expr(n *node) tir.Expr { return b.toExpr(b.eval(n), n) }

// exprOf is expr for a value that is stored or bound as type d: literals take the type.
func (b *builder) exprOf(v any, d dtype.DType, n *node) tir.Expr {
	switch x := v.(type) {
	case int64, uint64, float64, bool:
		if d.Lanes == 1 && (d.IsInteger() || d.IsFloat() || d.IsBool()) {
			return b.literal(d, x, n)
		}
	}
	return b.toExpr(v, n)
}

// literal returns the constant v of type d.
func (b *builder) literal(d dtype.DType, v any, n *node) tir.Expr {
	var out tir.Expr
	switch v := v.(type) {
	case int64:
		out = tir.Const(d, v)
	case uint64:
		out = tir.Const(d, int64(v))
	case bool:
		i := int64(0)
		if v {
			i = 1
		}
		out = tir.Const(d, i)
	case float64:
		if !d.IsFloat() {
			out = tir.Const(d, int64(v))
		} else {
			out = tir.FloatConst(d, v)
		}
	default:
		b.fail(n, "", "expected a number, got %s", describe(v))
	}
	setSpan(out, b.span(n))
	return out
}

// exprs evaluates a list of expressions; a single one is a list of one.
func (b *builder) exprs(n *node) []tir.Expr {
	if n == nil {
		return nil
	}
	return b.toExprs(b.eval(n), n)
}

func (b *builder) toExprs(v any, n *node) []tir.Expr {
	switch x := v.(type) {
	case nil:
		return nil
	case *list:
		out := make([]tir.Expr, len(x.items))
		for i, it := range x.items {
			at := n
			if len(n.kids) == len(x.items) && (n.kind == nTuple || n.kind == nList) {
				at = n.kids[i]
			}
			out[i] = b.toExpr(it, at)
		}
		return out
	case *relax.ShapeExpr:
		return x.Values
	}
	return []tir.Expr{b.toExpr(v, n)}
}

// intOf evaluates n to an integer known now.
func (b *builder) intOf(n *node, what string) int64 {
	v := b.eval(n)
	if i, ok := asInt(v); ok {
		return i
	}
	b.fail(n, "", "expected %s, an integer, got %s", what, describe(v))
	return 0
}

func asInt(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	case *tir.IntImm:
		return x.Value, true
	case *relax.PrimValue:
		return asInt(x.Value)
	}
	return 0, false
}

func (b *builder) strOf(n *node, what string) string {
	switch v := b.eval(n).(type) {
	case string:
		return v
	case *tir.StringImm:
		return v.Value
	case *relax.StringImm:
		return v.Value
	case poison:
		panic(failure{})
	default:
		b.fail(n, "", "expected %s, a string, got %s", what, describe(v))
	}
	return ""
}

func (b *builder) dtypeOf(n *node) dtype.DType {
	v := b.eval(n)
	switch x := v.(type) {
	case string:
		d, err := dtype.Parse(x)
		if err != nil {
			b.fail(n, "", "%v", err)
		}
		return d
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

// dtypeName reads the name of a type as it stands behind "T.".
func dtypeName(s string) (dtype.DType, bool) {
	switch s {
	case "boolean":
		return dtype.BoolT, true
	case "", "void":
		return dtype.Void, false
	}
	d, err := dtype.Parse(s)
	return d, err == nil
}

// describe names a value in an error.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return strconv.Quote(x)
	case *list:
		if x.tuple {
			return fmt.Sprintf("a tuple of %d values", len(x.items))
		}
		return fmt.Sprintf("a list of %d values", len(x.items))
	case *dict:
		return "a dictionary"
	case namespace:
		return x.path
	case *tir.Buffer:
		return "the buffer " + x.Name
	case *tir.Var:
		return "the variable " + x.Name
	case *relax.Var:
		return "the variable " + x.Name
	case *tir.BufferRegion:
		return "a region of a buffer"
	case tir.Expr:
		return "an expression of type " + x.DType().String()
	case relax.StructInfo:
		return "struct info"
	case *ir.GlobalVar:
		return "the function " + x.Name
	case relax.Expr:
		return "a graph-level value"
	case moduleRef:
		return "the module"
	case *frame:
		return "a statement"
	}
	return fmt.Sprintf("%T", v)
}
