package relax

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Emit binds e to a new variable and returns it. Calls nested in e are bound first. The
// variable is named after hint, or lv in a dataflow block and gv outside; in a dataflow
// block it is visible there only.
func (b *BlockBuilder) Emit(e Expr, hint string) (*Var, error) {
	return b.emit(e, hint, b.top().dataflow)
}

// EmitOutput is Emit for a value that is used after the dataflow block that is open.
func (b *BlockBuilder) EmitOutput(e Expr, hint string) (*Var, error) {
	return b.emit(e, hint, false)
}

func (b *BlockBuilder) emit(e Expr, hint string, local bool) (*Var, error) {
	value, err := b.Normalize(e)
	if err != nil {
		return nil, b.wrap(err, hint)
	}
	return b.bind(value, hint, local)
}

// bind binds a value in normal form to a new variable.
func (b *BlockBuilder) bind(value Expr, hint string, local bool) (*Var, error) {
	info := b.ctx.SInfoOf(value)
	if info == nil {
		return nil, b.wrap(fmt.Errorf("the struct info of %s is not known", describeExpr(value)), hint)
	}
	v := &Var{Base: b.baseOf(value), Name: b.name(hint, local), SInfo: info, Dataflow: local}
	b.EmitNormalized(&VarBinding{Base: v.Base, Var: v, Value: value})
	return v, nil
}

// EmitMatchCast binds value to a new variable after checking at run time that it is of
// struct info info, whose unknown symbolic variables it defines.
func (b *BlockBuilder) EmitMatchCast(value Expr, info StructInfo, hint string) (*Var, error) {
	value, err := b.normalizeArg(value)
	if err != nil {
		return nil, b.wrap(err, hint)
	}
	if from := b.ctx.SInfoOf(value); from != nil && castFails(b.Context(), info, from) {
		return nil, b.wrap(fmt.Errorf("match_cast: %s can never be %s", FormatSInfo(from), FormatSInfo(info)), hint)
	}
	local := b.top().dataflow
	v := &Var{Base: b.baseOf(value), Name: b.name(hint, local), SInfo: info, Dataflow: local}
	b.EmitNormalized(&MatchCast{Base: v.Base, Var: v, Value: value, SInfo: info})
	return v, nil
}

// castFails reports whether no value of from matches to, whatever the variables that to
// defines are.
func castFails(c *InferContext, to, from StructInfo) bool {
	sub := map[*tir.Var]tir.Expr{}
	c.match(sub, to, from)
	return c.IsBaseOf(Subst{Prims: sub}.SInfo(to), from) == False
}

// EmitNormalized appends a binding as it is: its value must be in normal form and its
// variable must have struct info. The variable keeps its name.
func (b *BlockBuilder) EmitNormalized(bind Binding) {
	b.top().add(bind)
	b.unread = append(b.unread, bind)
}

// EmitIf binds the result of a conditional. then and otherwise emit the branches and return
// what they yield.
func (b *BlockBuilder) EmitIf(cond Expr, then, otherwise func() (Expr, error), hint string) (*Var, error) {
	return b.EmitIfAt(b.base, cond, then, otherwise, hint)
}

// EmitIfAt is EmitIf for a conditional that was written somewhere.
func (b *BlockBuilder) EmitIfAt(base ir.Base, cond Expr, then, otherwise func() (Expr, error), hint string) (*Var, error) {
	if b.top().dataflow {
		return nil, b.wrap(errors.New("a dataflow block cannot contain an If: call EndDataflow first"), hint)
	}
	cond, err := b.normalizeArg(cond)
	if err != nil {
		return nil, b.wrap(err, hint)
	}
	var branches [2]*SeqExpr
	for i, f := range []func() (Expr, error){then, otherwise} {
		if branches[i], err = b.branch(f); err != nil {
			return nil, err
		}
	}
	return b.Emit(&If{Base: base, Cond: cond, Then: branches[0], Else: branches[1]}, hint)
}

func (b *BlockBuilder) branch(f func() (Expr, error)) (*SeqExpr, error) {
	depth := len(b.frames)
	b.BeginSeq()
	result, err := f()
	if err == nil {
		var seq *SeqExpr
		if seq, err = b.EndSeq(result); err == nil {
			return seq, nil
		}
	}
	b.frames = b.frames[:depth]
	return nil, err
}

