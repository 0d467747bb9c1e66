package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ruleInplace is the name of the rule.
const ruleInplace = "write over an argument"

// inplaceOps are the operators that can: each element of the result needs the element of the argument in its place, and no other. After
// SUPPORTED_OPS of TVM's src/relax/transform/dataflow_inplace.cc.
var inplaceOps = []string{"relax.add", "relax.subtract", "relax.multiply", "relax.divide", "relax.nn.silu", "relax.nn.relu"}

// DataflowUseInplaceCalls computes results in the memory of arguments that nothing needs any more.
var DataflowUseInplaceCalls = &pass.Pass{
	Name: "DataflowUseInplaceCalls", Kind: pass.Module,
	Doc: "Replaces additions, subtractions, multiplications, divisions, relu and silu in dataflow blocks, of which an argument has the shape and type of the result and is not used any more, by a call_tir_inplace of a kernel that writes over that argument.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		k := &inplacer{c: c, m: m, kernels: newLegalizer(c, "DataflowUseInplaceCalls", m), out: newLegalizer(c, "DataflowUseInplaceCalls", m), at: map[relax.Binding][]int{}, made: map[inplaceKernel]string{}}
		k.out.share()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			out, err := k.function(f)
			if err != nil {
				return nil, err
			}
			k.out.edit.Set(gv.Name, out)
		}
		c.Working("")
		k.out.shared.apply(k.out.edit)
		return k.out.edit.Done(), nil
	},
}

// inplaceKernel is a kernel and the argument that it is to write over.
type inplaceKernel struct {
	kernel *tir.PrimFunc
	arg    int
}

type inplacer struct {
	c       *pass.Context
	m       *ir.Module
	kernels *legalizer // makes the kernels that have a result of their own
	out     *legalizer // takes those that have not
	at      map[relax.Binding][]int
	made    map[inplaceKernel]string
}

func (k *inplacer) function(f *relax.Function) (*relax.Function, error) {
	k.kernels.scan(f)
	mu := newMutator(k.c, k.m, ruleInplace)
	mu.Block = func(b *relax.BindingBlock) {
		if b.Dataflow {
			_, exact := inplaceOpportunities(b, nil, true, k.declined)
			for _, o := range exact {
				k.at[b.Bindings[o.Binding]] = o.Args
			}
		}
		mu.VisitBlock(b)
	}
	mu.Binding = func(b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		if args := k.at[b]; ok && args != nil {
			call, err := k.call(vb, args)
			if err == nil {
				mu.EmitNormalized(vb.WithValue(call))
				return
			}
			if !errors.Is(err, errSkip) {
				mu.Fail(fmt.Errorf("%s: %w", vb.Var.Name, err))
				return
			}
			k.c.Declined(ruleInplace, b, reasonOf(err))
		}
		mu.VisitBinding(b)
	}
	return mu.Function(f)
}

func (k *inplacer) declined(b relax.Binding, why string) { k.c.Declined(ruleInplace, b, why) }

// call returns the call of a kernel that writes over one of the arguments in the list: the last one, which is the one that TVM takes.
func (k *inplacer) call(vb *relax.VarBinding, args []int) (*relax.Call, error) {
	call := vb.Value.(*relax.Call)
	before, plain, err := k.kernels.make(vb, opName(call), &lowered{rule: legalizeRule(opName(call))})
	if err != nil {
		return nil, err
	}
	if len(before) > 0 || len(plain.Args) > 2 {
		return nil, skipf("the kernel takes extents besides its tensors")
	}
	kernel := k.kernels.edit.Lookup(plain.Args[0].(*ir.GlobalVar).Name).(*tir.PrimFunc)
	fields := fieldsOf(plain.Args[1])
	arg := args[len(args)-1]
	place := arg
	if len(fields) != len(call.Args) { // a scalar is in the kernel
		place = slices.Index(fields, call.Args[arg])
	}
	if place < 0 {
		return nil, skipf("the kernel does not take the argument")
	}
	gv := ir.NewGlobalVar(k.over(kernel, place, opName(call), plain.Origin))
	out := &relax.Call{
		Base: plain.Base, Op: ir.NewOp(opCallTIRInplace), Args: []relax.Expr{gv, plain.Args[1]},
		SInfoArgs: plain.SInfoArgs, SInfo: plain.SInfo, Attrs: ir.NewAttrs("inplace_indices", []ir.Value{int64(place)}),
	}
	return out, nil
}

