package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// FuseTIR makes one kernel of each group that FuseOps formed.
var FuseTIR = &pass.Pass{
	Name: "FuseTIR", Kind: pass.Sequential,
	Doc: "Makes one kernel of each group that FuseOps formed, and removes the kernels that nothing calls any more.",
	Children: []*pass.Pass{
		{
			Name: "FuseTIRInner", Kind: pass.Module, Lowering: true,
			Doc: "Joins the kernels that a Primitive function calls into one kernel and calls that with call_tir. What passes between them becomes a buffer of the kernel.",
			Run: fuseTIR,
		},
		DeadCodeElimination,
	},
}

// ruleJoin is the name of the rule in decisions.
const ruleJoin = "join the kernels of a group"

func fuseTIR(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	e := m.Edit()
	d := newDistinct("FuseTIR", m, e)
	kernels := map[string]*ir.GlobalVar{}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || !f.Attrs.Has(attrPrimitive) {
			continue
		}
		c.Working(gv.Name)
		if err := c.Err(); err != nil {
			return nil, err
		}
		kernel, err := fusePrimFuncs(m, gv.Name, f)
		if err != nil {
			return nil, err
		}
		e.Remove(gv.Name)
		kernels[gv.Name] = d.add(gv.Name, kernel)
		c.Rewrite(ruleJoin, f, kernel)
	}
	c.Working("")
	if len(kernels) == 0 {
		warnNotLegalized(c, m, "FuseTIR")
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok {
				c.Working(gv.Name)
				reportAlone(c, f)
			}
		}
		c.Working("")
		return m, nil
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || kernels[gv.Name] != nil {
			continue
		}
		c.Working(gv.Name)
		reportAlone(c, f)
		out, err := callKernels(newMutator(c, m, "call the joined kernel"), f, kernels)
		if err != nil {
			return nil, err
		}
		e.Set(gv.Name, out)
	}
	c.Working("")
	return d.done(), nil
}

// reportAlone reports the calls of kernels in f that stand in no group.
func reportAlone(c *pass.Context, f *relax.Function) {
	if !c.Observed() {
		return
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		call, ok := b.BoundValue().(*relax.Call)
		switch {
		case !ok:
		case opName(call) == opCallTIR:
			c.Declined(ruleJoin, b, "FuseOps left the kernel in no group")
		case opName(call) == opCallTIRInplace || opName(call) == opCallDPS:
			c.Declined(ruleJoin, b, opName(call)+" is in no group: only results of call_tir are")
		}
	})
}

// callKernels turns calls of Primitive functions into call_tirs of their kernels.
func callKernels(m *relax.ExprMutator, f *relax.Function, kernels map[string]*ir.GlobalVar) (*relax.Function, error) {
	m.Call = func(c *relax.Call) relax.Expr {
		gv, ok := c.Op.(*ir.GlobalVar)
		if !ok || kernels[gv.Name] == nil {
			return c
		}
		info := m.At().Bound().SInfo
		return &relax.Call{
			Base: c.Base, Op: ir.NewOp(opCallTIR), Args: []relax.Expr{kernels[gv.Name], &relax.Tuple{Fields: c.Args}},
			SInfoArgs: []relax.StructInfo{info}, SInfo: info,
		}
	}
	return m.Function(f)
}

// tirFuser builds the kernel of one Primitive function.
type tirFuser struct {
	m       *ir.Module
	buffers map[*relax.Var]*tir.Buffer
	params  []*tir.Var
	ports   []*tir.Buffer
	allocs  []*tir.Buffer
	body    []tir.Stmt
	names   ir.Names // of buffers
	blocks  ir.Names
	origin  ir.OriginID // of the kernel
}

