package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// ContractFMA makes one call of fma of a product and the sum or difference that it is an operand of.
var ContractFMA = &pass.Pass{
	Name: "tir.ContractFMA", Kind: pass.PrimFunc,
	Doc: "Replaces a*b + c, c - a*b and a*b - c of float32 and float64 by fma, which rounds once, where the target has an instruction for it and " +
		"its own code generator takes the function. A quotient of float32 by a constant that is rounded to an integer and limited, as in quantizations, becomes a product with the reciprocal in two parts where that gives the same integers.",
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			own := targetOf(f, t)
			if !own.HasMath("fma") {
				return f, nil
			}
			x := &contractor{observed: c.Observed()}
			x.m.Expr, x.m.Stmt = x.expr, func(s tir.Stmt) tir.Stmt { return x.m.MapStmt(s) }
			body := x.m.MapStmt(f.Body)
			if body == f.Body {
				return f, nil
			}
			if reason := refusal(c, f, own); reason != "" {
				c.Declined("contract", f, "another generator makes the code of this function, as the one for "+own.Kind().Name+" does not take it: "+reason)
				return f, nil
			}
			for _, r := range x.done {
				c.Rewrite(r.name, r.before, r.after)
			}
			return f.WithBody(body), nil
		})(c, m)
	},
}

// refusal is why the generator for a target does not take f, or "". Of a kernel that MakePackedAPI has not come to, nobody knows yet.
func refusal(c *pass.Context, f *tir.PrimFunc, t target.Target) string {
	if c.Generators == nil || ir.GlobalSymbol(f) != "" && f.Attrs.Int(ir.AttrCallingConv, -1) < 0 {
		return ""
	}
	return c.Generators.Refuses(f, t)
}

// contractor finds products that are added or subtracted.
type contractor struct {
	m        tir.Mapper
	observed bool
	effects  int // calls met so far that do more than compute
	steps    int // functions around the expression that take steps
	done     []contraction
}

type contraction struct {
	name          string
	before, after tir.Expr
}

func (x *contractor) expr(e tir.Expr) tir.Expr {
	before := x.effects
	if stepped(e) {
		x.steps++
		defer func() { x.steps-- }()
	}
	out := x.m.MapExpr(e)
	switch n := out.(type) {
	case *tir.Call:
		if tir.CallEffect(n) > tir.ReadState {
			x.effects++
		}
	case *tir.Binary:
		if x.effects != before { // the order of what they do would be another
			return out
		}
		if call, name := contract(n); call != nil && x.steps == 0 {
			return x.becomes(name, e, call)
		}
		if product, name := contractQuotient(n); product != nil {
			return x.becomes(name, e, product)
		}
	}
	return out
}

// stepped reports whether e jumps where its operand moves a little, so that another rounding might choose another element.
func stepped(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Cast:
		return e.DType().IsInteger()
	case *tir.Call:
		switch e.Op {
		case tir.OpFloor, tir.OpCeil, tir.OpTrunc, tir.OpRound, tir.OpNearbyint:
			return true
		}
	}
	return false
}

// becomes notes a rewrite.
func (x *contractor) becomes(name string, before, after tir.Expr) tir.Expr {
	if x.observed {
		x.done = append(x.done, contraction{name, before, after})
	}
	return after
}

// contract returns the fma that a sum or difference is, and what to call the rewrite; nil where neither operand is a product. Of two products the first is taken,
// and the other is the summand.
func contract(n *tir.Binary) (*tir.Call, string) {
	if d := n.DType(); !d.IsFloat() || d.Bits != 32 && d.Bits != 64 || n.Op != tir.OpAdd && n.Op != tir.OpSub {
		return nil, ""
	}
	fma := func(p *tir.Binary, a, c tir.Expr) *tir.Call {
		return &tir.Call{Base: n.Base, Type: n.DType(), Op: tir.OpFma, Args: []tir.Expr{a, p.B, c}}
	}
	a, b := productOf(n.A), productOf(n.B)
	switch {
	case a != nil && n.Op == tir.OpAdd:
		return fma(a, a.A, n.B), "fuse a product and a sum"
	case a != nil:
		return fma(a, a.A, minus(n.B)), "fuse a product and what is subtracted"
	case b != nil && n.Op == tir.OpAdd:
		return fma(b, b.A, n.A), "fuse a sum and a product"
	case b != nil:
		return fma(b, minus(b.A), n.A), "fuse a difference and a product"
	}
	return nil, ""
}

func productOf(e tir.Expr) *tir.Binary {
	if p, ok := e.(*tir.Binary); ok && p.Op == tir.OpMul {
		return p
	}
	return nil
}

// minus is -e, written as a product with -1, which is exact: 0 - e has another sign where e is 0. Generators have instructions that do it for nothing.
func minus(e tir.Expr) tir.Expr {
	switch n := e.(type) {
	case *tir.FloatImm:
		return &tir.FloatImm{Base: n.Base, Type: n.Type, Value: -n.Value}
	case *tir.Broadcast:
		return &tir.Broadcast{Base: n.Base, Value: minus(n.Value), Lanes: n.Lanes, Scalable: n.Scalable}
	}
	return tir.BinaryAt(e.Meta(), tir.OpMul, e, tir.FloatConst(e.DType(), -1))
}
