package relax

func (m *ExprMutator) block(b *BindingBlock) {
	switch {
	case m.err != nil:
	case m.Block != nil:
		m.Block(b)
	default:
		m.VisitBlock(b)
	}
}

// VisitBlock visits the bindings of b and emits a block like b of what becomes of them.
func (m *ExprMutator) VisitBlock(b *BindingBlock) {
	m.InBlock(b, func() { m.VisitBindings(b) })
}

// InBlock emits a block that takes the place of b, with what emit emits. Without a binding there
// is no block.
func (m *ExprMutator) InBlock(b *BindingBlock, emit func()) {
	if b.Dataflow {
		defer m.scope()()
	}
	m.bb.beginLike(b)
	emit()
	m.bb.closeBlock()
}

// VisitBindings visits the bindings of b and emits what becomes of them into the current block.
func (m *ExprMutator) VisitBindings(b *BindingBlock) {
	m.bb.top().startsAt(b.Base)
	for _, x := range b.Bindings {
		m.binding(x)
	}
}

func (m *ExprMutator) binding(b Binding) {
	if m.err != nil {
		return
	}
	at, base, acted := m.at, m.bb.base, m.acted
	m.at, m.bb.base, m.acted = b, b.Meta(), false
	if v := b.BoundValue(); v != nil {
		m.bb.base = filled(m.bb.base, v.Meta())
	}
	start := m.bb.top().mark()
	if m.Binding != nil {
		m.Binding(b)
	} else {
		m.VisitBinding(b)
	}
	if m.Rewrote != nil && m.err == nil {
		if list := m.bb.top().since(start); m.acted || len(list) == 0 {
			m.Rewrote(b, list)
		}
	}
	m.at, m.bb.base, m.acted = at, base, acted
}

// VisitBinding visits the value and the variable of b and emits what becomes of it.
func (m *ExprMutator) VisitBinding(b Binding) {
	if out := m.MapBinding(b); m.err == nil {
		m.bb.EmitNormalized(out)
	}
}

// MapBinding visits the value and the variable of b and returns what becomes of it, in normal
// form, without emitting it.
func (m *ExprMutator) MapBinding(b Binding) Binding {
	value := m.value(b.BoundValue())
	return m.WithValue(b, value)
}

// WithValue returns b with another value, brought into normal form, and b itself where it is the
// same. A variable whose value has other struct info now is replaced by one that has it.
func (m *ExprMutator) WithValue(b Binding, value Expr) Binding {
	old, v := b.Bound(), m.define(b.Bound())
	if m.err != nil || value == b.BoundValue() && v == old {
		return b
	}
	switch b := b.(type) {
	case *MatchCast:
		value, err := m.bb.normalizeArg(value)
		if err != nil {
			m.Fail(m.bb.wrap(err, old.Name))
			return b
		}
		return &MatchCast{Base: b.Base, Var: v, Value: value, SInfo: b.SInfo}
	case *VarBinding:
		if value != b.Value {
			n, err := m.normalize(value, b.Value)
			if err != nil {
				m.Fail(m.bb.wrap(err, old.Name))
				return b
			}
			value = n
		}
		return m.rebind(b, v, value, m.isSame(value, b.Value))
	}
	panic(unknownNode("ExprMutator", b))
}

// rebind returns b with the variable v and a value in normal form. Unless the value is known as the
// old one was, the variable is replaced where the value has other struct info.
func (m *ExprMutator) rebind(b *VarBinding, v *Var, value Expr, known bool) Binding {
	if !known || v.SInfo == nil {
		if info := m.bb.Context().SInfoOf(value); info != nil && (v.SInfo == nil || !EqualSInfo(info, v.SInfo)) {
			v = v.WithSInfo(info)
			m.remap[b.Var] = v
		}
	}
	if value == b.Value && v == b.Var {
		return b
	}
	if _, ok := value.(*Function); ok && v != b.Var { // it may call itself
		value = Bind(value, Subst{Vars: map[*Var]Expr{b.Var: v}})
	}
	return &VarBinding{Base: b.Base, Var: v, Value: value}
}

