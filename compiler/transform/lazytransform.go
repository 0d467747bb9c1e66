package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// LazyTransformParams lets what transforms the weights load and store them one by one.
var LazyTransformParams = &pass.Pass{
	Name: "LazyTransformParams", Kind: pass.Module,
	Doc: "Lets each function whose name ends in transform_params ask for a weight by get_item(index) before its use, hand over each result by set_item(index, value) as soon as nothing else needs it, and free weights after their last use. It then takes no weights and returns nothing. ToNonDataflow comes first.",
	Options: []pass.Option{
		{Name: "fget_item", Default: "get_item", Doc: "the packed function that returns a weight by its index"},
		{Name: "fset_item", Default: "set_item", Null: "", Doc: "the packed function that takes a result by its index; if empty or null, results are returned and nothing is freed"},
		{Name: "extra_get_item_params", Default: []ir.Value{}, Elem: "", Doc: "names of parameters of the function that are passed to fget_item before the index"},
		{Name: "extra_set_item_params", Default: []ir.Value{}, Elem: "", Doc: "names of parameters of the function that are passed to fset_item before the index"},
	},
	Needs: []pass.Need{{Form: pass.NoDataflow, Why: "calls that load and store have effects", Strict: true}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		get, set := c.Arg("fget_item").(string), c.Arg("fset_item").(string)
		if get == "" {
			return nil, fmt.Errorf("fget_item: expected the name of a packed function, got an empty one")
		}
		return eachFunction(c, m, func(gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			if !strings.HasSuffix(gv.Name, transformSuffix) {
				return f, nil
			}
			l := &lazyTransform{mu: op.NewExprMutator(m), f: f, get: get, set: set}
			names := namesOf(f)
			for _, x := range c.Arg("extra_get_item_params").([]ir.Value) {
				l.getParams = append(l.getParams, &relax.Var{Name: names.fresh(x.(string)), SInfo: relax.Object()})
			}
			for _, x := range c.Arg("extra_set_item_params").([]ir.Value) {
				l.setParams = append(l.setParams, &relax.Var{Name: names.fresh(x.(string)), SInfo: relax.Object()})
			}
			out, err := l.function()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", gv.Name, err)
			}
			return rewritten(c, "load and store weights one by one", f, out), nil
		})
	},
}

// lazyTransform rewrites one function.
type lazyTransform struct {
	mu                   *relax.ExprMutator
	f                    *relax.Function
	get, set             string
	getParams, setParams []*relax.Var

	weights []*relax.Var
	bundle  *relax.Var           // the tuple of weights, nil if they are parameters of their own
	place   map[*relax.Var]int   // of those parameters
	fetched map[int]*relax.Var   // weights that were asked for before the binding that takes them
	definer map[*tir.Var]int     // the weight that defines a symbolic variable that nothing else does
	outputs map[*relax.Var][]int // places of variables in the result
	loaded  map[*relax.Var]bool  // variables bound to fields of bundle
	ends    map[relax.Binding][]*relax.Var
	depth   int
}

func (l *lazyTransform) function() (*relax.Function, error) {
	n, _, err := numInput(l.f)
	if err != nil {
		return nil, err
	}
	inputs, weights := l.f.Params[:n:n], l.f.Params[n:]
	l.weights = weights
	f0 := l.f
	l.place, l.fetched, l.definer = map[*relax.Var]int{}, map[int]*relax.Var{}, map[*tir.Var]int{}
	l.outputs, l.loaded, l.ends = map[*relax.Var][]int{}, map[*relax.Var]bool{}, map[relax.Binding][]*relax.Var{}
	infos := infosOf(weights)
	if isBundled(weights) {
		l.bundle = weights[0]
		infos = l.bundle.SInfo.(*relax.TupleStructInfo).Fields
		l.f = withFields(l.f, l.bundle)
	} else {
		for i, p := range weights {
			l.place[p] = i
		}
	}
	params := l.parameters(inputs, infos)
	defined := map[*tir.Var]bool{}
	for _, v := range relax.DefinableVars(infosOf(params)...) {
		defined[v] = true
	}
	for i, s := range infos {
		for _, v := range relax.DefinableVars(s) {
			if !defined[v] {
				l.definer[v], defined[v] = i, true
			}
		}
	}
	out, result, err := l.results()
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 && l.set != "" && len(result.Fields) == 0 {
		return f0, nil // there is nothing to load or store
	}
	l.lives(out)
	l.hooks(out, result)
	f := l.f
	to, err := l.mu.Function(f.WithParams(params).WithPure(false).WithRet(nil).WithAttrs(f.Attrs.Without(attrForcePure)))
	if err != nil {
		return nil, err
	}
	if to.Ret == nil { // the body is as it was
		to = to.WithRet(f.Ret)
	}
	return merged(to, false), nil
}

