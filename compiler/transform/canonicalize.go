package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CanonicalizeBindings removes bindings that only give another name.
var CanonicalizeBindings = &pass.Pass{
	Name: "CanonicalizeBindings", Kind: pass.Sequential,
	Doc: "Removes bindings that only give another name to what has one: of symbolic variables first, then of values.",
	Children: []*pass.Pass{
		{
			Name: "CanonicalizeTIRVariables", Level: 1, Kind: pass.Function,
			Doc: "Replaces symbolic variables that a match_cast defines by the expressions that they are known to equal.",
			Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
				return canonicalizeSymbols(c, f), nil
			}),
		},
		{
			Name: "CanonicalizeRelaxBindings", Level: 1, Kind: pass.Function,
			Doc: "Substitutes trivial bindings (y = x), match casts to what is known already, and fields of tuples that are built in sight, and makes dataflow outputs that nothing outside uses local.",
			Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
				return canonicalizeBindings(c, f), nil
			}),
		},
	},
}

// canonicalizer substitutes in one sweep. A field of a tuple outlives the variable that it was
// made of where that is killed, so such fields are still taken from the tuple.
type canonicalizer struct {
	ctx     *pass.Context
	sub     map[*relax.Var]relax.Expr // what a variable is replaced by, at uses
	renamed map[*relax.Var]*relax.Var // what it is replaced by where it is bound
	tuples  map[*relax.Var]*relax.Tuple
	killed  map[*relax.Var]bool
	m       relax.Mapper
}

// canonicalizeBindings sweeps until nothing changes: a name that goes may have been the last
// use of an output outside its block. Two sweeps are the rule.
func canonicalizeBindings(c *pass.Context, f *relax.Function) *relax.Function {
	const maxSweeps = 16
	for range maxSweeps {
		out := canonicalizeOnce(c, f)
		if out == f {
			break
		}
		f = out
	}
	return f
}

func canonicalizeOnce(ctx *pass.Context, f *relax.Function) *relax.Function {
	c := &canonicalizer{ctx: ctx, sub: map[*relax.Var]relax.Expr{}, renamed: map[*relax.Var]*relax.Var{}, tuples: map[*relax.Var]*relax.Tuple{}, killed: killedVars(f)}
	outer := outerUses(f)
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) { c.plan(blk, b, outer) })
	c.m = relax.Mapper{Expr: c.expr, Block: c.block, Var: c.define}
	return c.m.MapFunction(f)
}

// plan decides what becomes of the outputs of a dataflow block before the sweep comes to
// their definitions. One that nothing outside uses becomes local. One that only names a
// local variable gives that its name: gv = lv makes lv itself gv.
func (c *canonicalizer) plan(blk *relax.BindingBlock, b relax.Binding, outer map[*relax.Var]bool) {
	v := b.Bound()
	if !blk.Dataflow || v.Dataflow {
		return
	}
	if !outer[v] {
		local := *v
		local.Dataflow = true
		c.renamed[v] = &local
		c.ctx.Rewrite("make an output local", v, &local)
		return
	}
	vb, ok := b.(*relax.VarBinding)
	if !ok {
		return
	}
	if x, ok := vb.Value.(*relax.Var); ok && x.Dataflow && c.renamed[x] == nil && sameInfo(x, v) {
		c.renamed[x] = v
		c.ctx.Rewrite("give an output's name to its value", x, v)
	}
}

func sameInfo(x, v *relax.Var) bool {
	return x.SInfo != nil && (v.SInfo == nil || relax.EqualSInfo(x.SInfo, v.SInfo))
}

