package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// LazySetOutput makes functions hand over each result as soon as it is there.
var LazySetOutput = &pass.Pass{
	Name: "LazySetOutput", Kind: pass.Function,
	Doc: "Gives public functions a parameter fset_output(index, value), a function with effects that they call with each result as soon as it is computed, and lets them return nothing. Behind a dataflow block it is called for all results of the block.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if ir.GlobalSymbol(f) == "" {
			return f, nil
		}
		if isVoidInfo(f.Ret) {
			c.Declined("hand over the results", f, "the function returns nothing")
			return f, nil
		}
		out, err := lazyOutputs(c.Step().Input, f)
		if err != nil {
			return nil, err
		}
		return rewritten(c, "hand over the results", f, out), nil
	}),
}

// lazyOutput emits the calls that hand over results.
type lazyOutput struct {
	mu      *relax.ExprMutator
	set     *relax.Var
	places  map[*relax.Var][]int // of results that are variables
	pending []*relax.Var         // bound in the dataflow block that is open
	pure    bool                 // in a dataflow block
	depth   int                  // sequences around
}

func lazyOutputs(m *ir.Module, f *relax.Function) (*relax.Function, error) {
	n, has, err := numInput(f)
	if err != nil {
		return nil, err
	}
	attrs := f.Attrs
	if !has {
		n = len(f.Params)
	} else {
		attrs = attrs.With(attrNumInput, int64(n+1))
	}
	l := &lazyOutput{mu: op.NewExprMutator(m), places: map[*relax.Var][]int{}}
	l.set = &relax.Var{Name: namesOf(f).fresh("fset_output"), SInfo: &relax.FuncStructInfo{
		Params: []relax.StructInfo{&relax.PrimStructInfo{DType: dtype.Int64T}, relax.Object()}, Ret: void,
	}}
	results := []relax.Expr{f.Body.Body}
	if t, ok := f.Body.Body.(*relax.Tuple); ok {
		results = t.Fields
	}
	for i, r := range results {
		if v, ok := r.(*relax.Var); ok {
			l.places[v] = append(l.places[v], i)
		}
	}
	l.mu.Block = func(b *relax.BindingBlock) {
		if l.depth > 1 { // of a function or a branch within a binding: it binds no results, and the block around it goes on
			l.mu.VisitBlock(b)
			return
		}
		l.pure = b.Dataflow
		l.mu.VisitBlock(b)
		l.pure = false
		for _, v := range l.pending {
			l.deliver(v)
		}
		l.pending = nil
	}
	l.mu.Binding = func(b relax.Binding) {
		l.mu.VisitBinding(b)
		switch {
		case len(l.places[b.Bound()]) == 0:
		case l.pure:
			l.pending = append(l.pending, b.Bound())
		default:
			l.deliver(b.Bound())
		}
	}
	l.mu.Expr = func(e relax.Expr) relax.Expr {
		s, ok := e.(*relax.SeqExpr)
		if !ok {
			return l.mu.VisitExpr(e)
		}
		l.depth++
		defer func() { l.depth-- }()
		if l.depth > 1 {
			return l.mu.VisitExpr(e)
		}
		return l.body(f, s, results)
	}
	params := slices.Insert(slices.Clone(f.Params), n, l.set)
	g := f.WithParams(params).WithAttrs(attrs).WithPure(false).WithRet(nil)
	return l.mu.Function(g)
}

// body hands over the parameters that are results first and what is neither bound nor a parameter last.
func (l *lazyOutput) body(f *relax.Function, s *relax.SeqExpr, results []relax.Expr) relax.Expr {
	bb := l.mu.Builder()
	bb.BeginSeq()
	for _, p := range f.Params {
		l.deliver(p)
	}
	for _, b := range s.Blocks {
		l.mu.Block(b)
	}
	for i, r := range results {
		if _, ok := r.(*relax.Var); !ok {
			l.call(i, l.mu.VisitExpr(r))
		}
	}
	out, err := bb.EndSeq(&relax.Tuple{})
	if err != nil {
		l.mu.Fail(err)
		return s
	}
	return out.WithBlocks(joined(out.Blocks)) // what is handed over behind a dataflow block stands in one of its own else
}

// deliver hands over a variable in all its places.
func (l *lazyOutput) deliver(v *relax.Var) {
	for _, i := range l.places[v] {
		l.call(i, l.mu.Lookup(v))
	}
}

func (l *lazyOutput) call(place int, value relax.Expr) {
	from := value.Meta()
	if v, ok := value.(*relax.Var); ok {
		if bound := l.mu.Builder().LookupBinding(v); bound != nil {
			from = bound.Meta()
		}
	}
	l.mu.Emit(&relax.Call{Base: from, Op: l.set, Args: []relax.Expr{primInt(int64(place)), value}}, "_void")
}