// withFields returns f with the fields of bundle in a tuple as its result if it returns bundle.
func withFields(f *relax.Function, bundle *relax.Var) *relax.Function {
	if f.Body.Body != relax.Expr(bundle) {
		return f
	}
	names := namesOf(f)
	var bindings []relax.Binding
	result := &relax.Tuple{Base: bundle.Base}
	for i, s := range bundle.SInfo.(*relax.TupleStructInfo).Fields {
		field := bindNew(bundle.Base, names.fresh("lv"), s, &relax.TupleGetItem{Base: bundle.Base, Tuple: bundle, Index: i, SInfo: s})
		bindings = append(bindings, field)
		result.Fields = append(result.Fields, field.Var)
	}
	body := f.Body.WithBody(result)
	if len(bindings) > 0 {
		body = body.WithBlocks(append(body.Blocks[:len(body.Blocks):len(body.Blocks)], &relax.BindingBlock{Bindings: bindings}))
	}
	return f.WithBody(body)
}

// parameters returns the inputs, what the calls need besides indices, and those weights that are
// shapes and scalars, since they define symbolic variables.
func (l *lazyTransform) parameters(inputs []*relax.Var, infos []relax.StructInfo) []*relax.Var {
	params := append(append(inputs, l.getParams...), l.setParams...)
	for _, s := range infos {
		switch s.(type) {
		case *relax.PrimStructInfo, *relax.ShapeStructInfo:
			if len(relax.DefinableVars(s)) > 0 {
				params = append(params, &relax.Var{Name: "symbolic_var_holder", SInfo: s})
			}
		}
	}
	return params
}

// results finds the tuple that the function returns, and the binding that makes it, nil if none does.
func (l *lazyTransform) results() (relax.Binding, *relax.Tuple, error) {
	var out relax.Binding
	result, _ := l.f.Body.Body.(*relax.Tuple)
	relax.EachBinding(l.f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if get, ok := b.BoundValue().(*relax.TupleGetItem); ok && l.bundle != nil && get.Tuple == relax.Expr(l.bundle) {
			l.loaded[b.Bound()] = true
		}
		if t, ok := b.BoundValue().(*relax.Tuple); ok && relax.Expr(b.Bound()) == l.f.Body.Body {
			out, result = b, t
		}
	})
	if result == nil && l.set != "" {
		return nil, nil, fmt.Errorf("expected a function that returns a tuple which it makes, to hand over its fields by %s", l.set)
	}
	if result != nil && l.set != "" {
		for i, r := range result.Fields {
			if v, ok := r.(*relax.Var); ok {
				l.outputs[v] = append(l.outputs[v], i)
			}
		}
	}
	return out, result, nil
}

// lives finds the last uses of variables at the level of the body, the tuple of results aside: a
// result that nothing uses ends where it is bound.
func (l *lazyTransform) lives(out relax.Binding) {
	ended := map[*relax.Var]bool{}
	blocks := l.f.Body.Blocks
	for i := len(blocks) - 1; i >= 0; i-- {
		list := blocks[i].Bindings
		for j := len(list) - 1; j >= 0; j-- {
			b := list[j]
			if b == out {
				continue
			}
			end := func(v *relax.Var) {
				if !ended[v] {
					ended[v] = true
					l.ends[b] = append(l.ends[b], v)
				}
			}
			usedVars(b.BoundValue(), end)
			end(b.Bound())
		}
	}
}

func (l *lazyTransform) hooks(out relax.Binding, result *relax.Tuple) {
	mu := l.mu
	mu.Expr = func(e relax.Expr) relax.Expr {
		switch e := e.(type) {
		case *relax.Var:
			if i, ok := l.place[e]; ok {
				return l.weight(i)
			}
			if e == l.bundle {
				mu.Fail(fmt.Errorf("expected fields of the tuple %s of weights, which is used as a whole", e.Name))
			}
		case *relax.SeqExpr:
			l.depth++
			defer func() { l.depth-- }()
			if l.depth == 1 {
				return l.body(e, out, result)
			}
		}
		return mu.VisitExpr(e)
	}
	mu.Prim = func(e tir.Expr) tir.Expr {
		for _, v := range relax.VarsOf(e) {
			if i, ok := l.definer[v]; ok {
				l.weight(i)
			}
		}
		return e
	}
	mu.Binding = func(b relax.Binding) {
		if l.depth > 1 {
			l.bind(b)
			return
		}
		if branches, ok := b.BoundValue().(*relax.If); ok { // a weight that is asked for in a branch is not known behind it
			ir.Walk(branches, func(n ir.Node) bool {
				if v, ok := n.(*relax.Var); ok {
					if i, ok := l.place[v]; ok {
						l.weight(i)
					}
				}
				return true
			})
		}
		if b == out && l.set != "" {
			l.finish(b.Bound(), result)
			return
		}
		l.bind(b)
		for _, v := range l.ends[b] {
			l.deliver(v)
			if l.loaded[v] && l.set != "" {
				mu.EmitNormalized(effect(ir.Base{}, callOp(opVMKillObject, void, mu.Lookup(v))))
			}
		}
	}
}

