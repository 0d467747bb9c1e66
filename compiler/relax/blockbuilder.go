package relax

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// BlockBuilder builds functions binding by binding. It keeps A-normal form (the arguments of
// what it emits are variables, constants and tuples of them), infers struct info, gives
// variables names that are unique in their function, and adds functions to a module.
//
//	bb := relax.NewBlockBuilder(ir.NewModule(), op.Table(), nil)
//	bb.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
//	bb.BeginDataflow()
//	y, err := bb.Emit(op.Relu(op.Matmul(x, w, dtype.Void)), "y")
//	out, err := bb.EmitOutput(y, "")
//	bb.EndDataflow()
//	gv, err := bb.EndFunction(out)
//	mod := bb.Module()
//
// A builder is used by one goroutine. An error leaves it as it was before the call, but for
// arguments that had already been bound.
type BlockBuilder struct {
	edit   *ir.Editor
	ops    OpTable
	ctx    *InferContext
	frames []*frame
	within []*Var // parameters of the functions that NormalizeFunction is in
	names  *nameTable
	bound  map[*Var]Expr
	sizes  map[*tir.Var]bool // symbolic variables that the prover knows to be extents
	byHash map[uint64][]*ir.GlobalVar
	hashed map[reflect.Type]bool // the types of functions that byHash knows
	base   ir.Base               // of what is emitted without one
	// unread are functions and bindings whose names, values and extents settle is to note. Most
	// functions that a pass visits stay as they are, and nobody asks.
	unread []ir.Node
	keep   func(name string, fn ir.Function) *ir.GlobalVar // see KeepFuncs
}

// FuncOpts are the parts of a function that are neither parameters nor body.
type FuncOpts struct {
	// Attrs are its attributes. A function without a global_symbol gets its name as one,
	// unless it is Private.
	Attrs   *ir.Attrs
	Private bool
	// Impure says that the function may have side effects.
	Impure bool
	Base   ir.Base
}

// NewBlockBuilder returns a builder that adds to mod, which may be nil. Struct info is
// inferred by ops; prover compares symbolic dimensions, nil structurally.
func NewBlockBuilder(mod *ir.Module, ops OpTable, prover Prover) *BlockBuilder {
	if mod == nil {
		mod = ir.NewModule()
	}
	b := &BlockBuilder{edit: mod.Edit(), ops: ops, bound: map[*Var]Expr{}, sizes: map[*tir.Var]bool{}, names: newNameTable()}
	b.ctx = &InferContext{
		Prover:   prover,
		Func:     func(name string) ir.Function { return b.edit.Lookup(name) },
		VDevices: func() []ir.Node { return mod.GlobalInfos()["vdevice"] },
		Bound:    b.LookupBinding,
	}
	return b
}

// Context returns what inference asks; it sees the module under construction.
func (b *BlockBuilder) Context() *InferContext {
	b.settle()
	return b.ctx
}

// Module returns the module with all functions that were added so far.
func (b *BlockBuilder) Module() *ir.Module {
	m := b.edit.Done()
	b.edit = m.Edit()
	return m
}

// SetOrigin sets the origin that emitted nodes get which have none, and returns the former.
func (b *BlockBuilder) SetOrigin(id ir.OriginID) ir.OriginID {
	old := b.base.Origin
	b.base.Origin = id
	return old
}

// BeginFunction starts a function; EndFunction ends it. Parameters must have struct info.
// Functions may be nested: the inner one ends with EndLocalFunction.
func (b *BlockBuilder) BeginFunction(name string, params []*Var, opts FuncOpts) {
	b.settle()
	if len(b.frames) == 0 {
		b.names = newNameTable()
	}
	attrs := opts.Attrs
	if !opts.Private && name != "" && !attrs.Has(ir.AttrGlobalSymbol) {
		attrs = attrs.With(ir.AttrGlobalSymbol, name)
	}
	fn := &Function{Base: opts.Base, Params: params, Pure: !opts.Impure, Attrs: attrs}
	b.parameters(params)
	b.frames = append(b.frames, &frame{fn: fn, name: name})
}