// over returns the name of the kernel that writes the result of another over argument arg, for a call of that origin.
func (k *inplacer) over(f *tir.PrimFunc, arg int, operator string, from ir.OriginID) string {
	key := inplaceKernel{f, arg}
	name, known := k.made[key]
	if known && k.out.own[name] {
		k.out.shared.also(name, k.out.edit.Lookup(name), from)
	}
	if !known {
		name = k.out.add(operator[strings.LastIndexByte(operator, '.')+1:]+"_inplace", overArgument(f, arg))
		k.made[key] = name
	}
	return name
}

// overArgument returns a kernel of one result that writes it over argument arg.
func overArgument(f *tir.PrimFunc, arg int) *tir.PrimFunc {
	last := len(f.Params) - 1
	from, to := f.Buffers[last], f.Buffers[arg]
	m := &tir.Mapper{Buffer: func(b *tir.Buffer) *tir.Buffer {
		if b == from {
			return to
		}
		return b
	}}
	m.Stmt = m.MapStmt
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr {
		if e == tir.Expr(from.Data) {
			return to.Data
		}
		return m.MapExpr(e)
	})
	out := *f
	out.Params, out.Buffers, out.Body = f.Params[:last:last], f.Buffers[:last:last], m.Stmt(f.Body)
	return tir.CopyFunc(&out)
}

// InplaceOpportunity is a binding of a block whose result fits into arguments of its call that nothing uses afterwards.
type InplaceOpportunity struct {
	Binding int
	Args    []int
}

// DataflowInplaceAnalysis returns the bindings of a dataflow block whose result has room in an argument, and those where an argument has the
// very shape of the result. Inputs are variables from outside that may be written over.
func DataflowInplaceAnalysis(b *relax.BindingBlock, inputs []*relax.Var) (size, exact []InplaceOpportunity) {
	return inplaceOpportunities(b, inputs, false, func(relax.Binding, string) {})
}

func inplaceOpportunities(b *relax.BindingBlock, inputs []*relax.Var, coarse bool, declined func(relax.Binding, string)) (size, exact []InplaceOpportunity) {
	var where *Aliases
	var last map[int]int
	for i, x := range b.Bindings {
		call, ok := x.BoundValue().(*relax.Call)
		if !ok || !slices.Contains(inplaceOps, opName(call)) {
			continue
		}
		if where == nil {
			where = aliases(b, inputs, coarse)
			last = where.lastReads(b)
		}
		var fits, same []int
		why := "no argument is as large as the result"
		for j, a := range call.Args {
			large, equal := sizeMatches(relax.SInfoOf(a), x.Bound().SInfo)
			if !large {
				continue
			}
			if !equal {
				why = "no argument has the shape of the result"
			}
			if w := where.writable(a, i, last); w != "" {
				why = w
				continue
			}
			fits = append(fits, j)
			if equal {
				same = append(same, j)
			}
		}
		if len(fits) > 0 {
			size = append(size, InplaceOpportunity{i, fits})
		}
		if len(same) > 0 {
			exact = append(exact, InplaceOpportunity{i, same})
		} else {
			declined(x, why)
		}
	}
	return size, exact
}

// writable says why binding i must not write over e, "" if it may.
func (a *Aliases) writable(e relax.Expr, i int, last map[int]int) string {
	v, ok := e.(*relax.Var)
	if !ok {
		return "a constant keeps its value"
	}
	if !a.canWrite(a.Of[v]) {
		return v.Name + " may belong to the caller, or be a constant"
	}
	for _, at := range a.Of[v] {
		if last[at] > i {
			return v.Name + ", or another name of it, is used later"
		}
	}
	return ""
}

// sizeMatches reports whether arg has at least as many elements as result, of the same type, and whether it has the same shape.
func sizeMatches(arg, result relax.StructInfo) (large, same bool) {
	from, ok := arg.(*relax.TensorStructInfo)
	to, also := result.(*relax.TensorStructInfo)
	if !ok || !also || from.DType != to.DType || from.DType.IsVoid() || !sameDevice(from.VDevice, to.VDevice) {
		return false, false
	}
	have, known := from.Dims()
	want, given := to.Dims()
	if !known || !given {
		return false, false
	}
	an := arith.NewAnalyzer()
	same = len(have) == len(want)
	for i := range have {
		same = same && an.CanProveEqual(have[i], want[i])
	}
	return same || an.CanProve(tir.GE(product(have), product(want))), same
}
