package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// VerifyOpts say how thoroughly a module is verified.
type VerifyOpts struct {
	// Ops knows the operators; nil leaves out what needs them: inference and purity.
	Ops OpTable
	// Prover compares symbolic dimensions; nil compares structurally.
	Prover Prover
	// SInfo says whether the struct info of calls and variables is compared with what is
	// inferred.
	SInfo bool
	// Limit bounds the findings for one function; 0 is 100.
	Limit int
	// Checked, if not nil, has the calls that earlier verifications with the same Ops, Prover and SInfo found right.
	Checked *Checked
}

// Checked keeps, from one verification of a module to the next, what was found right of calls: a pass leaves most calls as they are.
// Calls that the last verification did not meet are forgotten. A nil Checked knows nothing and keeps nothing.
type Checked struct{ before, now ir.Memo[*Call, checkedCall] }

// checkedCall is what was found right of a call.
type checkedCall struct {
	inferred bool          // its struct info follows from what it holds
	fits     *tir.PrimFunc // what it calls fits it; nil if that is not known
}

// Next begins another verification.
func (k *Checked) Next() {
	k.before, k.now = k.now, k.before
	k.now.Clear()
}

// of returns what is known of c, and keeps it for the next verification.
func (k *Checked) of(c *Call) checkedCall {
	if k == nil {
		return checkedCall{}
	}
	known, ok := k.now.Get(c)
	if !ok {
		if known, ok = k.before.Get(c); ok {
			k.now.Put(c, known)
		}
	}
	return known
}

// put notes what is known of c.
func (k *Checked) put(c *Call, known checkedCall) {
	if k != nil {
		k.now.Put(c, known)
	}
}

const defaultVerifyLimit = 100

// WellFormed returns what is wrong with the Relax functions of mod, nil if nothing is.
// The rules are those of TVM's well_formed: every variable is defined once, before its uses
// and in one function; dataflow variables stay in their block; symbolic variables are defined
// before they are used; calls are in A-normal form; functions that are called exist; struct
// info is there and agrees with what is inferred; pure functions call nothing impure; and
// calls of PrimFuncs fit their signatures. Beyond these, nothing is used after a kill ended
// its life. It does not look into PrimFuncs.
func WellFormed(mod *ir.Module, opts VerifyOpts) []ir.Diagnostic {
	var out []ir.Diagnostic
	owner, symOwner := map[*Var]string{}, map[*tir.Var]string{}
	for gv, fn := range mod.Funcs() {
		f, ok := fn.(*Function)
		if !ok {
			continue
		}
		v := newVerifier(mod, gv.Name, opts)
		v.function(f, true)
		for _, x := range v.defined {
			if other, ok := owner[x]; ok && other != gv.Name {
				v.report(x, "variable %s is also defined in function %s", x.Name, other)
			}
			owner[x] = gv.Name
		}
		for _, x := range v.defSyms {
			if other, ok := symOwner[x]; ok && other != gv.Name {
				v.report(x, "symbolic variable %s is also defined in function %s", x.Name, other)
			}
			symOwner[x] = gv.Name
		}
		out = append(out, v.found...)
	}
	return out
}

// WellFormedFunc is WellFormed for one function of mod, for a caller that knows the others to
// be fine. That variables are not shared between functions is not checked.
func WellFormedFunc(mod *ir.Module, name string, f *Function, opts VerifyOpts) []ir.Diagnostic {
	v := newVerifier(mod, name, opts)
	v.function(f, true)
	return v.found
}

// verifier checks one function. Scopes are kept as sets of what is visible, with a list of
// what to take out at the end of a scope.
type verifier struct {
	mod   *ir.Module
	opts  VerifyOpts
	ctx   *InferContext
	name  string // function
	at    string // variable that is being bound
	node  ir.Node
	found []ir.Diagnostic

	vars     ir.Memo[*Var, sight]
	defined  []*Var // in order
	syms     map[*tir.Var]bool
	defSyms  []*tir.Var // in order
	values   ir.Memo[*Var, Expr]
	asked    bool // the module or a value was looked at
	lives    *lives
	okPrims  map[tir.Expr]bool // expressions all of whose variables are visible
	dataflow bool
	pure     bool // the function must not call what is impure
	forced   bool // purity is not checked any more
}

// sight is what is known of a variable: whether it was defined anywhere, and whether it may be used here.
type sight struct{ defined, visible bool }

// hide ends the scope of x.
func (v *verifier) hide(x *Var) {
	s, _ := v.vars.Get(x)
	s.visible = false
	v.vars.Put(x, s)
}

func newVerifier(mod *ir.Module, name string, opts VerifyOpts) *verifier {
	if opts.Limit == 0 {
		opts.Limit = defaultVerifyLimit
	}
	v := &verifier{
		mod: mod, opts: opts, name: name,
		syms: map[*tir.Var]bool{}, lives: newLives(),
		okPrims: map[tir.Expr]bool{},
	}
	v.ctx = &InferContext{
		Prover:   opts.Prover,
		Func:     func(name string) ir.Function { v.asked = true; return mod.Lookup(name) },
		VDevices: func() []ir.Node { v.asked = true; return mod.GlobalInfos()["vdevice"] },
		Bound:    func(x *Var) Expr { v.asked = true; e, _ := v.values.Get(x); return e },
	}
	return v
}

