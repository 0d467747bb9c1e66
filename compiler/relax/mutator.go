package relax

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ExprMutator rewrites Relax functions, as TVM's ExprMutator does. It visits bindings in order
// of evaluation and emits what becomes of them into a BlockBuilder, which keeps A-normal form,
// infers struct info and hands out names. A pass sets the hooks that it needs:
//
//	m := op.NewExprMutator(mod)
//	m.Call = func(c *relax.Call) relax.Expr {
//		if _, ok := op.Is(c, "relax.nn.silu"); ok {
//			return op.Multiply(c.Args[0], m.Emit(op.Unary("sigmoid", c.Args[0]), ""))
//		}
//		return c
//	}
//	out, err := m.Function(f)
//
// What follows from a rewrite is no concern of the pass:
//
//   - What did not change is the same pointer: bindings, blocks, sequences, the function. Dead
//     bindings and empty blocks stay, too.
//   - A variable whose value got other struct info is replaced, and so are its uses; calls whose
//     operands got other struct info are inferred again, and so on to the result of the
//     function. Where struct info stays, nothing is inferred.
//   - A variable keeps its name, what it is to its dataflow block, and its origin. New variables
//     of a dataflow block are local to it, and come from the binding that is visited.
//   - An operand that stands in several places of a scope is visited once, and bound once where it
//     has to be. Operands are bound in order of evaluation; branches stay in their branches.
//
// A mutator is used by one goroutine, for any number of functions of one module. After an error,
// whose place is Fail, nothing more is visited.
type ExprMutator struct {
	// Call is given each call after its operands, and returns what takes its place: the call
	// itself, or any expression. What it emits comes before.
	Call func(*Call) Expr
	// Expr is given each expression before its children, uses of variables and the sequences
	// of functions and branches included, and returns what takes its place. To go on below,
	// it returns VisitExpr(e), which also is what a nil Expr does.
	Expr func(Expr) Expr
	// VarDef is given each parameter and each variable that is bound, and returns what takes
	// its place, there and where it is used.
	VarDef func(*Var) *Var
	// Prim is given each scalar expression in a shape or scalar of an expression.
	Prim func(tir.Expr) tir.Expr
	// Binding is given each binding and emits what takes its place: VisitBinding(b) goes on
	// below and emits the result, which is what a nil Binding does; to drop the binding it emits
	// nothing, after Remap if the variable is used.
	Binding func(Binding)
	// Block is Binding for blocks; see VisitBlock and VisitBindings.
	Block func(*BindingBlock)
	// Rewrote, if set, hears of each binding for which Call or Binding put something else in its
	// place, and of what that was: not of what only follows, such as other struct info.
	Rewrote func(before Binding, after []Binding)

	bb     *BlockBuilder
	mapper Mapper
	remap  map[*Var]Expr
	memo   map[Expr]Expr // operands of the current scope
	moved  int           // calls of Remap, after which what was memoized no longer holds
	normal map[Expr]bool // sequences, conditionals and functions that were made here
	at     Binding       // being visited
	acted  bool          // a hook put something else in its place
	err    error
}

// NewExprMutator returns a mutator without hooks for the functions of the module that bb adds
// to. See op.NewExprMutator.
func NewExprMutator(bb *BlockBuilder) *ExprMutator {
	m := &ExprMutator{bb: bb, remap: map[*Var]Expr{}, normal: map[Expr]bool{}}
	m.mapper = Mapper{Expr: m.operand, Prim: m.prim}
	return m
}

// Builder returns the builder that the mutator emits into.
func (m *ExprMutator) Builder() *BlockBuilder { return m.bb }

// Function returns what becomes of f, f itself where nothing changes. The result is not added
// to the module.
func (m *ExprMutator) Function(f *Function) (*Function, error) {
	out, err := m.Visit(f)
	if err != nil {
		return nil, err
	}
	fn, ok := out.(*Function)
	if !ok {
		return nil, fmt.Errorf("a function became %s: a function of a module must remain one", describeExpr(out))
	}
	return fn, nil
}

// Visit returns what becomes of an expression that nothing is around. Without a function around
// it, what comes of it is not brought into normal form.
func (m *ExprMutator) Visit(e Expr) (Expr, error) {
	if m.InFunction() {
		return nil, errors.New("a function is being rewritten: visit what is in it with VisitExpr")
	}
	m.bb.names, m.bb.unread = newNameTable(), m.bb.unread[:0]
	if f, ok := e.(*Function); ok {
		m.bb.unread = append(m.bb.unread, f)
	}
	out := m.visit(e)
	if m.err != nil {
		m.bb.frames = m.bb.frames[:0]
		return nil, m.err
	}
	return out, nil
}

// Module rewrites all Relax functions of the builder's module and returns the module with what
// they became and with what was added.
func (m *ExprMutator) Module() (*ir.Module, error) {
	for gv, fn := range m.bb.Module().Funcs() {
		f, ok := fn.(*Function)
		if !ok {
			continue
		}
		out, err := m.Function(f)
		if err != nil {
			return nil, fmt.Errorf("in %s: %w", gv.Name, err)
		}
		if out != f {
			m.bb.UpdateFunc(gv.Name, out)
		}
	}
	return m.bb.Module(), nil
}

// Fail makes Function return err, unless something failed before.
func (m *ExprMutator) Fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// Err returns what failed first, nil if nothing did. What hooks do after that does not matter.
func (m *ExprMutator) Err() error { return m.err }

// InFunction reports whether a function or a sequence is being visited, so that there is a block to
// emit into.
func (m *ExprMutator) InFunction() bool { return len(m.bb.frames) > 0 }

// At returns the binding that is being visited, as it was, nil in the result of a sequence.
func (m *ExprMutator) At() Binding { return m.at }

// Remap makes uses of v from here on uses of e, which is a variable in scope wherever v is, a
// constant or the like.
func (m *ExprMutator) Remap(v *Var, e Expr) {
	m.remap[v] = e
	m.memo = nil
	m.moved++
}

// Lookup returns what stands for v now: v itself unless it was replaced.
func (m *ExprMutator) Lookup(v *Var) Expr {
	if len(m.remap) > 0 {
		if e := m.remap[v]; e != nil {
			return e
		}
	}
	return v
}

func (m *ExprMutator) prim(e tir.Expr) tir.Expr {
	if m.Prim == nil {
		return e
	}
	return m.Prim(e)
}

// isSame reports whether values of e are known by the same struct info as those of old.
func (m *ExprMutator) isSame(e, old Expr) bool {
	if e == old {
		return true
	}
	if x, ok := e.(*Tuple); ok {
		if y, ok := old.(*Tuple); ok {
			return m.areSame(x.Fields, y.Fields)
		}
	}
	a, b := m.bb.ctx.SInfoOf(e), m.bb.ctx.SInfoOf(old)
	return a != nil && EqualSInfo(a, b)
}

func (m *ExprMutator) areSame(list, old []Expr) bool {
	for i := range list {
		if i == len(old) || !m.isSame(list[i], old[i]) {
			return false
		}
	}
	return len(list) == len(old)
}