// parameters notes names and extents of the parameters of a function that begins.
func (b *BlockBuilder) parameters(params []*Var) {
	for _, p := range params {
		b.names.reserve(p.Name)
		b.markSizes(p.SInfo)
	}
}

// EndFunction ends the function that BeginFunction started with the given result and adds it
// to the module under its name, or a fresh one like it if that is taken.
func (b *BlockBuilder) EndFunction(result Expr) (*ir.GlobalVar, error) {
	name := ""
	if len(b.frames) > 0 {
		name = b.top().name
	}
	fn, err := b.EndLocalFunction(result)
	if err != nil {
		return nil, err
	}
	if b.edit.Lookup(name) != nil {
		name = b.edit.Fresh(name)
		if !fn.Attrs.Has(ir.AttrGlobalSymbol) {
			return b.edit.Set(name, fn), nil
		}
		fn = fn.WithFuncAttrs(fn.Attrs.With(ir.AttrGlobalSymbol, name)).(*Function)
	}
	return b.edit.Set(name, fn), nil
}

// EndLocalFunction ends the function that BeginFunction started and returns it; it is not
// added to the module.
func (b *BlockBuilder) EndLocalFunction(result Expr) (*Function, error) {
	if len(b.frames) == 0 || b.top().fn == nil {
		return nil, errors.New("no function is open: call BeginFunction first")
	}
	f := b.top()
	body, err := b.EndSeq(result)
	if err != nil {
		return nil, err
	}
	return b.finish(f.fn, body)
}

// finish gives fn a body and the struct info of its result.
func (b *BlockBuilder) finish(fn *Function, body *SeqExpr) (*Function, error) {
	ret := b.ctx.SInfoOf(body.Body)
	if ret == nil {
		return nil, fmt.Errorf("the result of the function has no struct info")
	}
	out := *fn
	out.Body = body
	sym := definedBy(&out)
	if len(b.frames) > 0 { // a local function sees the variables of the outer ones
		sym = b.outerVars(body)
	}
	out.Ret = EraseToWellDefined(ret, sym, paramOf(&out))
	if fn.Ret != nil && EqualSInfo(out.Ret, fn.Ret) {
		out.Ret = fn.Ret
	}
	return &out, nil
}

// markSizes tells the prover which symbolic variables that values of struct info s define are
// extents. A scalar may be any number.
func (b *BlockBuilder) markSizes(s StructInfo) {
	a, ok := b.ctx.Prover.(interface{ MarkExtent(*tir.Var) })
	if !ok {
		return
	}
	switch s := s.(type) {
	case *TensorStructInfo, *ShapeStructInfo:
		for _, v := range DefinableVars(s) {
			if !b.sizes[v] {
				b.sizes[v] = true
				a.MarkExtent(v)
			}
		}
	case *TupleStructInfo:
		for _, x := range s.Fields {
			b.markSizes(x)
		}
	}
}

// BeginSeq starts a sequence, such as a branch of an If; EndSeq ends it.
func (b *BlockBuilder) BeginSeq() { b.frames = append(b.frames, &frame{}) }

// EndSeq ends the innermost sequence with the value that it yields.
func (b *BlockBuilder) EndSeq(body Expr) (*SeqExpr, error) {
	if len(b.frames) == 0 {
		return nil, errors.New("no sequence is open: call BeginSeq first")
	}
	f := b.top()
	if f.dataflow {
		return nil, errors.New("a dataflow block is still open: call EndDataflow first")
	}
	body, err := b.normalizeArg(body)
	if err != nil {
		return nil, err
	}
	if vs := dataflowVars(body); len(vs) > 0 {
		return nil, fmt.Errorf("%s is visible in its dataflow block only: make it an output with EmitOutput", vs[0].Name)
	}
	b.closeBlock()
	b.frames = b.frames[:len(b.frames)-1]
	return &SeqExpr{Blocks: f.blocks, Body: body}, nil
}

func dataflowVars(e Expr) []*Var {
	var out []*Var
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*Var); ok && v.Dataflow {
			out = append(out, v)
		}
		_, isInfo := n.(StructInfo)
		return !isInfo
	})
	return out
}
