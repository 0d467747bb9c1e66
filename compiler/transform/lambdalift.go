package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// LambdaLift makes functions of the module of those inside of functions.
var LambdaLift = &pass.Pass{
	Name: "LambdaLift", Level: 1, Kind: pass.Module,
	Doc: "Moves functions that are defined inside of functions to the module. One that uses variables from outside gets them as parameters behind its own, and its value becomes a closure (make_closure), which is called by invoke_closure or invoke_pure_closure.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		l := &lifter{c: c, m: m, around: map[string]bool{}, byVar: map[*relax.Var]*lambda{}, returns: map[string]bool{}, changed: map[string]bool{}}
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok {
				l.collect(f.Body, []string{gv.Name})
			}
		}
		if len(l.lambdas) == 0 {
			return m, nil
		}
		if err := l.name(); err != nil {
			return nil, err
		}
		return l.lift()
	},
}

// A lambda is a function that is the value of a variable.
type lambda struct {
	self     *relax.Var
	fn       *relax.Function
	path     []string // names of the function and of the variables that it is inside of, its own last
	captured []*relax.Var
	params   []*relax.Var // those that stand for captured in the lifted function
	gv       *ir.GlobalVar
	stays    bool       // since it could not be called from outside
	again    *relax.Var // its own value in the lifted function, if that uses it
}

// lifter lifts in three steps. Lambdas are collected with what they capture, from the outside to the inside, so that it is known of what one captures whether
// that is a closure. They get names. Then all functions are rewritten, from the inside to the outside: the struct info of a lifted function is known
// before its calls are visited.
type lifter struct {
	c       *pass.Context
	m       *ir.Module
	lambdas []*lambda       // each before those inside of it
	inner   []*lambda       // each behind those inside of it
	around  map[string]bool // functions that lambdas are in
	byVar   map[*relax.Var]*lambda
	returns map[string]bool // functions whose results are closures
	changed map[string]bool // functions whose results have other struct info now
	// While a function is rewritten:
	mu       *relax.ExprMutator
	at       *lambda
	closures map[*relax.Var]bool
}

// collect notes the lambdas of a sequence.
func (l *lifter) collect(s *relax.SeqExpr, path []string) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			switch v := b.BoundValue().(type) {
			case *relax.If:
				l.collect(v.Then, path)
				l.collect(v.Else, path)
			case *relax.Function:
				x := &lambda{self: b.Bound(), fn: v, path: append(path[:len(path):len(path)], b.Bound().Name)}
				l.capture(x)
				l.lambdas = append(l.lambdas, x)
				l.byVar[x.self] = x
				l.around[path[0]] = true
				l.collect(v.Body, x.path)
				l.inner = append(l.inner, x)
			}
		}
	}
}

// capture finds what a lambda takes from outside: all but itself and lambdas that take nothing.
func (l *lifter) capture(x *lambda) {
	var infos []relax.StructInfo
	for _, v := range relax.FreeVars(x.fn) {
		if other := l.byVar[v]; v == x.self || other != nil && !other.stays && len(other.captured) == 0 {
			continue
		}
		x.captured = append(x.captured, v)
		p := &relax.Var{Base: v.Base, Name: v.Name, SInfo: v.SInfo}
		if other := l.byVar[v]; other != nil && !other.stays {
			p.SInfo = relax.Object()
		}
		x.params = append(x.params, p)
		infos = append(infos, v.SInfo)
	}
	if v := relax.UndefinedSymbol(x.fn, infos...); v != nil {
		x.stays = true
		l.c.Declined("lift a function", x.fn, "it uses the symbolic variable "+v.Name+" from outside, which nothing that it captures defines")
	}
}

