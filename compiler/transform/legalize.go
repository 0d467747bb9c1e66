package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// LegalizeOps lowers operators to kernels.
var LegalizeOps = &pass.Pass{
	Name: "LegalizeOps", Kind: pass.Module, Lowering: true,
	Doc: "Replaces each operator call by a call_tir of a kernel, a PrimFunc made from the operator's tensor expression. Calls with equal kernels share one, and scalar constants become part of the kernel. Operators whose shapes are not known are left alone, with a diagnostic.",
	Options: []pass.Option{
		{Name: "skip_ops", Default: []ir.Value{}, Elem: "", Doc: "names of operators that are left alone, e.g. relax.nn.conv2d"},
		{Name: "enable_warning", Default: true, Doc: "whether operators without a kernel are reported"},
		{
			Name: "kernels", Default: "topi", Choices: []ir.Value{"topi", "tuned"},
			Doc: "how kernels are written: as TVM's operator inventory TOPI writes them, or tuned, as the pipelines and the steps of a run take them where nothing is said: sums accumulate in wider types, maxima start from minus infinity, and index arithmetic, copies and transposed convolutions take fewer steps",
		},
	},
	Config: []string{"relax.transform.apply_legalize_ops"},
	Run:    func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return legalizeModule(c, m, nil, nil) },
}

// legalizeModule runs the pass. An entry of custom takes the place of the rule of an operator.
func legalizeModule(c *pass.Context, m *ir.Module, custom map[string]Custom, forms map[string]op.LegalizeFunc) (*ir.Module, error) {
	if !c.ConfigBool("relax.transform.apply_legalize_ops") {
		return m, nil
	}
	l := newLegalizer(c, "LegalizeOps", m)
	l.custom, l.forms = custom, forms
	l.tuned = c.Arg("kernels").(string) == "tuned"
	for _, name := range c.Arg("skip_ops").([]ir.Value) {
		l.skip[name.(string)] = true
	}
	l.share()
	return l.module()
}

// legalizer holds what the pass knows of a module.
type legalizer struct {
	ctx      *pass.Context
	pass     string // its name
	mod      *ir.Module
	edit     *ir.Editor
	skip     map[string]bool
	byHash   map[uint64][]string // kernels by structural hash
	sharing  bool                // those of the module are to be in byHash, and are not yet
	floats   map[uint64]bool     // the floats in these, nil while there are no copies
	copies   map[uint64]string   // copies of kernels that byHash does not have yet, by their floats
	shared   *sharedOrigins
	own      map[string]bool // kernels that this pass made
	reported map[string]bool
	memo     memo
	custom   map[string]Custom
	forms    map[string]op.LegalizeFunc
	// tuned says that kernels are more exact and have fewer steps than TVM's.
	tuned bool
	// pick, if not nil, says which bindings are lowered, and how: all others stay.
	pick    func(vb *relax.VarBinding) *lowered
	scanned func(f *relax.Function) // is told of a function before its bindings

	fn         string // function at work
	bound      map[*relax.Var]relax.Expr
	transposed map[*relax.Var]relax.Expr // what a variable is the transposed of
	dead       map[*relax.Var]bool       // bindings that no kernel needs any more
	blocks     map[relax.Binding]*relax.BindingBlock
	block      *relax.BindingBlock // of checked
	checked    []op.Assumption     // what is checked in a block
	depth      int                 // of calls that rules of users made
	moved      bool                // whether variables were replaced: arguments are to be looked up
}

func newLegalizer(c *pass.Context, name string, m *ir.Module) *legalizer {
	return &legalizer{
		ctx: c, pass: name, mod: m, edit: m.Edit(), skip: map[string]bool{}, byHash: map[uint64][]string{},
		shared: newSharedOrigins(name, m), own: map[string]bool{}, reported: map[string]bool{}, memo: newMemo(),
	}
}

// legalizableIn returns whether LegalizeOps would lower a binding of f. That is the same
// whether it ran or not, so that a hint to run it is given only where that helps.
func legalizableIn(c *pass.Context, m *ir.Module, f *relax.Function) func(relax.Binding) bool {
	var l *legalizer
	return func(b relax.Binding) bool {
		vb, ok := b.(*relax.VarBinding)
		rule := legalizeRule(opName(b.BoundValue()))
		if !ok || rule == nil {
			return false
		}
		if l == nil {
			l = newLegalizer(c, "LegalizeOps", m)
			l.scan(f)
		}
		_, err := l.newKernel(vb).build(rule)
		return err == nil
	}
}

// share lets calls take kernels of the module that are equal to theirs.
func (l *legalizer) share() { l.sharing = true }

// hash makes byHash know the kernels of the module, when the first kernel is made.
func (l *legalizer) hash() {
	if !l.sharing {
		return
	}
	l.sharing = false
	for gv, fn := range l.mod.Funcs() {
		if k, ok := fn.(*tir.PrimFunc); ok {
			h := ir.StructuralHash(k)
			l.byHash[h] = append(l.byHash[h], gv.Name)
		}
	}
}

