package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// RemoveUnusedParameters takes from private functions the parameters that they do not use.
var RemoveUnusedParameters = &pass.Pass{
	Name: "RemoveUnusedParameters", Kind: pass.Module,
	Doc: "Removes parameters that private functions do not use, and what their callers computed for them. A symbolic variable that only such a parameter defined becomes a parameter itself.",
	Run: removeUnusedParams,
}

func removeUnusedParams(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	slimmer := map[string]*slimmed{}
	e := m.Edit()
	calls := calledOnly(m)
	for gv, fn := range m.Funcs() {
		list, ok := calls[gv.Name]
		if !ok {
			continue
		}
		f := fn.(*relax.Function)
		s := slim(f)
		if s == nil {
			continue
		}
		c.Working(gv.Name)
		if err := s.fits(list); err != nil {
			c.Declined("remove unused parameters", f, err.Error())
			continue
		}
		slimmer[gv.Name] = s
		e.Set(gv.Name, s.to)
		c.Rewrite("remove unused parameters", f, s.to)
	}
	c.Working("")
	if len(slimmer) == 0 {
		return m, nil
	}
	m = e.Done()
	return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(m)
		mu.Call = func(call *relax.Call) relax.Expr {
			s := slimmer[calleeOf(call)]
			if s == nil {
				return call
			}
			args, err := s.arguments(mu.Builder().Context(), call)
			if err != nil {
				mu.Fail(err)
				return call
			}
			return rewritten(c, "pass only what is used", call, call.WithArgs(args))
		}
		out, err := mu.Function(f)
		if err != nil || out == f {
			return out, err
		}
		return removeUnused(c, m, out)
	})
}

// slimmed is a function that lost parameters.
type slimmed struct {
	from, to *relax.Function
	kept     []bool
	// symbols are the symbolic variables that became parameters, behind the others.
	symbols []*tir.Var
}

// slim returns f without the parameters that it does not use; nil if it uses all.
func slim(f *relax.Function) *slimmed {
	s := &slimmed{from: f, kept: make([]bool, len(f.Params))}
	free := map[*relax.Var]bool{}
	for _, v := range relax.FreeVars(f.Body) {
		free[v] = true
	}
	symbols := usedSymbols(f, free)
	var params []*relax.Var
	var infos []relax.StructInfo
	for i, p := range f.Params {
		if s.kept[i] = free[p] || isScalar(p, symbols); s.kept[i] {
			params, infos = append(params, p), append(infos, p.SInfo)
		}
	}
	if len(params) == len(f.Params) {
		return nil
	}
	defined := relax.DefinableVars(infos...)
	for _, v := range symbols {
		if !slices.Contains(defined, v) {
			s.symbols = append(s.symbols, v)
			params = append(params, &relax.Var{Name: "param_" + v.Name, SInfo: &relax.PrimStructInfo{Value: v, DType: v.DType()}})
		}
	}
	s.to = f.WithParams(params)
	return s
}

// isScalar tells whether a parameter is the value of one of the symbolic variables.
func isScalar(p *relax.Var, symbols []*tir.Var) bool {
	info, ok := p.SInfo.(*relax.PrimStructInfo)
	if !ok {
		return false
	}
	v, ok := info.Value.(*tir.Var)
	return ok && slices.Contains(symbols, v)
}

// usedSymbols returns the symbolic variables that the parameters of f define and that its kept parameters, body or result use, the
// last used first, which is the order in which TVM appends them; free are the variables that the body takes from outside.
func usedSymbols(f *relax.Function, free map[*relax.Var]bool) []*tir.Var {
	defined := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		defined[v] = true
	}
	var used []*tir.Var
	walk := func(n ir.Node) {
		ir.Walk(n, func(x ir.Node) bool {
			if v, ok := x.(*tir.Var); ok && defined[v] {
				used, defined[v] = append(used, v), false
			}
			return true
		})
	}
	walk(f.Body)
	if f.Ret != nil {
		walk(f.Ret)
	}
	for _, p := range f.Params {
		if p.SInfo != nil && free[p] {
			walk(p.SInfo)
		}
	}
	slices.Reverse(used)
	return used
}

// fits tells whether all calls can pass what the slim function wants.
func (s *slimmed) fits(calls []*relax.Call) error {
	ctx := &relax.InferContext{Prover: arith.NewAnalyzer()}
	for _, call := range calls {
		if _, err := s.arguments(ctx, call); err != nil {
			return err
		}
	}
	return nil
}

// arguments returns what a call passes to the slim function.
func (s *slimmed) arguments(ctx *relax.InferContext, call *relax.Call) ([]relax.Expr, error) {
	if len(call.Args) != len(s.kept) {
		return nil, fmt.Errorf("call of %s: %d arguments, want %d", calleeOf(call), len(call.Args), len(s.kept))
	}
	var args []relax.Expr
	var want, have []relax.StructInfo
	for i, a := range call.Args {
		want, have = append(want, s.from.Params[i].SInfo), append(have, ctx.SInfoOf(a))
		if s.kept[i] {
			args = append(args, a)
		}
	}
	if len(s.symbols) == 0 {
		return args, nil
	}
	values, bad := ctx.MatchParams(want, have)
	if bad >= 0 {
		return nil, fmt.Errorf("call of %s: argument %d: expected %s, got %s", calleeOf(call), bad, relax.FormatSInfo(want[bad]), relax.FormatSInfo(have[bad]))
	}
	for _, v := range s.symbols {
		value, ok := values[v]
		if !ok {
			return nil, fmt.Errorf("call of %s: the value of %s is not known", calleeOf(call), v.Name)
		}
		args = append(args, &relax.PrimValue{Value: value})
	}
	return args, nil
}
