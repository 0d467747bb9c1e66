package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// opStopLift marks a value that is not computed before the inputs are known.
const opStopLift = "relax.builtin.stop_lift_params"

// lifted is what is computed before the inputs are known, and what of it is needed afterwards. Values that follow from nothing (zeros) are computed in both
// places, since handing them over costs more.
type lifted struct {
	params   []*relax.Var // weights
	bindings []relax.Binding
	weights  map[*relax.Var]bool // that follow from weights
	needed   map[*relax.Var]bool // at run time
	symbols  map[*tir.Var]bool   // needed at run time
}

// outputs returns the weights that are needed at run time, then what was computed of them.
func (l *lifted) outputs() []*relax.Var {
	var out []*relax.Var
	for _, p := range l.params {
		if l.needed[p] {
			out = append(out, p)
		}
	}
	for _, b := range l.bindings {
		if l.weights[b.Bound()] && l.needed[b.Bound()] {
			out = append(out, b.Bound())
		}
	}
	return out
}

// handed returns the symbolic variables that weights define, that are needed at run time, and that neither inputs nor outputs define.
func (l *lifted) handed(inputs []*relax.Var) []*tir.Var {
	known := map[*tir.Var]bool{}
	for _, v := range relax.DefinableVars(append(infosOf(inputs), infosOf(l.outputs())...)...) {
		known[v] = true
	}
	var out []*tir.Var
	for _, v := range relax.DefinableVars(infosOf(l.params)...) {
		if l.symbols[v] && !known[v] {
			out = append(out, v)
		}
	}
	return out
}

func infosOf(vars []*relax.Var) []relax.StructInfo {
	out := make([]relax.StructInfo, len(vars))
	for i, v := range vars {
		out[i] = v.SInfo
	}
	return out
}

// liftPart is a function that is cut into two.
type liftPart struct {
	lifted
	name   string
	fn     *relax.Function
	inputs []*relax.Var
}

func newLiftPart(name string, f *relax.Function, n int) *liftPart {
	return &liftPart{name: name, fn: f, inputs: f.Params[:n], lifted: lifted{
		params: f.Params[n:], weights: map[*relax.Var]bool{}, needed: map[*relax.Var]bool{}, symbols: map[*tir.Var]bool{},
	}}
}

// liftable tells of bindings whether they can be computed early, given that those before can.
type liftable struct {
	vars    map[*relax.Var]bool
	symbols map[*tir.Var]bool
	over    *overwrites // what is written over must be made in each run
}

func (l *liftable) can(b relax.Binding) bool {
	value := b.BoundValue()
	if callsOp(value, opStopLift) != nil || l.over.has(b.Bound()) {
		return false
	}
	if _, extern := value.(*relax.ExternFunc); extern {
		return false
	}
	for _, v := range relax.FreeVars(value) {
		if !l.vars[v] {
			return false
		}
	}
	fine := true
	check := func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && !l.symbols[v] {
			fine = false
		}
		return fine
	}
	ir.Walk(value, check)
	if b.Bound().SInfo != nil {
		ir.Walk(b.Bound().SInfo, check)
	}
	return fine
}

// collect finds what can be lifted, in all functions at once if all is not nil.
func (p *liftPart) collect(all *sharedLift) {
	l := &liftable{vars: map[*relax.Var]bool{}, symbols: map[*tir.Var]bool{}, over: overwritesOf(p.fn)}
	for _, v := range p.params {
		l.vars[v], p.weights[v] = true, true
		for _, s := range relax.DefinableVars(v.SInfo) {
			l.symbols[s] = true
		}
	}
	for _, blk := range p.fn.Body.Blocks {
		for _, b := range blk.Bindings {
			if blk.Dataflow && l.can(b) && (all == nil || all.vars[b.Bound()] != nil) {
				p.bindings = append(p.bindings, b)
				l.vars[b.Bound()] = true
				for _, v := range relax.FreeVars(b.BoundValue()) {
					if p.weights[v] {
						p.weights[b.Bound()] = true
					}
				}
				continue
			}
			p.needed[b.Bound()] = true
			p.need(b)
		}
	}
	p.need(p.fn.Body.Body)
}

// need notes what an expression or binding needs at run time.
func (p *liftPart) need(n ir.Node) {
	e, ok := n.(relax.Expr)
	if b, isBinding := n.(relax.Binding); isBinding {
		e, ok = b.BoundValue(), true
	}
	if ok {
		for _, v := range relax.FreeVars(e) {
			p.needed[v] = true
		}
	}
	ir.Walk(n, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			p.symbols[v] = true
		}
		return true
	})
}

// isTrivial tells whether a transformation that there is already gives all that is needed.
func (p *liftPart) isTrivial(m *ir.Module) bool {
	return m.Lookup(p.name+"_"+transformSuffix) != nil && p.handsOver(p.needed)
}

// handsOver tells whether nothing is computed, and each weight is needed, or defines a symbolic variable.
func (p *liftPart) handsOver(needed map[*relax.Var]bool) bool {
	for _, b := range p.bindings {
		if p.weights[b.Bound()] {
			return false
		}
	}
	for _, v := range p.params {
		if _, tensor := v.SInfo.(*relax.TensorStructInfo); tensor && !needed[v] {
			return false
		}
	}
	return true
}