func (l *legalizer) module() (*ir.Module, error) {
	for gv, fn := range l.mod.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		l.fn = gv.Name
		l.ctx.Working(gv.Name)
		l.scan(f)
		if l.scanned != nil {
			l.scanned(f)
		}
		m := op.NewExprMutator(l.mod)
		m.Binding = func(b relax.Binding) {
			if err := l.binding(m, b); err != nil {
				m.Fail(fmt.Errorf("%s: %w", b.Bound().Name, err))
			}
		}
		if l.ctx.Observed() {
			m.Rewrote = l.rewrote
		}
		out, err := m.Function(f)
		if err != nil {
			return nil, err
		}
		l.edit.Set(gv.Name, out)
	}
	l.ctx.Working("")
	l.shared.apply(l.edit)
	return l.edit.Done(), nil
}

// rewrote reports what binding did.
func (l *legalizer) rewrote(b relax.Binding, list []relax.Binding) {
	name := "read a transposed weight in place"
	if vb, ok := b.(*relax.VarBinding); ok && l.pick != nil {
		name = l.pick(vb).why
	} else if len(list) > 0 {
		name = "lower " + opName(b.BoundValue())
	}
	l.ctx.RewriteAll(name, []ir.Node{b}, nodesOf(list))
}

// ruleLegalize is the name of the rule in decisions.
const ruleLegalize = "lower to a kernel"

// errSkip says why a call is left alone.
var errSkip = errors.New("left alone")

func skipf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errSkip, fmt.Sprintf(format, args...))
}

// reasonOf is what skipf was given.
func reasonOf(err error) string { return strings.TrimPrefix(err.Error(), errSkip.Error()+": ") }

