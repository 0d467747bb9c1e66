package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// RunCodegen has external code generators compile the functions that are for them.
var RunCodegen = &pass.Pass{
	Name: "RunCodegen", Kind: pass.Module,
	Doc: "Has external code generators compile the functions with the attribute Codegen, which names the generator, and replaces their calls by call_dps_packed of what comes of it, under the global_symbol of the function.",
	Options: []pass.Option{
		{Name: "target_options", Default: &ir.Attrs{}, Doc: "options of generators: by the name of the generator, by the name of the option"},
		entryFunctions,
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		entries, err := relaxEntries(c, m)
		if err != nil {
			return nil, err
		}
		r := &codegenRun{c: c, m: m, e: m.Edit(), done: map[string]*compiledFunction{}}
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || f.Attrs.Has(pass.AttrCodegen) {
				continue
			}
			c.Working(gv.Name)
			if err := c.Err(); err != nil {
				return nil, err
			}
			out, err := r.function(f)
			if err != nil {
				return nil, err
			}
			r.e.Set(gv.Name, out)
		}
		c.Working("")
		if len(r.done) == 0 {
			return m, nil
		}
		for _, name := range r.order {
			x := r.done[name]
			r.e.Remove(name)
			r.e.Set(name, x.Kernel)
			c.Rewrite("compile by "+x.codegen, x.from, x.Kernel)
		}
		out := r.e.Done()
		for gv, fn := range out.Funcs() {
			if ir.GlobalSymbol(fn) != "" && !slices.Contains(entries, gv.Name) {
				entries = append(entries, gv.Name)
			}
		}
		return removeUnreachable(c, out, entries), nil
	},
}

// codegenRun calls the generators for the functions that the rest of a module calls, each once.
type codegenRun struct {
	c     *pass.Context
	m     *ir.Module
	e     *ir.Editor
	done  map[string]*compiledFunction
	order []string
}

type compiledFunction struct {
	*Compiled
	codegen string
	from    *relax.Function
}

// function returns f with calls of what was compiled.
func (r *codegenRun) function(f *relax.Function) (*relax.Function, error) {
	mu := newMutator(r.c, r.m, "call what a generator compiled")
	mu.Call = func(call *relax.Call) relax.Expr {
		callee, ok := r.m.Lookup(calleeOf(call)).(*relax.Function)
		if !ok || !callee.Attrs.Has(pass.AttrCodegen) {
			return call
		}
		x, err := r.compile(calleeOf(call), callee)
		if err != nil {
			mu.Fail(err)
			return call
		}
		info := call.SInfo
		if at := mu.At(); at != nil && at.BoundValue() == relax.Expr(call) {
			info = at.Bound().SInfo
		}
		args := slices.Clone(call.Args)
		for _, k := range x.Constants {
			args = append(args, k)
		}
		return &relax.Call{
			Base: call.Base, Op: ir.NewOp(opCallDPS), SInfoArgs: []relax.StructInfo{info}, SInfo: info,
			Args: []relax.Expr{&relax.ExternFunc{Symbol: calleeOf(call)}, &relax.Tuple{Fields: args}},
		}
	}
	return mu.Function(f)
}

// compile has the generator of a function compile it.
func (r *codegenRun) compile(name string, f *relax.Function) (*compiledFunction, error) {
	if x := r.done[name]; x != nil {
		return x, nil
	}
	codegen := f.Attrs.Str(pass.AttrCodegen, "")
	if symbol := ir.GlobalSymbol(f); symbol != name {
		return nil, fmt.Errorf("function %s is for the code generator %s: expected its name as global_symbol, got %q", name, codegen, symbol)
	}
	g := codegenOf(r.c.Registry, codegen)
	if g == nil {
		return nil, fmt.Errorf("function %s: codegen is not found: relax.ext.%s; known are those that are registered by RegisterBackend, and %s", name, codegen, ownCodegen)
	}
	var options *ir.Attrs
	if v, ok := r.c.Arg("target_options").(*ir.Attrs).Get(codegen); ok {
		if options, ok = v.(*ir.Attrs); !ok {
			return nil, fmt.Errorf("target_options: expected a dict of options for %s, got %v", codegen, v)
		}
	}
	out, err := g.Compile(r.c, r.m, name, f, options)
	if err != nil {
		return nil, fmt.Errorf("code generator %s: function %s: %w", codegen, name, err)
	}
	x := &compiledFunction{Compiled: &Compiled{Constants: out.Constants, Kernel: out.Kernel.WithFuncAttrs(out.Kernel.Attrs.With(ir.AttrGlobalSymbol, name)).(*tir.PrimFunc)}, codegen: codegen, from: f}
	r.done[name] = x
	r.order = append(r.order, name)
	return x, nil
}

