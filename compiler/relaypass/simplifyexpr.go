package relaypass

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxSweeps is how often SimplifyExpr goes over a function, as in TVM.
const maxSweeps = 100

// SimplifyExpr replaces expressions by simpler ones until no rule applies.
var SimplifyExpr = &pass.Pass{
	Name: "relay.SimplifyExpr", Level: 0, Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces expressions by simpler ones until nothing changes: operators named _like by those of a known shape, reshapes, transposes and casts in a row by one or none, neutral operands, constants that meet, x+x, quotients of roots, clips of what is in range, and squares of sums.",
	Run: pass.EachRelax(simplifyBy(concretize, doubled, rootDivisor, identity, reshapes, transposes, casts, filled, meetingConstants, argOfDequantized, clipsAndCasts, binomial)),
}

// SimplifyExprPostAlterOp is SimplifyExpr with the rules for what AlterOpLayout leaves.
var SimplifyExprPostAlterOp = &pass.Pass{
	Name: "relay.SimplifyExprPostAlterOp", Level: 0, Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces what is often left where layouts were changed, until nothing changes: neutral operands, reshapes and casts in a row by one or none, and clips of what is in range. It has these rules of SimplifyExpr and no others, since others would meet the layouts.",
	Run: pass.EachRelax(simplifyBy(identity, reshapes, casts, clipsAndCasts)),
}

// simplifyRule returns what takes the place of a call, nil if the rule does not apply.
type simplifyRule func(s *site, c *relax.Call) relax.Expr

// simplifyBy applies rules, in the order of TVM, until none does or maxSweeps is reached.
func simplifyBy(rules ...simplifyRule) func(*pass.Context, *ir.GlobalVar, *relax.Function) (*relax.Function, error) {
	simplify := func(s *site) relax.Expr {
		c, ok := s.value.(*relax.Call)
		if !ok {
			return nil
		}
		for _, rule := range rules {
			if to := rule(s, c); to != nil {
				return to
			}
		}
		return nil
	}
	return func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		for range maxSweeps {
			out, err := rewriteOnce(c, "simplify", f, simplify)
			if err != nil || out == f {
				return out, err
			}
			f = out
		}
		return f, nil
	}
}

// dims are the extents of a tensor, if all are known.
func (s *site) dims(e relax.Expr) ([]int64, bool) {
	t := s.tensor(e)
	if t == nil {
		return nil, false
	}
	return t.StaticDims()
}

// alike reports whether two values are tensors of the same shape and element type.
func (s *site) alike(a, b relax.Expr) bool {
	x, y := s.ctx.SInfoOf(a), s.ctx.SInfoOf(b)
	return x != nil && y != nil && relax.EqualSInfo(x, y)
}

// constant returns the constant that e is or stands for, nil for others.
func (s *site) constant(e relax.Expr) *relax.Constant {
	c, _ := s.bound.Value(e).(*relax.Constant)
	return c
}

// number returns the value of a constant of one element.
func (s *site) number(e relax.Expr) (float64, bool) {
	c := s.constant(e)
	if c == nil || c.Data.NumElements() != 1 {
		return 0, false
	}
	return number(c.Data)
}

// callOf is a call of an operator by its name, with the defaults of the attributes that are not given. It panics if the operator has not those that are.
func callOf(name string, attrs *ir.Attrs, args ...relax.Expr) relax.Expr {
	c, err := op.New(name, args, attrs)
	if err != nil {
		panic(err)
	}
	return c
}

// concretize replaces what takes the shape or the element type of another tensor where that is known.
func concretize(s *site, c *relax.Call) relax.Expr {
	if isCall(c, "relay.cast_like") {
		if t := s.tensor(c); t != nil {
			return op.AsType(c.Args[0], t.DType)
		}
		return nil
	}
	d, ok := s.dims(c)
	if !ok {
		return nil
	}
	dt := s.tensor(c).DType
	switch {
	case isCall(c, "relay.zeros_like"):
		return callOf("relay.zeros", ir.NewAttrs("shape", d, "dtype", dt))
	case isCall(c, "relay.ones_like"):
		return callOf("relay.ones", ir.NewAttrs("shape", d, "dtype", dt))
	case isCall(c, "relay.full_like"):
		return callOf("relay.full", ir.NewAttrs("shape", d, "dtype", dt), c.Args[1])
	case isCall(c, "relay.reshape_like"):
		return op.Reshape(c.Args[0], relax.Ints(d)...)
	case isCall(c, "relay.broadcast_to_like"):
		return callOf("relay.broadcast_to", ir.NewAttrs("shape", d, "dtype", dtype.Void), c.Args[0])
	case isCall(c, "relax.collapse_sum_like"):
		var data []byte
		for _, n := range d {
			data = binary.LittleEndian.AppendUint32(data, uint32(n))
		}
		list, err := ir.NewBlob(dtype.Int32T, []int64{int64(len(d))}, data)
		if err != nil {
			return s.declined(err.Error())
		}
		return callOf("relay.collapse_sum_to", ir.NewAttrs("shape", d, "dtype", dtype.Void), c.Args[0], &relax.Constant{Data: list})
	}
	return nil
}