// name gives each lambda a name: its global_symbol, or that of its variable behind the one of the function that it is inside of, if no other has that; then with all
// names on the way; then with a number.
func (l *lifter) name() error {
	taken := map[string]bool{}
	for gv := range l.m.Funcs() {
		taken[gv.Name] = true
	}
	var rest []*lambda
	public := map[string]*lambda{}
	for _, x := range l.lambdas {
		symbol := ir.GlobalSymbol(x.fn)
		switch {
		case x.stays:
		case symbol == "":
			rest = append(rest, x)
		case taken[symbol]:
			return fmt.Errorf("function %s contains a function with the global_symbol %s, which is the name of a function of the module", x.path[0], symbol)
		case public[symbol] != nil:
			return fmt.Errorf("functions %s and %s both contain a function with the global_symbol %s", public[symbol].path[0], x.path[0], symbol)
		default:
			public[symbol], x.gv = x, ir.NewGlobalVar(symbol)
		}
	}
	for name := range public {
		taken[name] = true
	}
	attempt := func(propose func(*lambda) string) {
		count := map[string]int{}
		for _, x := range rest {
			count[propose(x)]++
		}
		var left []*lambda
		for _, x := range rest {
			if name := propose(x); name != "" && count[name] == 1 && !taken[name] {
				x.gv = ir.NewGlobalVar(name)
			} else {
				left = append(left, x)
			}
		}
		for _, x := range rest {
			if x.gv != nil {
				taken[x.gv.Name] = true
			}
		}
		rest = left
	}
	short := func(x *lambda) string { return x.path[0] + "_" + x.path[len(x.path)-1] }
	attempt(short)
	attempt(func(x *lambda) string {
		if len(x.path) == 2 {
			return ""
		}
		return strings.Join(x.path, "_")
	})
	next := map[string]int{}
	for _, x := range rest {
		hint := short(x)
		name := fmt.Sprintf("%s_%d", hint, next[hint])
		for taken[name] {
			next[hint]++
			name = fmt.Sprintf("%s_%d", hint, next[hint])
		}
		next[hint]++
		x.gv, taken[name] = ir.NewGlobalVar(name), true
	}
	return nil
}

// lift rewrites all functions.
func (l *lifter) lift() (*ir.Module, error) {
	l.mu = op.NewExprMutator(l.m)
	l.mu.Call, l.mu.Binding = l.call, l.binding
	for _, x := range l.lambdas { // known before they are rewritten, as they may call themselves
		if x.stays {
			continue
		}
		l.mu.Builder().UpdateFunc(x.gv.Name, x.fn.WithParams(slices.Concat(x.fn.Params, x.params)))
		if len(x.captured) == 0 {
			l.mu.Remap(x.self, x.gv)
		}
	}
	for _, x := range l.inner {
		if !x.stays {
			if err := l.one(x); err != nil {
				return nil, err
			}
		}
	}
	for _, within := range []bool{true, false} { // those whose results may become closures first
		for gv, fn := range l.m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || l.around[gv.Name] != within {
				continue
			}
			l.c.Working(gv.Name)
			out, err := l.rewrite(gv.Name, f, nil)
			if err != nil {
				return nil, err
			}
			if out != f {
				l.mu.Builder().UpdateFunc(gv.Name, out)
			}
		}
	}
	l.c.Working("")
	return l.mu.Builder().Module(), nil
}

// one makes the function of a lambda: what it captures are parameters there. If it uses its own value, it makes the closure anew.
func (l *lifter) one(x *lambda) error {
	name := x.gv.Name
	l.c.Working(name)
	f := x.fn.WithParams(slices.Concat(x.fn.Params, x.params))
	for i, v := range x.captured {
		l.mu.Remap(v, x.params[i])
	}
	if len(x.captured) > 0 {
		l.mu.Remap(x.self, x.gv)
		if usesValue(x.fn, x.self) {
			again := &relax.Var{Name: x.self.Name, SInfo: relax.Object()}
			b := &relax.VarBinding{Var: again, Value: closure(x.gv, x.params)}
			f = f.WithBody(f.Body.WithBlocks(slices.Concat([]*relax.BindingBlock{{Bindings: []relax.Binding{b}}}, f.Body.Blocks)))
			l.mu.Remap(x.self, again)
			x.again = again
		}
	}
	out, err := l.rewrite(name, f, x)
	if err != nil {
		return err
	}
	for _, v := range x.captured {
		l.mu.Remap(v, v)
	}
	if len(x.captured) > 0 {
		l.mu.Remap(x.self, x.self)
	}
	out = relax.CopyFunction(out)
	l.mu.Builder().UpdateFunc(name, out)
	l.c.Rewrite("lift a function", x.fn, out)
	return nil
}