func fusePrimFuncs(m *ir.Module, name string, f *relax.Function) (*tir.PrimFunc, error) {
	u := &tirFuser{m: m, origin: f.Origin, buffers: map[*relax.Var]*tir.Buffer{}}
	for _, p := range f.Params {
		info, ok := p.SInfo.(*relax.TensorStructInfo)
		if !ok {
			return nil, fmt.Errorf("parameter %s is not a tensor but %s", p.Name, relax.FormatSInfo(p.SInfo))
		}
		b, err := u.buffer(p.Name, info)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		b.Base = p.Base
		u.port(b)
		u.buffers[p] = b
	}
	results := fieldsOf(f.Body.Body)
	isResult := map[relax.Expr]bool{}
	for i, r := range results {
		if v, ok := r.(*relax.Var); !ok || u.buffers[v] != nil || isResult[r] {
			return nil, fmt.Errorf("result %d is no variable that the function binds, or is returned twice", i)
		}
		isResult[r] = true
	}
	for _, blk := range f.Body.Blocks {
		for _, b := range blk.Bindings {
			if err := u.binding(b, isResult[b.Bound()]); err != nil {
				return nil, fmt.Errorf("variable %s: %w", b.Bound().Name, err)
			}
		}
	}
	for _, r := range results {
		u.port(u.buffers[r.(*relax.Var)])
	}
	base := ir.Base{Span: f.Span, Origin: u.origin}
	root := &tir.Block{Base: base, Name: "root", AllocBuffers: u.allocs, Body: tir.Seq(u.body...)}
	return &tir.PrimFunc{
		Base: base, Params: u.params, Buffers: u.ports, RetType: ir.VoidType(),
		Body:  &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: root},
		Attrs: ir.NewAttrs("tir.noalias", true),
	}, nil
}

// port makes b a parameter of the kernel.
func (u *tirFuser) port(b *tir.Buffer) {
	u.params = append(u.params, &tir.Var{Name: "p_" + b.Name, Type: &ir.PrimType{DType: dtype.HandleT}})
	u.ports = append(u.ports, b)
}

func (u *tirFuser) buffer(name string, info *relax.TensorStructInfo) (*tir.Buffer, error) {
	dims, ok := info.Dims()
	if !ok {
		return nil, fmt.Errorf("its shape is unknown: %s", relax.FormatSInfo(info))
	}
	return tir.NewBuffer(u.names.Fresh(name, "_"), info.DType, dims, ""), nil
}

func (u *tirFuser) binding(b relax.Binding, isResult bool) error {
	c := callsOp(b.BoundValue(), opCallTIR)
	if c == nil {
		return fmt.Errorf("it is not bound to a call_tir")
	}
	gv := c.Args[0].(*ir.GlobalVar)
	callee, ok := u.m.Lookup(gv.Name).(*tir.PrimFunc)
	if !ok {
		return fmt.Errorf("kernel %s is not in the module", gv.Name)
	}
	info, ok := b.Bound().SInfo.(*relax.TensorStructInfo)
	if !ok {
		return fmt.Errorf("kernel %s does not return exactly one tensor", gv.Name)
	}
	out, err := u.buffer(b.Bound().Name, info)
	if err != nil {
		return err
	}
	out.Base = b.Meta()
	u.buffers[b.Bound()] = out
	if !isResult {
		u.allocs = append(u.allocs, out)
	}
	var args []*tir.Buffer
	scalars := map[*tir.Buffer]tir.Expr{}
	for i, a := range fieldsOf(c.Args[1]) {
		switch a := a.(type) {
		case *relax.Var:
			if u.buffers[a] == nil {
				return fmt.Errorf("kernel %s takes %s, which is neither a parameter nor computed before", gv.Name, a.Name)
			}
			args = append(args, u.buffers[a])
		case *relax.Constant:
			value, scalar := scalarConst(a)
			if !scalar {
				return fmt.Errorf("kernel %s takes a constant tensor: it must be a parameter of the function", gv.Name)
			}
			cell := tir.NewBuffer("const", a.Data.DType(), nil, "")
			scalars[cell] = value
			args = append(args, cell)
		default:
			return fmt.Errorf("argument %d of kernel %s is a %T: only tensors can be fused", i, gv.Name, a)
		}
	}
	args = append(args, out)
	return u.inline(gv.Name, callee, args, scalars, b.Meta())
}
