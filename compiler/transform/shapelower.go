package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// VMShapeLower lowers symbolic shapes to a heap of integers at run time.
var VMShapeLower = &pass.Pass{
	Name: "VMShapeLower", Kind: pass.Module, Lowering: true,
	Doc:     "Lowers symbolic shapes: variables and expressions over them get slots in a shape heap, which checks of arguments and match_cast fill, generated functions compute, and make_shape reads.",
	Options: []pass.Option{{Name: "emit_err_ctx", Default: true, Doc: "give failed checks a text that names function and parameter"}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			c.Working(gv.Name)
			l := &shapeLowerer{c: c, edit: e, name: gv.Name, names: namesOf(f), slots: map[uint64][]*shapeSlot{}, passed: map[*shapeSlot]bool{}, errCtx: c.Arg("emit_err_ctx").(bool)}
			out, err := l.function(f)
			if err != nil {
				return nil, err
			}
			e.Set(gv.Name, out)
		}
		return e.Done(), nil
	},
}

// shapeSlot is a place in the heap for one expression.
type shapeSlot struct {
	index int
	e     tir.Expr
	ready bool // it has been stored
}

type shapeLowerer struct {
	c      *pass.Context
	edit   *ir.Editor
	name   string
	names  *names
	heap   relax.Expr
	slots  map[uint64][]*shapeSlot
	all    []*shapeSlot
	passed map[*shapeSlot]bool // extents that match had to pass over
	errCtx bool
}

// slot returns the place of e in the heap, nil for a constant.
func (l *shapeLowerer) slot(e tir.Expr) *shapeSlot {
	if _, ok := tir.AsInt(e); ok {
		return nil
	}
	if s := l.known(e); s != nil {
		return s
	}
	s := &shapeSlot{index: len(l.all), e: e}
	h := ir.StructuralHash(e)
	l.slots[h] = append(l.slots[h], s)
	l.all = append(l.all, s)
	return s
}

// known returns the place that e has already, nil if it has none.
func (l *shapeLowerer) known(e tir.Expr) *shapeSlot {
	for _, s := range l.slots[ir.StructuralHash(e)] {
		if ir.StructuralEqual(s.e, e, ir.EqualOpts{}) {
			return s
		}
	}
	return nil
}

func (l *shapeLowerer) function(f *relax.Function) (*relax.Function, error) {
	// Slots are numbered in order of first use: parameters, then the body.
	for _, p := range f.Params {
		l.collect(p.SInfo)
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if mc, ok := b.(*relax.MatchCast); ok {
			l.collect(mc.SInfo)
		}
		l.collectValue(b.BoundValue())
	})
	l.collectValue(f.Body.Body)

	for _, s := range append([]*shapeSlot{}, l.all...) {
		for _, v := range relax.VarsOf(s.e) { // of expressions whose variables stand nowhere alone
			l.slot(v)
		}
	}
	var prologue []relax.Binding
	heapInfo := relax.TensorOfRank(dtype.Int64T, 1)
	if len(l.all) > 0 {
		call := &relax.Call{Op: ir.NewOp(opCallBuiltin), Args: []relax.Expr{
			&relax.ExternFunc{Symbol: "vm.builtin.alloc_shape_heap"}, &relax.Tuple{Fields: []relax.Expr{primInt(int64(len(l.all)))}},
		}, SInfoArgs: []relax.StructInfo{heapInfo}, SInfo: heapInfo}
		nb := bindNew(ir.Base{}, l.names.fresh("shape_heap"), heapInfo, call)
		prologue, l.heap = append(prologue, nb), nb.Var
	} else {
		nb := bindNew(ir.Base{}, l.names.fresh("shape_heap"), relax.Object(), callOp("relax.null_value", relax.Object()))
		prologue, l.heap = append(prologue, nb), nb.Var
	}
	for i, p := range f.Params {
		prologue = append(prologue, l.check(p, p.SInfo, l.context(i, p))...)
	}
	for i, p := range f.Params {
		prologue = append(prologue, l.match(p, p.SInfo, l.context(i, p))...)
	}
	prologue = append(prologue, l.computeReady()...)
	// Extents that are expressions can be compared now that their variables are known.
	for i, p := range f.Params {
		prologue = append(prologue, l.matchComputed(p, p.SInfo, l.context(i, p))...)
	}
	if l.c.Observed() {
		l.c.RewriteAll("check and bind the parameters' shapes", nil, nodesOf(prologue))
	}
	body, err := l.seq(f.Body)
	if err != nil {
		return nil, err
	}
	blocks := append([]*relax.BindingBlock{}, body.Blocks...)
	if len(blocks) > 0 && !blocks[0].Dataflow {
		first := *blocks[0]
		first.Bindings = append(prologue, first.Bindings...)
		blocks[0] = &first
	} else if len(prologue) > 0 {
		blocks = append([]*relax.BindingBlock{{Bindings: prologue}}, blocks...)
	}
	seq := *body
	seq.Blocks = blocks
	return shapedByVars(eraseSymbols(f.WithBody(&seq)), op.NewBlockBuilder(l.c.Step().Input).Context())
}