// transform returns the function that computes what is needed from the weights.
func (l *lifted) transform(c *pass.Context, m *ir.Module, handed []*tir.Var) (*relax.Function, error) {
	known := map[*tir.Var]bool{}
	for _, v := range relax.DefinableVars(infosOf(l.params)...) {
		known[v] = true
	}
	erased := map[*relax.Var]relax.Expr{}
	params := make([]*relax.Var, len(l.params))
	for i, p := range l.params { // an extent that inputs define is not known here
		params[i] = p.WithSInfo(relax.EraseToWellDefined(p.SInfo, func(v *tir.Var) bool { return known[v] }, nil))
		erased[p] = params[i]
	}
	var results []relax.Expr
	if len(handed) > 0 {
		values := make([]tir.Expr, len(handed))
		for i, v := range handed {
			values[i] = v
		}
		results = append(results, &relax.ShapeExpr{Values: values})
	}
	var last []relax.Binding
	for _, v := range l.outputs() {
		info := v.SInfo
		if e := erased[v]; e != nil {
			info = e.(*relax.Var).SInfo
		}
		out := &relax.Var{Base: v.Base, Name: v.Name + "_output", SInfo: info}
		last = append(last, &relax.VarBinding{Base: v.Base, Var: out, Value: v})
		results = append(results, out)
	}
	infos := make([]relax.StructInfo, len(results))
	for i, r := range results {
		infos[i] = relax.SInfoOf(r)
	}
	tuple := &relax.Var{Name: "output_tuple", SInfo: &relax.TupleStructInfo{Fields: infos}}
	last = append(last, &relax.VarBinding{Var: tuple, Value: &relax.Tuple{Fields: results}})
	f := &relax.Function{
		Params: params, Pure: true, Attrs: ir.NewAttrs(attrNumInput, 0),
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: append(l.bindings[:len(l.bindings):len(l.bindings)], last...), Dataflow: true}}, Body: tuple},
	}
	f.Body = relax.Bind(f.Body, relax.Subst{Vars: erased}).(*relax.SeqExpr)
	f, err := op.NewBlockBuilder(m).NormalizeFunction(relax.CopyFunction(f))
	if err != nil {
		return nil, err
	}
	if f, err = bundleParams(m, f, 0, "model_params"); err != nil {
		return nil, err
	}
	if f, err = tidy(c, m, f); err != nil {
		return nil, err
	}
	return removeUnused(c, m, withoutRepacking(f))
}

// withoutRepacking returns f with the tuple that it takes as its result if it returns all fields of that, and an empty tuple as it is.
func withoutRepacking(f *relax.Function) *relax.Function {
	values := map[*relax.Var]relax.Expr{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { values[b.Bound()] = b.BoundValue() })
	v, _ := f.Body.Body.(*relax.Var)
	t, ok := values[v].(*relax.Tuple)
	if !ok {
		return f
	}
	if len(t.Fields) == 0 {
		return f.WithBody(f.Body.WithBody(t))
	}
	bundle := f.Params[len(f.Params)-1]
	if info, ok := bundle.SInfo.(*relax.TupleStructInfo); !ok || len(info.Fields) != len(t.Fields) {
		return f
	}
	for i, e := range t.Fields {
		x, _ := e.(*relax.Var)
		get, ok := values[x].(*relax.TupleGetItem)
		if !ok || get.Tuple != relax.Expr(bundle) || get.Index != i {
			return f
		}
	}
	return f.WithBody(f.Body.WithBody(bundle))
}

func (p *liftPart) transform(c *pass.Context, m *ir.Module) (*relax.Function, error) {
	return p.lifted.transform(c, m, p.handed(p.inputs))
}

// runtime returns what is left of the function: what was computed early is a parameter.
func (p *liftPart) runtime(c *pass.Context, m *ir.Module, all *sharedLift) (*relax.Function, error) {
	handed, outputs := p.handed(p.inputs), p.outputs()
	if all != nil {
		handed, outputs = all.seenBy(p)
	}
	params := append([]*relax.Var{}, p.inputs...)
	if len(handed) > 0 {
		info := &relax.ShapeStructInfo{NDim: len(handed)}
		for _, v := range handed {
			info.Values = append(info.Values, v)
		}
		params = append(params, &relax.Var{Name: "vars_from_compile_time_params", SInfo: info})
	}
	var names []relax.Binding
	for _, v := range outputs {
		param := &relax.Var{Base: v.Base, Name: v.Name, SInfo: v.SInfo}
		names = append(names, &relax.VarBinding{Base: v.Base, Var: v, Value: param})
		params = append(params, param)
	}
	gone := map[relax.Binding]bool{}
	for _, b := range p.bindings {
		gone[b] = p.weights[b.Bound()]
	}
	mu := op.NewExprMutator(m)
	mu.Binding = func(b relax.Binding) {
		if !gone[b] {
			mu.VisitBinding(b)
		}
	}
	mu.Call = func(call *relax.Call) relax.Expr {
		if callsOp(call, opStopLift) != nil {
			return call.Args[0]
		}
		return call
	}
	f, err := mu.Function(p.fn)
	if err != nil {
		return nil, err
	}
	body := f.Body
	if len(names) > 0 {
		body = body.WithBlocks(append([]*relax.BindingBlock{{Bindings: names, Dataflow: true}}, body.Blocks...))
	}
	f = relax.CopyFunction(f.WithParams(params).WithBody(body))
	out, err := canonicalizeBindings(c, c.Step().Input, canonicalizeSymbols(c, merged(f, true)))
	if err != nil {
		return nil, err
	}
	return merged(out, true), nil
}