// report adds a finding about n.
func (v *verifier) report(n ir.Node, format string, args ...any) {
	if len(v.found) >= v.opts.Limit {
		return
	}
	msg := fmt.Sprintf(format, args...)
	if v.at != "" {
		msg = "binding of " + v.at + ": " + msg
	}
	d := ir.Diagnostic{Severity: ir.Error, Func: v.name, Message: msg}
	for _, m := range []ir.Node{n, v.node} {
		if m == nil {
			continue
		}
		base := m.Meta()
		if d.Span == nil {
			d.Span = base.Span
		}
		if d.Origin == 0 {
			d.Origin = base.Origin
		}
	}
	v.found = append(v.found, d)
}

// forcePure is the attribute of a function whose purity is not checked any more.
const forcePure = "relax.force_pure"

func (v *verifier) function(f *Function, global bool) {
	outerPure, outerForced, outerFlow := v.pure, v.forced, v.dataflow
	v.forced = v.forced || f.Attrs.Bool(forcePure, false)
	v.pure, v.dataflow = f.Pure, false
	defer func() { v.pure, v.forced, v.dataflow = outerPure, outerForced, outerFlow }()
	if global {
		if s := ir.GlobalSymbol(f); s != "" && s != v.name {
			v.report(f, "the function's global_symbol is %q", s)
		}
	}
	end := v.scope()
	defer end()
	for _, p := range f.Params {
		if p.SInfo == nil {
			v.report(p, "parameter %s has no struct info", p.Name)
			continue
		}
		if p.Dataflow {
			v.report(p, "parameter %s is a dataflow variable", p.Name)
		}
		for _, s := range DefinableVars(p.SInfo) {
			v.defineSym(s)
		}
	}
	for _, p := range f.Params {
		v.define(p)
		v.sinfo(p, p.SInfo)
	}
	if f.Body == nil {
		v.report(f, "the function has no body")
		return
	}
	v.seq(f.Body)
	v.result(f)
}

// result checks the struct info of the result against the parameters and the body.
func (v *verifier) result(f *Function) {
	if f.Ret == nil {
		v.report(f, "the struct info of the result is missing")
		return
	}
	own := map[*tir.Var]bool{}
	for _, s := range DefinedSymbolicVars(f) {
		own[s] = true
	}
	for _, s := range FreeSymbolicVars(f.Ret) {
		if !own[s] && !v.syms[s] {
			v.report(f, "the struct info of the result uses symbolic variable %s, which no parameter defines", s.Name)
		}
	}
	if got := v.ctx.SInfoOf(f.Body.Body); v.opts.SInfo && got != nil && v.ctx.IsBaseOf(f.Ret, got) == False {
		v.report(f, "the result is %s, but the function says %s", FormatSInfo(got), FormatSInfo(f.Ret))
	}
}

// scope starts a scope and returns the function that ends it: what was defined since is not
// visible any more.
func (v *verifier) scope() (end func()) {
	vars, syms := len(v.defined), len(v.defSyms)
	return func() {
		for _, x := range v.defined[vars:] {
			v.hide(x)
		}
		if len(v.defSyms) > syms {
			for _, s := range v.defSyms[syms:] {
				delete(v.syms, s)
			}
			clear(v.okPrims)
		}
	}
}

func (v *verifier) define(x *Var) {
	if s, _ := v.vars.Get(x); s.defined {
		v.report(x, "variable %s is defined twice", x.Name)
	}
	v.vars.Put(x, sight{defined: true, visible: true})
	v.defined = append(v.defined, x)
}

func (v *verifier) defineSym(s *tir.Var) {
	if !v.syms[s] {
		v.syms[s] = true
		v.defSyms = append(v.defSyms, s)
	}
}

// sinfo checks that the variables in struct info are visible.
func (v *verifier) sinfo(n ir.Node, s StructInfo) {
	switch s := s.(type) {
	case nil:
		return
	case *TensorStructInfo:
		if s.Sharding != nil {
			if err := s.Sharding.Check(s.NDim); err != nil {
				v.report(n, "%v", err)
			}
		}
		if x, ok := s.Shape.(*Var); ok {
			if s, _ := v.vars.Get(x); !s.visible {
				v.report(n, "struct info uses variable %s, which is not defined there", x.Name)
			}
			return
		}
	case *TupleStructInfo:
		for _, f := range s.Fields {
			v.sinfo(n, f)
		}
		return
	case *FuncStructInfo:
		for _, x := range FreeSymbolicVars(s) {
			v.useSym(n, x)
		}
		return
	}
	eachPrim(s, func(e tir.Expr) { v.prim(n, e) })
}

// prim checks that the symbolic variables in e are visible.
func (v *verifier) prim(n ir.Node, e tir.Expr) {
	switch e := e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return
	case *tir.Var:
		v.useSym(n, e)
		return
	}
	if v.okPrims[e] {
		return
	}
	before := len(v.found)
	for _, x := range VarsOf(e) {
		v.useSym(n, x)
	}
	if len(v.found) == before {
		v.okPrims[e] = true
	}
}

func (v *verifier) useSym(n ir.Node, x *tir.Var) {
	if !v.syms[x] {
		v.report(n, "symbolic variable %s is used but not defined", x.Name)
	}
}