// LookupBinding returns the value that v was bound to, nil if it is a parameter or unknown.
func (b *BlockBuilder) LookupBinding(v *Var) Expr {
	b.settle()
	return b.bound[v]
}

// FreshName returns a name like hint that no variable of the function has, and reserves it.
func (b *BlockBuilder) FreshName(hint string) string {
	b.settle()
	return b.names.unique(hint)
}

// AddFunc adds fn to the module and returns the variable to call it by. Where the module
// has a structurally equal function already, it is that function's variable; where the name
// is taken, a number is appended.
func (b *BlockBuilder) AddFunc(name string, fn ir.Function) *ir.GlobalVar {
	if b.keep != nil {
		gv := b.keep(Identifier(name), fn)
		b.edit.Set(gv.Name, fn)
		return gv
	}
	if kind := reflect.TypeOf(fn); !b.hashed[kind] { // none of another kind is equal
		if b.byHash == nil {
			b.byHash, b.hashed = map[uint64][]*ir.GlobalVar{}, map[reflect.Type]bool{}
		}
		b.hashed[kind] = true
		for gv, f := range b.Module().Funcs() {
			if reflect.TypeOf(f) == kind {
				h := ir.StructuralHash(f)
				b.byHash[h] = append(b.byHash[h], gv)
			}
		}
	}
	h := ir.StructuralHash(fn)
	for _, gv := range b.byHash[h] {
		if f := b.edit.Lookup(gv.Name); f != nil && ir.StructuralEqual(f, fn, ir.EqualOpts{}) {
			return gv
		}
	}
	gv := b.edit.Add(Identifier(name), fn)
	b.byHash[h] = append(b.byHash[h], gv)
	return gv
}

// KeepFuncs gives what AddFunc is to add to keep, which returns what it is called by: a pass that adds functions to its module by other means looks
// for equal ones there.
func (b *BlockBuilder) KeepFuncs(keep func(name string, fn ir.Function) *ir.GlobalVar) { b.keep = keep }

// UpdateFunc replaces the function called name, or adds it.
func (b *BlockBuilder) UpdateFunc(name string, fn ir.Function) *ir.GlobalVar {
	gv := b.edit.Set(name, fn)
	if b.hashed[reflect.TypeOf(fn)] {
		h := ir.StructuralHash(fn)
		b.byHash[h] = append(b.byHash[h], gv)
	}
	return gv
}

// RemoveFunc removes the function called name, if there is one.
func (b *BlockBuilder) RemoveFunc(name string) { b.edit.Remove(name) }

func (b *BlockBuilder) name(hint string, local bool) string {
	switch {
	case hint != "":
	case local:
		hint = "lv"
	default:
		hint = "gv"
	}
	return b.FreshName(hint)
}

// baseOf is the base of the binding of value: that of value, with the current place and origin
// where it has none.
func (b *BlockBuilder) baseOf(value Expr) ir.Base {
	base := ir.Base{}
	switch value.(type) {
	case *Call, *If, *TupleGetItem, *Function:
		base = value.Meta()
	}
	return b.based(base)
}

// based returns base with the current place and origin where it has none.
func (b *BlockBuilder) based(base ir.Base) ir.Base { return filled(base, b.base) }

// filled returns base with the place and origin of from where it has none.
func filled(base, from ir.Base) ir.Base {
	if base.Origin == 0 {
		base.Origin = from.Origin
	}
	if base.Span == nil {
		base.Span = from.Span
	}
	return base
}

// wrap says where an error happened.
func (b *BlockBuilder) wrap(err error, hint string) error {
	fn := ""
	for _, f := range b.frames {
		if f.name != "" {
			fn = f.name
		}
	}
	var e *EmitError
	if errors.As(err, &e) {
		return err
	}
	return &EmitError{Func: fn, Var: hint, Err: err}
}

// EmitError says in which function and for which variable a binding could not be made.
type EmitError struct {
	Func string
	Var  string // name that the variable was to have; may be empty
	Err  error
}

// Error writes function, variable and cause.
func (e *EmitError) Error() string {
	s := ""
	if e.Func != "" {
		s += "in " + e.Func + ": "
	}
	if e.Var != "" {
		s += "at " + e.Var + ": "
	}
	return s + e.Err.Error()
}

// Unwrap returns the cause.
func (e *EmitError) Unwrap() error { return e.Err }
