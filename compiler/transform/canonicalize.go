package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
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
				return canonicalizeVariables(c, f)
			}),
		},
		{
			Name: "CanonicalizeRelaxBindings", Level: 1, Kind: pass.Function,
			Doc: "Substitutes trivial bindings (y = x), constants, match casts to what is known already, and fields of tuples that are built in sight, and makes dataflow outputs that nothing outside uses local.",
			Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
				constants := constantVars(f) // not those that outputs get in the place of another name, as in TVM
				out, err := sweepBindings(c, c.Step().Input, f, constants)
				if err != nil || len(constants) == 0 {
					return out, err
				}
				return useConstants(c, c.Step().Input, out, constants)
			}),
		},
	},
}

// canonicalizer substitutes in one sweep. A field of a tuple outlives the variable that it was
// made of where that is killed, so such fields are still taken from the tuple; and a field that is killed
// leaves alive what it was made of, so it does not become another name of that.
type canonicalizer struct {
	ctx      *pass.Context
	renamed  map[*relax.Var]*relax.Var // what it is replaced by where it is bound
	tuples   map[*relax.Var]builtTuple
	killed   map[*relax.Var]bool
	constant map[*relax.Var]*relax.Constant // what is to be replaced by a constant later
	block    *relax.BindingBlock            // that is visited
	m        *relax.ExprMutator
}

// builtTuple is a tuple that is built in sight, and the block that does.
type builtTuple struct {
	*relax.Tuple
	block *relax.BindingBlock
}

// canonicalizeBindings does what CanonicalizeRelaxBindings does, but for constants.
func canonicalizeBindings(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	return sweepBindings(c, m, f, nil)
}

// sweepBindings sweeps until nothing changes: a name that goes may have been the last use of
// an output outside its block. Two sweeps are the rule. Fields that are constants stay fields
// where they are replaced later.
func sweepBindings(c *pass.Context, m *ir.Module, f *relax.Function, constants map[*relax.Var]*relax.Constant) (*relax.Function, error) {
	const maxSweeps = 16
	for range maxSweeps {
		out, err := canonicalizeOnce(c, m, f, constants)
		if err != nil || out == f {
			return out, err
		}
		f = out
	}
	return f, nil
}

func canonicalizeOnce(ctx *pass.Context, m *ir.Module, f *relax.Function, constants map[*relax.Var]*relax.Constant) (*relax.Function, error) {
	c := &canonicalizer{
		ctx: ctx, m: op.NewExprMutator(m), constant: constants, killed: killedVars(f),
		renamed: map[*relax.Var]*relax.Var{}, tuples: map[*relax.Var]builtTuple{},
	}
	outer := outerUses(f)
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) { c.plan(blk, b, outer) })
	c.m.Expr, c.m.Binding, c.m.VarDef = c.expr, c.binding, c.define
	c.m.Block = func(b *relax.BindingBlock) {
		outer := c.block
		c.block = b
		c.m.VisitBlock(b)
		c.block = outer
	}
	return c.m.Function(f)
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
		c.renamed[v] = v.WithDataflow(true)
		c.ctx.Rewrite("make an output local", v, c.renamed[v])
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

func (c *canonicalizer) expr(e relax.Expr) relax.Expr {
	out := c.m.VisitExpr(e)
	if get, ok := out.(*relax.TupleGetItem); ok {
		v, _ := get.Tuple.(*relax.Var)
		if t, ok := c.tuples[v]; ok && get.Index < len(t.Fields) {
			if x := t.Fields[get.Index]; !c.later() && !c.dies(x) && !c.diesHere() && (t.block == c.block || !local(x)) {
				c.ctx.Rewrite("take a field from its tuple", e, x)
				return x
			}
		}
	}
	return out
}

// later reports whether what is being bound is a constant that takes the place of its name later.
func (c *canonicalizer) later() bool { return c.m.At() != nil && c.constant[c.m.At().Bound()] != nil }

// diesHere reports whether what is being bound is killed: if it became another name for a value, that would be killed with it.
func (c *canonicalizer) diesHere() bool { return c.m.At() != nil && c.killed[c.m.At().Bound()] }

// local reports whether e uses what only its block sees: an output that became local may be a field of another one.
func local(e relax.Expr) bool {
	found := false
	usedVars(e, func(v *relax.Var) { found = found || v.Dataflow })
	return found
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

func (c *canonicalizer) binding(b relax.Binding) {
	y := c.m.MapBinding(b)
	if c.trivial(b.Bound(), y) {
		return
	}
	y = c.inferred(b, y)
	if t, ok := y.BoundValue().(*relax.Tuple); ok {
		c.tuples[y.Bound()] = builtTuple{t, c.block}
	}
	c.m.EmitNormalized(y)
}

// inferred gives the variable of y, which was b before, the struct info of a tuple that has changed: more may be known of its fields than b said.
func (c *canonicalizer) inferred(b, y relax.Binding) relax.Binding {
	vb, ok := y.(*relax.VarBinding)
	if !ok || vb.Value == b.BoundValue() {
		return y
	}
	if _, ok := vb.Value.(*relax.Tuple); !ok {
		return y
	}
	info := c.m.Builder().Context().SInfoOf(vb.Value)
	if info == nil || relax.EqualSInfo(info, vb.Var.SInfo) {
		return y
	}
	v := vb.Var.WithSInfo(info)
	c.m.Remap(b.Bound(), v)
	c.m.Remap(vb.Var, v)
	return vb.WithVar(v)
}

func (c *canonicalizer) inDataflow() bool { return c.block != nil && c.block.Dataflow }

// trivial records that the variable of y, which was old before, is another name for a value that is in scope
// wherever the variable is, and returns true if the binding can go.
func (c *canonicalizer) trivial(old *relax.Var, y relax.Binding) bool {
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
	if !sameInfo(x, v) || c.inDataflow() && !v.Dataflow && x.Dataflow {
		if c.ctx.Observed() {
			c.ctx.Declined("remove a binding that renames", y, whyNamed(x, v))
		}
		return false // what an output of a block names must be visible outside
	}
	c.m.Remap(old, x)
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