// compileOwn compiles a function through this compiler: what it contains is put into it, its operators become kernels, and these become one.
func compileOwn(c *pass.Context, m *ir.Module, symbol string, f *relax.Function, options *ir.Attrs) (*Compiled, error) {
	kernels := "tuned"
	for i := range options.Len() {
		key, v := options.At(i)
		if key != "kernels" || v != "tuned" && v != "topi" {
			return nil, fmt.Errorf("target_options: the only option is kernels, which is tuned or topi as for LegalizeOps; got %s: %v", key, v)
		}
		kernels = v.(string)
	}
	flat, err := inlineLocals(c, m, relax.CopyFunction(f.WithAttrs(nil)))
	if err != nil {
		return nil, err
	}
	if flat, err = tupleAsResult(c, m, flat); err != nil {
		return nil, err
	}
	l := newLegalizer(c, "LegalizeOps", m.With(symbol, flat))
	l.tuned = kernels == "tuned"
	lowered, err := l.module()
	if err != nil {
		return nil, err
	}
	flat = lowered.Lookup(symbol).(*relax.Function)
	relax.EachBinding(flat.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if name := opName(b.BoundValue()); name != opCallTIR && err == nil {
			what := "a value that is no call"
			if name != "" {
				what = "operator " + name
			}
			err = fmt.Errorf("%s = %s has no kernel", b.Bound().Name, what)
		}
	})
	if err != nil {
		return nil, err
	}
	flat, constants := constantsAsParams(flat)
	_, kernel, err := fusePrimFuncs(lowered, flat)
	if err != nil {
		return nil, err
	}
	return &Compiled{Kernel: kernel, Constants: constants}, nil
}

// inlineLocals returns f with the bodies of its local functions in the place of their calls.
func inlineLocals(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	locals := map[*relax.Var]*relax.Function{}
	in := &inliner{c: c, body: func(call *relax.Call) *relax.Function {
		v, _ := call.Op.(*relax.Var)
		return locals[v]
	}}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if fn, ok := b.BoundValue().(*relax.Function); ok {
			locals[b.Bound()] = fn
		}
	})
	return in.function(m, f)
}

// tupleAsResult returns f with the fields of a tuple that it returns as its results, rather than a variable that holds it.
func tupleAsResult(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	var t *relax.Tuple
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if value, ok := b.BoundValue().(*relax.Tuple); ok && f.Body.Body == relax.Expr(b.Bound()) {
			t = value
		}
	})
	if t == nil {
		return f, nil
	}
	return removeUnused(c, m, f.WithBody(f.Body.WithBody(t)))
}

// constantsAsParams returns f with constant tensors as parameters behind its own, and these constants.
func constantsAsParams(f *relax.Function) (*relax.Function, []*relax.Constant) {
	var list []*relax.Constant
	params := slices.Clone(f.Params)
	byConstant := map[*relax.Constant]*relax.Var{}
	var m relax.Mapper
	m.Expr = func(e relax.Expr) relax.Expr {
		k, ok := e.(*relax.Constant)
		if !ok {
			return m.MapExpr(e)
		}
		if _, scalar := scalarConst(k); scalar {
			return k // it becomes part of the kernel
		}
		if byConstant[k] == nil {
			byConstant[k] = &relax.Var{Base: k.Base, Name: fmt.Sprintf("const_%d", len(list)), SInfo: relax.SInfoOf(k)}
			list, params = append(list, k), append(params, byConstant[k])
		}
		return byConstant[k]
	}
	body := m.Expr(f.Body).(*relax.SeqExpr)
	return f.WithBody(body).WithParams(params), list
}