// doubled replaces x+x by x*2.
func doubled(s *site, c *relax.Call) relax.Expr {
	if !isCall(c, "relax.add") || c.Args[0] != c.Args[1] {
		return nil
	}
	if t := s.tensor(c); t != nil {
		if two, ok := numberOf(t.DType, 2); ok {
			return op.Multiply(c.Args[0], two)
		}
	}
	return nil
}

// rootDivisor replaces x/sqrt(y) by x*rsqrt(y).
func rootDivisor(s *site, c *relax.Call) relax.Expr {
	if !isCall(c, "relax.divide") {
		return nil
	}
	root := s.call(c.Args[1], "relax.sqrt")
	if root == nil {
		return nil
	}
	return op.Multiply(c.Args[0], op.Unary("rsqrt", root.Args[0]))
}

// identity drops neutral operands: zeros that are added or subtracted, ones by which is multiplied or divided.
func identity(s *site, c *relax.Call) relax.Expr {
	neutral, commutes := 0.0, true
	switch {
	case isCall(c, "relax.add"):
	case isCall(c, "relax.subtract"):
		commutes = false
	case isCall(c, "relax.multiply"):
		neutral = 1
	case isCall(c, "relax.divide"):
		neutral, commutes = 1, false
	default:
		return nil
	}
	is := func(e relax.Expr) bool {
		fill := map[float64]string{0: "relay.zeros", 1: "relay.ones"}[neutral]
		if s.call(e, fill, fill+"_like") != nil {
			return true
		}
		v, ok := s.number(e)
		return ok && v == neutral && len(s.constant(e).Data.Shape()) == 0
	}
	if is(c.Args[1]) && s.alike(c.Args[0], c) {
		return c.Args[0]
	}
	if commutes && is(c.Args[0]) && s.alike(c.Args[1], c) {
		return c.Args[1]
	}
	return nil
}

// reshapes makes one of two reshapes.
func reshapes(s *site, c *relax.Call) relax.Expr {
	names := []string{"relax.reshape", "relay.reshape", "relay.contrib_reverse_reshape"}
	outer := s.call(c, names...)
	if outer == nil {
		return nil
	}
	inner := s.call(c.Args[0], names...)
	d, ok := s.dims(c)
	if inner == nil || !ok {
		return nil
	}
	return op.Reshape(inner.Args[0], relax.Ints(d)...)
}

// filled passes the value of a tensor of one value to the arithmetic that takes it.
func filled(s *site, c *relax.Call) relax.Expr {
	if len(c.Args) != 2 || !isBroadcast(c) {
		return nil
	}
	t := s.tensor(c)
	if t == nil {
		return nil
	}
	value := func(e relax.Expr) (relax.Expr, bool) {
		if f := s.call(e, "relay.full", "relay.full_like"); f != nil {
			v := f.Args[len(f.Args)-1]
			k, of := s.constant(v), s.tensor(e)
			return v, k != nil && len(k.Data.Shape()) == 0 && of != nil && of.DType == k.Data.DType()
		}
		if s.call(e, "relay.ones", "relay.ones_like") != nil {
			return numberOf(t.DType, 1)
		}
		if s.call(e, "relay.zeros", "relay.zeros_like") != nil {
			return numberOf(t.DType, 0)
		}
		return nil, false
	}
	for i := range 2 {
		if v, ok := value(c.Args[i]); ok && s.alike(c.Args[1-i], c) {
			args := []relax.Expr{c.Args[0], c.Args[1]}
			args[i] = v
			return &relax.Call{Base: c.Base, Op: c.Op, Args: args, Attrs: c.Attrs}
		}
	}
	return nil
}

// isBroadcast reports whether an operator computes element by element of two tensors that broadcast.
func isBroadcast(c *relax.Call) bool {
	for _, name := range []string{"add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "floor_divide", "floor_mod", "mod"} {
		if isCall(c, "relax."+name) {
			return true
		}
	}
	return false
}

// argOfDequantized takes an index of the quantized values, whose order is that of the values if the scale is positive.
func argOfDequantized(s *site, c *relax.Call) relax.Expr {
	if s.call(c, "relay.argmax", "relay.argmin", "relay.argsort") == nil {
		return nil
	}
	dq := s.call(c.Args[0], "relay.qnn.dequantize")
	if dq == nil {
		return nil
	}
	if scale, ok := s.number(dq.Args[1]); !ok || scale <= 0 || math.IsInf(scale, 0) {
		return s.declined("the scale is not one positive number")
	}
	return &relax.Call{Base: c.Base, Op: c.Op, Args: []relax.Expr{dq.Args[0]}, Attrs: c.Attrs}
}

// numberOf is a constant of type dt, if dt has that number.
func numberOf(dt dtype.DType, v float64) (relax.Expr, bool) {
	if dt.IsFloat() {
		return scalar(dt, v), true
	}
	if !dt.IsInteger() || v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
		return nil, false
	}
	c := scalar(dt, v)
	got, ok := number(c.(*relax.Constant).Data)
	return c, ok && got == v
}