// binding emits what b becomes.
func (l *legalizer) binding(m *relax.ExprMutator, b relax.Binding) error {
	vb, ok := b.(*relax.VarBinding)
	if ok && l.dead[vb.Var] {
		return nil
	}
	if l.pick != nil {
		return l.picked(m, b)
	}
	l.note(b)
	name := opName(b.BoundValue())
	if !ok || name == "" || l.skip[name] {
		if l.skip[name] {
			l.ctx.Declined(ruleLegalize, b, "skip_ops names the operator")
		}
		m.VisitBinding(b)
		return nil
	}
	if l.moved {
		mapped, isBinding := m.MapBinding(b).(*relax.VarBinding)
		if !isBinding || m.Err() != nil {
			return nil
		}
		if _, isCall := mapped.Value.(*relax.Call); !isCall {
			m.EmitNormalized(mapped)
			return nil
		}
		if mapped.Var != vb.Var {
			l.follow(vb.Var, mapped.Var)
		}
		vb, b = mapped, mapped
	}
	if l.tuned {
		l.check(m, vb)
	}
	if e := l.newKernel(vb).graphForm(name); e != nil && l.custom[name] == nil {
		out := *vb
		out.Value = e
		m.EmitNormalized(&out)
		return nil
	}
	if f := l.formOf(vb.Value); f != nil {
		return l.userForm(m, vb, f)
	}
	rule := l.ruleOf(name)
	if rule == nil && l.dynamicRule(name) == nil {
		if !structural(name) {
			l.ctx.Declined(ruleLegalize, b, "the operator has no kernel")
			l.report(vb, name, "it has no kernel")
		}
		m.VisitBinding(b)
		return nil
	}
	before, call, err := l.make(vb, name, &lowered{rule: rule})
	if errors.Is(err, errSkip) {
		l.ctx.Declined(ruleLegalize, b, reasonOf(err))
		l.report(vb, name, err.Error())
		m.VisitBinding(b)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.emit(m, vb, before, call)
	return nil
}

func (l *legalizer) report(vb *relax.VarBinding, name, why string) {
	key := l.fn + " " + name + " " + why
	if l.reported[key] || !l.ctx.Arg("enable_warning").(bool) {
		return
	}
	l.reported[key] = true
	help := ""
	if t, ok := vb.Var.SInfo.(*relax.TensorStructInfo); ok {
		if _, known := t.Dims(); !known {
			help = "give the inputs fixed shapes, or say by a match_cast which shape it is"
		}
	}
	l.ctx.Report(ir.Diagnostic{
		Severity: ir.Warning, Pass: l.pass, Func: l.fn, Origin: vb.Origin, Span: vb.Span,
		Message: fmt.Sprintf("%s = %s was not lowered: %s", vb.Var.Name, name, why), Help: help,
	})
}

// make builds the kernel of an operator under a budget and returns the call of it, with what must be bound before.
func (l *legalizer) make(vb *relax.VarBinding, name string, how *lowered) (before []relax.Binding, call *relax.Call, err error) {
	spent := budget.New(l.ctx.Context(), pass.FunctionSteps)
	begin := func() *kernel {
		k := l.newKernel(vb)
		k.budget, k.hidden = spent, how.hidden
		return k
	}
	stopped := budget.Catch(func() {
		k := begin()
		given := k.info
		var signature, formKey string
		var leaves []relax.Expr
		var scalar *tir.FloatImm
		if k.sign(how.form) {
			if call = l.recall(k); call != nil {
				before = k.before
				return
			}
			signature = string(l.memo.key.text)
			if scalar = k.formScalar(); scalar != nil {
				formKey = k.formKey()
				if call = l.copyForm(k, signature, formKey, scalar); call != nil {
					return
				}
			}
			leaves = slices.Clone(l.memo.key.leaves)
		}
		// The rules rely on what inference checks: ranks, axes, types, numbers of arguments.
		if _, err = op.Table().InferCall(k.call, &relax.InferContext{
			Func: l.mod.Lookup, Bound: func(v *relax.Var) relax.Expr { return l.bound[v] },
		}); err != nil {
			return
		}
		if dynamic := l.dynamicRule(name); dynamic != nil && l.custom[name] == nil {
			before, call, err = dynamic(vb)
			return
		}
		var outs []*te.Tensor
		outs, err = k.build(how.rule)
		if err == nil && len(k.ext.known) > 0 {
			// Where the kernel needs the graph's variables all the same, how extents follow from them
			// is worth knowing.
			if vars, _ := k.scalars(append(slices.Clone(k.params), outs...)); len(vars) > 0 {
				k = begin()
				k.plain = true
				outs, err = k.build(how.rule)
			}
		}
		if err != nil {
			return
		}
		hint := how.hint
		if hint == "" {
			hint = k.name(name, outs)
		}
		made := len(l.own)
		call, err = k.finish(hint, outs)
		before = k.before
		if err != nil || signature == "" {
			return
		}
		if r, ok := l.remember(k, signature, leaves, call, given); ok && scalar != nil && len(l.own) > made {
			l.rememberForm(formKey, hint, r, scalar)
		}
	})
	if stopped != nil {
		err = stopped
	}
	return before, call, err
}

// finish makes a kernel of the results and returns the call of it.
func (k *kernel) finish(hint string, outs []*te.Tensor) (*relax.Call, error) {
	params := append(append([]*te.Tensor{}, k.params...), outs...)
	scalars, values := k.scalars(params)
	fn, err := te.CreatePrimFunc(params, te.FuncOpts{Tuned: k.l.tuned, Scalars: scalars, Origin: k.origin(), Budget: k.budget})
	if err != nil {
		return nil, err
	}
	if !k.l.tuned && k.l.pick == nil {
		k.info = k.shapesOf(outs)
		if t := deviceOf(k.info); t != "" {
			fn = fn.WithAttrs(fn.Attrs.With(ir.AttrTarget, t))
			hint += "_" + strings.Fields(t)[0]
		}
	}
	if k.pattern != 0 {
		fn = fn.WithAttrs(fn.Attrs.With(attrOpPattern, int64(k.pattern)))
	}
	name := k.l.add(hint, fn)
	call := k.callOf(name, k.args)
	if len(values) > 0 {
		call.Args = append(call.Args, &relax.ShapeExpr{Values: values})
	}
	return call, nil
}

// callOf is the call of a kernel.
func (k *kernel) callOf(name string, args []relax.Expr) *relax.Call {
	return &relax.Call{
		Base: k.base(), Op: ir.NewOp(opCallTIR), Args: []relax.Expr{ir.NewGlobalVar(name), &relax.Tuple{Fields: args}},
		SInfoArgs: []relax.StructInfo{k.info}, SInfo: k.info,
	}
}

// shapesOf is the struct info of the call with the extents as the kernel writes them, which TVM takes: they
// are those that inference finds, but it may write them in another way.
func (k *kernel) shapesOf(outs []*te.Tensor) relax.StructInfo {
	back := map[*tir.Var]tir.Expr{}
	for v, inner := range k.ext.vars {
		back[inner] = v
	}
	shaped := func(old relax.StructInfo, t *te.Tensor) relax.StructInfo {
		dims := make([]tir.Expr, len(t.Shape))
		for i, d := range t.Shape {
			dims[i] = tir.SubstExpr(d, back)
		}
		s := *old.(*relax.TensorStructInfo)
		s.Shape = &relax.ShapeExpr{Values: dims}
		if ir.StructuralEqual(&s, old, ir.EqualOpts{}) {
			return old
		}
		return &s
	}
	t, ok := k.info.(*relax.TupleStructInfo)
	if !ok {
		return shaped(k.info, outs[0])
	}
	out := *t
	out.Fields = slices.Clone(t.Fields)
	same := true
	for i := range out.Fields {
		out.Fields[i] = shaped(t.Fields[i], outs[i])
		same = same && out.Fields[i] == t.Fields[i]
	}
	if same {
		return t
	}
	return &out
}

// deviceOf is the target of the virtual device that a result lies on, "" where none is named.
func deviceOf(s relax.StructInfo) string {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if s.VDevice != nil {
			return s.VDevice.Target
		}
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if t := deviceOf(f); t != "" {
				return t
			}
		}
	}
	return ""
}