// bind emits a binding, which may take a field of the tuple of weights.
func (l *lazyTransform) bind(b relax.Binding) {
	get, ok := b.BoundValue().(*relax.TupleGetItem)
	if !ok || l.bundle == nil || get.Tuple != relax.Expr(l.bundle) {
		l.mu.VisitBinding(b)
		return
	}
	v := l.weight(get.Index)
	delete(l.fetched, get.Index) // the name may be killed, and the value with it
	l.mu.Reemit(&relax.VarBinding{Base: b.Meta(), Var: b.Bound(), Value: v})
}

// body is the body of the function, in which results that stand in it are handed over at its end.
func (l *lazyTransform) body(s *relax.SeqExpr, out relax.Binding, result *relax.Tuple) relax.Expr {
	if out != nil || l.set == "" {
		return l.mu.VisitExpr(s)
	}
	bb := l.mu.Builder()
	bb.BeginSeq()
	for _, b := range s.Blocks {
		l.mu.VisitBlock(b)
	}
	end, err := bb.EndSeq(l.finish(nil, result))
	if err != nil {
		l.mu.Fail(err)
		return s
	}
	return end
}

// finish hands over the results that are left, and constants, and returns the empty tuple that
// the function yields in their place, bound to old.
func (l *lazyTransform) finish(old *relax.Var, result *relax.Tuple) relax.Expr {
	for _, r := range result.Fields {
		if v, ok := r.(*relax.Var); ok {
			l.deliver(v) // a parameter
		}
	}
	nothing := l.mu.Emit(&relax.Tuple{}, "gv")
	if old != nil {
		l.mu.Remap(old, nothing)
	}
	for i, r := range result.Fields {
		if _, ok := r.(*relax.Var); !ok {
			l.store(i, l.mu.VisitExpr(r))
		}
	}
	return nothing
}

// deliver hands over v in all its places, once.
func (l *lazyTransform) deliver(v *relax.Var) {
	places := l.outputs[v]
	delete(l.outputs, v)
	for _, i := range places {
		value := l.mu.Lookup(v)
		if at, ok := l.place[v]; ok {
			value = l.weight(at)
		}
		l.store(i, value)
	}
}

func (l *lazyTransform) store(place int, value relax.Expr) {
	l.mu.Emit(l.packed(l.set, append(exprs(l.setParams), primInt(int64(place)), value)), "_")
}

// weight returns the variable of the weight at a place, which is asked for first if need be.
func (l *lazyTransform) weight(place int) *relax.Var {
	if v := l.fetched[place]; v != nil {
		return v
	}
	var info relax.StructInfo
	name := "gv"
	if l.bundle != nil {
		fields := l.bundle.SInfo.(*relax.TupleStructInfo).Fields
		info = fields[place]
	} else {
		info, name = l.weights[place].SInfo, l.weights[place].Name
	}
	for _, v := range relax.DefinableVars(info) {
		delete(l.definer, v)
	}
	for _, v := range relax.FreeSymbolicVars(info) { // an extent that is computed from one of another weight
		if i, ok := l.definer[v]; ok {
			l.weight(i)
		}
	}
	object := l.mu.Emit(l.packed(l.get, append(exprs(l.getParams), primInt(int64(place)))), "gv")
	v, err := l.mu.Builder().EmitMatchCast(object, info, name)
	if err != nil {
		l.mu.Fail(err)
		return object
	}
	l.fetched[place] = v
	return v
}

// packed is a call of a packed function that returns an object.
func (l *lazyTransform) packed(name string, args []relax.Expr) *relax.Call {
	return &relax.Call{Base: ir.Base{Origin: l.f.Origin, Span: l.f.Span}, Op: &relax.ExternFunc{Symbol: name}, Args: args, SInfoArgs: []relax.StructInfo{relax.Object()}}
}

// exprs returns variables as expressions.
func exprs(list []*relax.Var) []relax.Expr {
	out := make([]relax.Expr, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}