// outerUses returns the variables that are used outside of the block that binds them.
func outerUses(f *relax.Function) map[*relax.Var]bool {
	out := map[*relax.Var]bool{}
	home := map[*relax.Var]*relax.BindingBlock{}
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) { home[b.Bound()] = blk })
	var scan func(s *relax.SeqExpr)
	scan = func(s *relax.SeqExpr) {
		for _, blk := range s.Blocks {
			for _, b := range blk.Bindings {
				switch v := b.BoundValue().(type) {
				case *relax.If:
					usedVars(v.Cond, func(x *relax.Var) { out[x] = true })
					scan(v.Then)
					scan(v.Else)
				case *relax.Function:
					scan(v.Body)
				default:
					usedVars(v, func(x *relax.Var) {
						if home[x] != blk {
							out[x] = true
						}
					})
				}
			}
		}
		usedVars(s.Body, func(x *relax.Var) { out[x] = true })
	}
	scan(f.Body)
	return out
}

func (c *canonicalizer) define(v *relax.Var) *relax.Var {
	if x := c.renamed[v]; x != nil {
		return x
	}
	return v
}

// resolve follows substitutions of v to what stands in its place.
func (c *canonicalizer) resolve(v *relax.Var) relax.Expr {
	var e relax.Expr = v
	for {
		x, ok := e.(*relax.Var)
		if !ok {
			return e
		}
		if y, ok := c.sub[x]; ok {
			e = y
		} else if y := c.renamed[x]; y != nil {
			e = y
		} else {
			return e
		}
	}
}

func (c *canonicalizer) expr(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Var:
		return c.resolve(e)
	case *relax.SeqExpr:
		return mapSeq(&c.m, e)
	case *relax.TupleGetItem:
		out := c.m.MapExpr(e).(*relax.TupleGetItem)
		if v, ok := out.Tuple.(*relax.Var); ok {
			if t := c.tuples[v]; t != nil && out.Index < len(t.Fields) && !c.dies(t.Fields[out.Index]) {
				c.ctx.Rewrite("take a field from its tuple", e, t.Fields[out.Index])
				return t.Fields[out.Index]
			}
		}
		return out
	}
	return c.m.MapExpr(e)
}

// dies reports whether e uses a variable that is killed somewhere.
func (c *canonicalizer) dies(e relax.Expr) bool {
	if len(c.killed) == 0 {
		return false
	}
	found := false
	usedVars(e, func(v *relax.Var) { found = found || c.killed[v] })
	return found
}

func (c *canonicalizer) block(b *relax.BindingBlock) *relax.BindingBlock {
	var out []relax.Binding
	changed := false
	for i, x := range b.Bindings {
		y := c.m.MapBinding(x)
		keep := !c.trivial(y, b.Dataflow)
		if t, ok := y.BoundValue().(*relax.Tuple); ok && keep {
			c.tuples[y.Bound()] = t
		}
		if !changed && keep && y == x {
			continue
		}
		if !changed {
			changed = true
			out = append([]relax.Binding{}, b.Bindings[:i]...)
		}
		if keep {
			out = append(out, y)
		}
	}
	if !changed {
		return b
	}
	nb := *b
	nb.Bindings = out
	return &nb
}

// trivial records that the variable of y is another name for a value that is in scope
// wherever the variable is, and returns true if the binding can go.
func (c *canonicalizer) trivial(y relax.Binding, dataflow bool) bool {
	v := y.Bound()
	if mc, ok := y.(*relax.MatchCast); ok {
		have := relax.SInfoOf(mc.Value)
		if have == nil || !relax.EqualSInfo(have, mc.SInfo) {
			return false
		}
	}
	x, ok := y.BoundValue().(*relax.Var)
	if !ok {
		return false
	}
	if x == v {
		c.ctx.Rewrite("remove a binding that renames", y, nil)
		return true // the variable that it named has taken its place
	}
	if !sameInfo(x, v) || dataflow && !v.Dataflow && x.Dataflow {
		if c.ctx.Observed() {
			c.ctx.Declined("remove a binding that renames", y, whyNamed(x, v))
		}
		return false // what an output of a block names must be visible outside
	}
	c.sub[v] = x
	c.ctx.Rewrite("use the value in place of its other name", y, x)
	return true
}

// whyNamed says what keeps v as another name of x.
func whyNamed(x, v *relax.Var) string {
	if !sameInfo(x, v) {
		return "the name has other struct info than the value"
	}
	return "the name is an output of its block and the value is local"
}
