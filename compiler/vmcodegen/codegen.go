package vmcodegen

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// Build emits the Relax functions of m into b. What was not lowered is an *Unlowered error
// that names the function, the variable, what is left and the pass that would lower it.
func Build(m *ir.Module, b *vm.Builder) error {
	for gv, fn := range m.Funcs() {
		if _, ok := fn.(*relax.Function); ok {
			b.DeclareFunction(gv.Name, vm.VMFunc)
		}
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		g := &generator{m: m, b: b, name: gv.Name, regs: map[*relax.Var]vm.Arg{}}
		if err := g.function(f); err != nil {
			return err
		}
	}
	return nil
}

type generator struct {
	m    *ir.Module
	b    *vm.Builder
	name string
	regs map[*relax.Var]vm.Arg
	next vm.Reg
	at   *relax.Var // variable being bound, for errors
}

func (g *generator) function(f *relax.Function) error {
	params := make([]string, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Name
		g.regs[p] = vm.Register(vm.Reg(i))
	}
	g.next = vm.Reg(len(f.Params))
	g.b.EmitFunction(g.name, len(f.Params), params)
	if f.Attrs.Bool(ir.AttrRunOnce, false) {
		if len(f.Params) > 0 {
			return fmt.Errorf("function %s has the attribute %s and %d parameters: what runs when the program is loaded has none", g.name, ir.AttrRunOnce, len(f.Params))
		}
		g.b.RunOnce()
	}
	if err := g.returned(f.Body); err != nil {
		return err
	}
	g.b.EndFunction(g.name)
	return nil
}

// register returns a as a register, copying constants into one.
func (g *generator) register(a vm.Arg) vm.Arg {
	if a.Kind() == vm.ArgReg {
		return a
	}
	dst := g.fresh()
	g.b.EmitCall("vm.builtin.copy", []vm.Arg{a}, dst)
	return vm.Register(dst)
}

func (g *generator) fresh() vm.Reg {
	g.next++
	return g.next - 1
}

func (g *generator) seq(s *relax.SeqExpr) (vm.Arg, error) {
	for _, blk := range s.Blocks {
		if blk.Dataflow {
			return 0, g.unlowered("a dataflow block", "ToNonDataflow")
		}
		for _, b := range blk.Bindings {
			g.at = b.Bound()
			a, err := g.value(b.BoundValue())
			if err != nil {
				return 0, err
			}
			if mc, ok := b.(*relax.MatchCast); ok {
				return 0, g.unlowered("match_cast to "+relax.FormatSInfo(mc.SInfo), "VMShapeLower")
			}
			g.regs[b.Bound()] = a
		}
	}
	g.at = nil
	return g.value(s.Body)
}

// value emits what computes e and returns where the result is: a register, a constant or an
// immediate.
func (g *generator) value(e relax.Expr) (vm.Arg, error) {
	switch e := e.(type) {
	case *relax.Var:
		a, ok := g.regs[e]
		if !ok {
			return 0, fmt.Errorf("function %s uses variable %s, which is not bound before it", g.name, e.Name)
		}
		return a, nil
	case *relax.Constant:
		return g.constant(e), nil
	case *relax.ShapeExpr:
		dims, ok := relax.StaticInts(e.Values)
		if !ok {
			return 0, g.unlowered("the symbolic shape "+relax.FormatDims(e.Values), "VMShapeLower")
		}
		return g.b.Shape(dims), nil
	case *relax.PrimValue:
		if n, ok := tir.AsInt(e.Value); ok {
			return g.b.Int(n), nil
		}
		if f, ok := e.Value.(*tir.FloatImm); ok {
			return g.b.Float(f.Value), nil
		}
		return 0, g.unlowered("the scalar "+relax.FormatPrim(e.Value), "ComputePrimValue", "VMShapeLower")
	case *relax.StringImm:
		return g.b.String(e.Value), nil
	case *relax.DataTypeImm:
		return g.b.DType(e.Value), nil
	case *ir.GlobalVar:
		return g.global(e.Name)
	case *relax.ExternFunc:
		return g.b.DeclareFunction(e.Symbol, vm.PackedFunc), nil
	case *relax.Tuple:
		args, err := g.args(e.Fields)
		if err != nil {
			return 0, err
		}
		return g.call("vm.builtin.make_tuple", args), nil
	case *relax.TupleGetItem:
		t, err := g.value(e.Tuple)
		if err != nil {
			return 0, err
		}
		return g.call("vm.builtin.tuple_getitem", []vm.Arg{t, g.b.Int(int64(e.Index))}), nil
	case *relax.If:
		return g.cond(e)
	case *relax.Call:
		return g.callExpr(e)
	case *relax.Function:
		return 0, g.unlowered("a local function", "LambdaLift")
	case *relax.SeqExpr:
		return g.seq(e)
	}
	return 0, fmt.Errorf("function %s: no instruction computes an expression of kind %T: this is a bug of the compiler", g.name, e)
}

// global returns the argument that refers to a function of the module. A kernel is found
// by its symbol, so it must have one.
func (g *generator) global(name string) (vm.Arg, error) {
	f, ok := g.m.Lookup(name).(*tir.PrimFunc)
	if !ok {
		return g.b.DeclareFunction(name, vm.VMFunc), nil
	}
	symbol := ir.GlobalSymbol(f)
	if symbol == "" {
		return 0, g.unlowered("the call of kernel "+name+", which has no global_symbol,", "AttachGlobalSymbol")
	}
	return g.b.DeclareFunction(symbol, vm.PackedFunc), nil
}

func (g *generator) args(list []relax.Expr) ([]vm.Arg, error) {
	out := make([]vm.Arg, len(list))
	for i, e := range list {
		a, err := g.value(e)
		if err != nil {
			return nil, err
		}
		out[i] = a
	}
	return out, nil
}

func (g *generator) call(name string, args []vm.Arg) vm.Arg {
	dst := g.fresh()
	g.b.EmitCall(name, args, dst)
	return vm.Register(dst)
}

func (g *generator) constant(c *relax.Constant) vm.Arg {
	d := c.Data
	if d.IsSplat() {
		return g.b.Splat(d.DType(), d.Shape(), d.Stored())
	}
	t, err := tensor.FromBytes(d.DType(), d.Shape(), d.Stored())
	if err != nil {
		panic(err) // a Blob has as many bytes as its shape says
	}
	return g.b.Tensor(t)
}

// cond emits both branches, which copy their results into one register.
func (g *generator) cond(e *relax.If) (vm.Arg, error) {
	c, err := g.value(e.Cond)
	if err != nil {
		return 0, err
	}
	test := g.call("vm.builtin.read_if_cond", []vm.Arg{c})
	dst := g.fresh()
	branch := g.b.EmitIf(test, 1)
	at := g.at
	yes, err := g.seq(e.Then)
	if err != nil {
		return 0, err
	}
	g.b.EmitCall("vm.builtin.copy", []vm.Arg{yes}, dst)
	jump := g.b.EmitGoto(1)
	g.b.SetOffset(branch, jump+1-branch)
	g.at = at
	no, err := g.seq(e.Else)
	if err != nil {
		return 0, err
	}
	g.b.EmitCall("vm.builtin.copy", []vm.Arg{no}, dst)
	g.b.SetOffset(jump, g.b.NumInstr()-jump)
	return vm.Register(dst), nil
}