func (l *shapeLowerer) context(i int, p *relax.Var) string {
	if !l.errCtx {
		return ""
	}
	return fmt.Sprintf("ErrorContext(fn=%s, loc=param[%d], param=%s, annotation=%s)", l.name, i, p.Name, relax.FormatSInfo(p.SInfo))
}

func (l *shapeLowerer) collect(s relax.StructInfo) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if dims, ok := s.Dims(); ok {
			for _, d := range dims {
				l.slot(d)
			}
		}
	case *relax.ShapeStructInfo:
		for _, d := range s.Values {
			l.slot(d)
		}
	case *relax.PrimStructInfo:
		if s.Value != nil {
			l.slot(s.Value)
		}
	case *relax.TupleStructInfo:
		for _, x := range s.Fields {
			l.collect(x)
		}
	}
}

// collectValue gives slots to the extents and scalars that stand in e.
func (l *shapeLowerer) collectValue(e relax.Expr) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.ShapeExpr:
			for _, d := range n.Values {
				l.slot(d)
			}
		case *relax.PrimValue:
			if n.Value.DType().IsInteger() {
				l.slot(n.Value)
			}
		case *relax.If, *relax.Function, relax.StructInfo:
			return false
		}
		return true
	})
}

// computeReady computes the expressions whose variables have all been stored.
func (l *shapeLowerer) computeReady() []relax.Binding {
	var todo []*shapeSlot
	for _, s := range l.all {
		if s.ready {
			continue
		}
		if _, ok := s.e.(*tir.Var); ok {
			continue
		}
		ok := true
		for _, v := range relax.VarsOf(s.e) {
			if vs := l.known(v); vs == nil || !vs.ready {
				ok = false
			}
		}
		if ok {
			todo = append(todo, s)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	heap := tir.NewBuffer("H", dtype.Int64T, []tir.Expr{tir.Int(int64(len(l.all)))}, "")
	var stores []tir.Stmt
	for _, s := range todo {
		sub := map[*tir.Var]tir.Expr{}
		for _, v := range relax.VarsOf(s.e) {
			sub[v] = tir.CastTo(v.DType(), tir.Load(heap, tir.Int(int64(l.known(v).index))))
		}
		stores = append(stores, tir.Store(heap, tir.CastTo(dtype.Int64T, tir.SubstExpr(s.e, sub)), tir.Int(int64(s.index))))
		s.ready = true
	}
	param := tir.NewVar("h", dtype.HandleT)
	f := &tir.PrimFunc{
		Params: []*tir.Var{param}, Buffers: []*tir.Buffer{heap}, RetType: ir.VoidType(), Body: tir.Seq(stores...),
		Attrs: ir.NewAttrs("tir.is_scheduled", true, "tir.is_host_func", true),
	}
	gv := l.edit.Add("shape_func", f)
	return []relax.Binding{effect(ir.Base{}, &relax.Call{Op: gv, Args: []relax.Expr{l.heap}})}
}