// value visits the value of a binding.
func (m *ExprMutator) value(e Expr) Expr {
	if m.Expr == nil && m.Call == nil && m.Prim == nil && len(m.remap) == 0 && isNormal(e) {
		return e
	}
	return m.visit(e)
}

// Reemit emits a binding that a hook made: its value is brought into normal form and inferred, and
// its variable replaced where it has other struct info.
func (m *ExprMutator) Reemit(b Binding) {
	if m.err != nil {
		return
	}
	vb, ok := b.(*VarBinding)
	if !ok || m.normal[vb.Value] {
		m.Fail(m.bb.Renormalize(b))
		return
	}
	value, err := m.bb.Normalize(vb.Value)
	if err != nil {
		m.Fail(m.bb.wrap(err, vb.Var.Name))
		return
	}
	m.bb.EmitNormalized(m.rebind(vb, vb.Var, value, false))
}

// isNormal reports whether e is an expression in normal form without bindings in it, so that there
// is nothing to visit where no expression is of interest.
func isNormal(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		return isOperand(e.Op) && areOperands(e.Args)
	case *TupleGetItem:
		return isOperand(e.Tuple)
	case *If, *Function, *SeqExpr:
		return false
	}
	return isOperand(e)
}

func isOperand(e Expr) bool {
	switch e := e.(type) {
	case *Call, *TupleGetItem, *If, *Function, *SeqExpr:
		return false
	case *Tuple:
		return areOperands(e.Fields)
	}
	return e != nil
}

func areOperands(list []Expr) bool {
	for _, e := range list {
		if !isOperand(e) {
			return false
		}
	}
	return true
}

// normalize brings the value of a binding into normal form; old is what it was, or nil. What has
// struct info and is in normal form already is taken as it is.
func (m *ExprMutator) normalize(e, old Expr) (Expr, error) {
	switch x := e.(type) {
	case *Call:
		if x.SInfo != nil && isNormal(x) {
			return x, nil
		}
	case *TupleGetItem:
		if x.SInfo != nil && isNormal(x) {
			return x, nil
		}
	case *If:
		if m.normal[x] {
			return x, nil
		}
	case *Function: // whose attributes may have changed
		f, ok := old.(*Function)
		if x.Ret != nil && (m.normal[x] || m.normal[x.Body] || ok && x.Body == f.Body) {
			return x, nil
		}
	}
	return m.bb.Normalize(e)
}

// define visits a variable where it is defined.
func (m *ExprMutator) define(v *Var) *Var {
	if m.VarDef == nil || m.err != nil {
		return v
	}
	out := m.VarDef(v)
	if out != v {
		m.remap[v] = out
	}
	return out
}

// Emit binds e in the current block, before the binding that is visited, to a new variable named
// after hint, and returns the variable. Calls nested in e are bound first. What says of no place
// and origin gets those of the binding that is visited.
func (m *ExprMutator) Emit(e Expr, hint string) *Var {
	return m.emit(e, hint, m.bb.top().dataflow)
}

// EmitOutput is Emit for a value that is used after the dataflow block that is open.
func (m *ExprMutator) EmitOutput(e Expr, hint string) *Var {
	return m.emit(e, hint, false)
}

func (m *ExprMutator) emit(e Expr, hint string, local bool) *Var {
	m.acted = true
	if m.err != nil {
		return &Var{Name: hint, SInfo: objectSInfo}
	}
	if n, err := m.normalize(e, nil); err != nil {
		m.Fail(m.bb.wrap(err, hint))
	} else if v, err := m.bb.bind(n, hint, local); err != nil {
		m.Fail(err)
	} else {
		return v
	}
	return &Var{Name: hint, SInfo: objectSInfo}
}

// EmitNormalized appends a binding in normal form to the current block, as it is. Its variable
// keeps its name and struct info.
func (m *ExprMutator) EmitNormalized(b Binding) {
	m.acted = true
	if m.err == nil {
		m.bb.EmitNormalized(b)
	}
}

// FreshName returns hint, or hint followed by the first number that makes it a name which no
// variable of the function has, and takes it.
func (m *ExprMutator) FreshName(hint string) string {
	m.bb.settle()
	return m.bb.names.numbered(hint, hint)
}