// rewrite rewrites a function of the module, or that of the lambda x.
func (l *lifter) rewrite(name string, f *relax.Function, x *lambda) (*relax.Function, error) {
	if err := l.c.Err(); err != nil {
		return nil, err
	}
	l.at, l.closures = x, map[*relax.Var]bool{}
	if x != nil {
		l.closures[x.again] = true
		for i, v := range x.captured {
			l.closures[x.params[i]] = l.byVar[v] != nil && !l.byVar[v].stays
		}
	}
	out, err := l.mu.Function(f)
	if err == nil && out != f {
		out, err = l.mu.Builder().NormalizeFunction(merged(out, true)) // the result is inferred, not what it was declared as
	}
	if err != nil {
		return nil, err
	}
	v, ok := out.Body.Body.(*relax.Var)
	l.returns[name] = ok && l.closures[v]
	l.changed[name] = out.Ret != f.Ret
	return out, nil
}

// binding puts closures in the place of functions, and follows where closures go.
func (l *lifter) binding(b relax.Binding) {
	x := l.byVar[b.Bound()]
	vb, plain := b.(*relax.VarBinding)
	_, local := b.BoundValue().(*relax.Function)
	switch {
	case x == nil || x.stays || !local:
		l.mu.VisitBinding(b)
	case len(x.captured) > 0:
		vars := make([]*relax.Var, len(x.captured))
		for i, v := range x.captured {
			vars[i] = l.mu.Lookup(v).(*relax.Var)
		}
		l.mu.Reemit(&relax.VarBinding{Base: vb.Base, Var: vb.Var, Value: closure(x.gv, vars)})
	default:
		return
	}
	v, ok := l.mu.Lookup(b.Bound()).(*relax.Var)
	if !ok || !plain {
		return
	}
	switch value := l.mu.Builder().LookupBinding(v).(type) {
	case *relax.Var:
		l.closures[v] = l.closures[value]
	case *relax.Call:
		l.closures[v] = opName(value) == "relax.make_closure" || l.returns[calleeOf(value)]
	}
}

// call calls closures, and gives a function that calls itself what it captured.
func (l *lifter) call(call *relax.Call) relax.Expr {
	if x := l.at; x != nil && x.again == nil && len(x.captured) > 0 && calleeOf(call) == x.gv.Name {
		args := slices.Clone(call.Args)
		for _, p := range x.params {
			args = append(args, p)
		}
		return &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: call.Attrs, SInfoArgs: call.SInfoArgs}
	}
	if l.changed[calleeOf(call)] { // its result is another one now
		return &relax.Call{Base: call.Base, Op: call.Op, Args: call.Args, Attrs: call.Attrs, SInfoArgs: call.SInfoArgs}
	}
	v, ok := call.Op.(*relax.Var)
	if !ok || !l.closures[v] {
		return call
	}
	name := "relax.invoke_pure_closure"
	info := call.SInfo
	if at, ok := l.mu.At().BoundValue().(*relax.Call); ok {
		info = at.SInfo
		if callee, ok := relax.SInfoOf(at.Op).(*relax.FuncStructInfo); ok && !callee.Pure {
			name = "relax.invoke_closure"
		}
	}
	return &relax.Call{Base: call.Base, Op: ir.NewOp(name), Args: []relax.Expr{v, &relax.Tuple{Fields: call.Args}}, SInfoArgs: []relax.StructInfo{info}}
}

// closure makes the value of a lifted function with what it captures.
func closure(gv *ir.GlobalVar, captured []*relax.Var) *relax.Call {
	fields := make([]relax.Expr, len(captured))
	for i, v := range captured {
		fields[i] = v
	}
	return &relax.Call{Op: ir.NewOp("relax.make_closure"), Args: []relax.Expr{gv, &relax.Tuple{Fields: fields}}}
}

// usesValue tells whether fn uses v in another way than calling it, or in a function inside of it.
func usesValue(fn *relax.Function, v *relax.Var) bool {
	used := false
	var visit func(n ir.Node) bool
	visit = func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Call:
			if n.Op == relax.Expr(v) {
				for _, a := range n.Args {
					ir.Walk(a, visit)
				}
				return false
			}
		case *relax.Function:
			used = used || slices.Contains(relax.FreeVars(n), v)
			return false
		case *relax.Var:
			used = used || n == v
		}
		return !used
	}
	ir.Walk(fn.Body, visit)
	return used
}
