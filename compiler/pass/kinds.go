package pass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// AttrSkipOptimization is the function attribute that keeps function passes away: a
// non-zero integer or true.
const AttrSkipOptimization = "SkipOptimization"

// AttrCodegen is the function attribute that names an external code generator; function
// passes leave such functions alone.
const AttrCodegen = "Codegen"

// RelaxFunc transforms one Relax function; see c.Step().Input for the module around it.
type RelaxFunc func(c *Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error)

// PrimFuncFunc transforms one PrimFunc; a nil result removes it from the module.
type PrimFuncFunc func(c *Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error)

// BlockFunc transforms one dataflow block.
type BlockFunc func(c *Context, b *relax.BindingBlock) (*relax.BindingBlock, error)

// EachRelax lifts f to the Relax functions of a module, but for those with
// SkipOptimization or an external code generator. All are computed from the input module.
func EachRelax(f RelaxFunc) RunFunc {
	return func(c *Context, m *ir.Module) (*ir.Module, error) {
		return ir.MapFuncs(m, func(gv *ir.GlobalVar, fn *relax.Function) (ir.Function, error) {
			if leftAlone(fn) {
				return fn, nil
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			out, err := f(c, gv, fn)
			c.Working("")
			if err == nil && out == nil {
				err = errors.New("a function pass must return a function")
			}
			if err != nil {
				return nil, c.inFunc(gv, err)
			}
			return out, nil
		})
	}
}

// leftAlone reports whether function passes leave fn alone.
func leftAlone(fn *relax.Function) bool {
	return fn.Attrs.Bool(AttrSkipOptimization, false) || fn.Attrs.Has(AttrCodegen)
}

// EachPrimFunc lifts f to the PrimFuncs of a module. All are computed from the input
// module.
func EachPrimFunc(f PrimFuncFunc) RunFunc {
	return func(c *Context, m *ir.Module) (*ir.Module, error) {
		return ir.MapFuncs(m, func(gv *ir.GlobalVar, fn *tir.PrimFunc) (ir.Function, error) {
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			c.budget = budget.New(c.ctx, FunctionSteps)
			out, err := f(c, gv, fn)
			c.Working("")
			if err != nil {
				return nil, c.inFunc(gv, err)
			}
			if out == nil {
				return nil, nil // not a nil *tir.PrimFunc in an interface
			}
			return out, nil
		})
	}
}

func (c *Context) inFunc(gv *ir.GlobalVar, err error) error {
	var pe *Error
	if errors.As(err, &pe) || c.step == nil {
		return err
	}
	return &Error{Step: c.step, Func: gv.Name, Err: err}
}

// EachDataflowBlock lifts f to the dataflow blocks of the Relax functions. It fails if f
// removes or replaces a variable that is visible outside the block ("global-scope Var") or a
// symbolic variable that a MatchCast declares.
func EachDataflowBlock(f BlockFunc) RunFunc {
	return EachRelax(func(c *Context, _ *ir.GlobalVar, fn *relax.Function) (*relax.Function, error) {
		var failed error
		m := &relax.Mapper{}
		m.Expr = func(e relax.Expr) relax.Expr {
			switch e.(type) {
			case *relax.SeqExpr, *relax.If, *relax.Function:
				return m.MapExpr(e)
			}
			return e
		}
		m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
			if failed != nil {
				return b
			}
			if !b.Dataflow {
				return m.MapBlock(b)
			}
			out, err := f(c, b)
			if err == nil && out == nil {
				err = errors.New("a dataflow block pass must return a block")
			}
			if err == nil && out != b {
				err = keepsScope(b, out)
			}
			if err != nil {
				failed = err
				return b
			}
			return out
		}
		out := m.MapFunction(fn)
		return out, failed
	})
}

// keepsScope checks that the block after still binds the variables of before that are
// visible outside, and still declares the symbolic variables of its match casts.
func keepsScope(before, after *relax.BindingBlock) error {
	bound := map[*relax.Var]bool{}
	declared := map[*tir.Var]bool{}
	for _, b := range after.Bindings {
		bound[b.Bound()] = true
		for _, v := range castVars(b) {
			declared[v] = true
		}
	}
	for _, b := range before.Bindings {
		if v := b.Bound(); !v.Dataflow && !bound[v] {
			return fmt.Errorf("a dataflow block pass must not remove or rewrite the global-scope Var %q", v.Name)
		}
		for _, v := range castVars(b) {
			if !declared[v] {
				return fmt.Errorf("a dataflow block pass must not remove or rewrite %q, a symbolic Var declared by a MatchCast", v.Name)
			}
		}
	}
	return nil
}

func castVars(b relax.Binding) []*tir.Var {
	mc, ok := b.(*relax.MatchCast)
	if !ok {
		return nil
	}
	var out []*tir.Var
	ir.Walk(mc.SInfo, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			out = append(out, v)
		}
		return true
	})
	return out
}

// NewFunctionPass returns a pass over Relax functions.
func NewFunctionPass(name string, level int, f RelaxFunc, required ...string) (*Pass, error) {
	return newPass(name, level, Function, f != nil, EachRelax(f), required)
}

// NewPrimFuncPass returns a pass over PrimFuncs.
func NewPrimFuncPass(name string, level int, f PrimFuncFunc, required ...string) (*Pass, error) {
	return newPass(name, level, PrimFunc, f != nil, EachPrimFunc(f), required)
}

// NewDataflowBlockPass returns a pass over dataflow blocks.
func NewDataflowBlockPass(name string, level int, f BlockFunc, required ...string) (*Pass, error) {
	return newPass(name, level, DataflowBlock, f != nil, EachDataflowBlock(f), required)
}
