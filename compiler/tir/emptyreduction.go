package tir

import "github.com/irscope/irscope/compiler/ir"

// InitEmptyReductions gives each reduction in body that may run no iteration its initial
// value: in front of its outermost reduction loop it puts the init of the block, over the
// axes that are not reduced, under the condition that some reduction loop has no iteration. A
// loop over the reduction and another axis (a fused one) may have none because there is none of
// the other axis: then the condition is that the domain of a reduction variable is empty.
//
// The init of a block runs where all its reduction variables are at their start. Over an
// empty extent that is never, and what the block writes would stay what memory held before.
// (In TVM it does.) Loops of a constant extent above 0 need nothing; of extent 0 the
// condition is true and left out.
//
// body is what a pass or the interpreter starts from; body itself is returned where nothing
// changes. The cost is linear in the size of body times the depth of loops in a block.
func InitEmptyReductions(body Stmt) Stmt {
	return RewriteStmt(body, func(s Stmt) Stmt {
		b, ok := s.(*Block)
		if !ok {
			return s
		}
		e := &emptyReductions{}
		e.m.Stmt = e.stmt
		out := *b
		if out.Body = e.stmt(b.Body); out.Body == b.Body {
			return s
		}
		return &out
	}, nil)
}

// emptyReductions works inside one block, on the loops around the blocks right below.
type emptyReductions struct {
	m    Mapper
	path []Stmt // from the body of the block to the current statement
	// before holds what is to stand in front of a loop of path.
	before map[Stmt][]Stmt
}

func (e *emptyReductions) stmt(s Stmt) Stmt {
	switch x := s.(type) {
	case *BlockRealize:
		e.realize(x)
		return s // blocks below are rewritten for themselves
	case *For, *SeqStmt, *IfThenElse, *LetStmt, *AttrStmt, *AssertStmt, *Allocate, *DeclBuffer:
		e.path = append(e.path, s)
		out := e.m.MapStmt(s)
		e.path = e.path[:len(e.path)-1]
		if front := e.before[s]; front != nil {
			delete(e.before, s) // the statement may stand in a second place
			return Seq(append(front, out)...)
		}
		return out
	}
	return s
}

// realize notes the initial value of a reduction that may be empty.
func (e *emptyReductions) realize(r *BlockRealize) {
	if r.Block.Init == nil {
		return
	}
	reduces, keeps := map[*Var]bool{}, map[*Var]bool{} // variables that decide reduction variables, and others
	for k, iv := range r.Block.IterVars {
		of := keeps
		if iv.Kind == CommReduce {
			of = reduces
		}
		if k < len(r.Values) {
			eachVar(r.Values[k], func(v *Var) { of[v] = true })
		}
	}
	first, empty, inner := -1, Expr(Bool(false)), map[*Var]bool{}
	// An extent that follows from a variable inside cannot be asked for in front.
	orEmpty := func(extent Expr) {
		if !usesAny(extent, inner) {
			empty = Or(empty, LE(extent, Const(extent.DType(), 0)))
		}
	}
	for k, s := range e.path {
		switch s := s.(type) {
		case *Allocate, *DeclBuffer:
			if first >= 0 {
				return // where no iteration runs there is no buffer either
			}
		case *LetStmt:
			if first >= 0 {
				inner[s.Var] = true
			}
		}
		l, ok := s.(*For)
		if !ok {
			continue
		}
		if reduces[l.LoopVar] {
			if first < 0 {
				first = k
			}
			if !keeps[l.LoopVar] {
				orEmpty(l.Extent)
			}
		}
		if first >= 0 {
			inner[l.LoopVar] = true
		}
	}
	if first < 0 {
		return
	}
	// A loop over several axes at once says not which of them is empty, the domain does.
	for k, iv := range r.Block.IterVars {
		if iv.Kind == CommReduce && k < len(r.Values) && usesAny(r.Values[k], keeps) {
			orEmpty(iv.Dom.Extent)
		}
	}
	if IsConst(empty, 0) {
		return
	}
	c := &initCopy{dropped: map[*Var]bool{}, sub: map[*Var]Expr{}}
	init := c.copy(e.path[first:], r, reduces)
	if !IsTrue(empty) {
		init = &IfThenElse{Base: r.Base, Cond: empty, Then: init}
	}
	if e.before == nil {
		e.before = map[Stmt][]Stmt{}
	}
	loop := e.path[first]
	e.before[loop] = append(e.before[loop], init)
}

// initCopy copies the way from a loop to the init of a block, without the reduction.
type initCopy struct {
	dropped map[*Var]bool // variables of the way that the copy has not
	sub     map[*Var]Expr // the others to those of the copy
}

func (c *initCopy) has(e Expr) bool { return !usesAny(e, c.dropped) }

func (c *initCopy) copy(path []Stmt, r *BlockRealize, reduces map[*Var]bool) Stmt {
	if len(path) == 0 {
		return c.realize(r)
	}
	rest := path[1:]
	switch s := path[0].(type) {
	case *For:
		if reduces[s.LoopVar] || !c.has(s.Extent) || !c.has(s.Min) {
			c.dropped[s.LoopVar] = true
			return c.copy(rest, r, reduces)
		}
		out := *s
		out.LoopVar = NewVar(s.LoopVar.Name+"_init", s.LoopVar.DType())
		out.Min, out.Extent = SubstExpr(s.Min, c.sub), SubstExpr(s.Extent, c.sub)
		c.sub[s.LoopVar] = out.LoopVar
		out.Body = c.copy(rest, r, reduces)
		return &out
	case *IfThenElse:
		cond := s.Cond
		if holds(s.Else, rest, r) {
			cond = LogicalNot(cond)
		}
		if !c.has(cond) {
			return c.copy(rest, r, reduces)
		}
		return &IfThenElse{Base: s.Base, Cond: SubstExpr(cond, c.sub), Then: c.copy(rest, r, reduces)}
	case *LetStmt:
		if !c.has(s.Value) {
			c.dropped[s.Var] = true
			return c.copy(rest, r, reduces)
		}
		v := NewVar(s.Var.Name, s.Var.DType())
		value := SubstExpr(s.Value, c.sub)
		c.sub[s.Var] = v
		return &LetStmt{Base: s.Base, Var: v, Value: value, Body: c.copy(rest, r, reduces)}
	}
	return c.copy(rest, r, reduces)
}

// realize is the init of the block as a block of its own. A variable whose value follows
// from what the copy has not takes all values of its domain: as nothing is reduced, nothing
// that another iteration computed is overwritten.
func (c *initCopy) realize(r *BlockRealize) Stmt {
	b := r.Block
	init := &Block{Base: b.Base, Name: b.Name + "_init", Annotations: b.Annotations}
	out := &BlockRealize{Base: r.Base, Predicate: Bool(true), Block: init}
	vars := map[*Var]Expr{}
	var loops []*For
	for k, iv := range b.IterVars {
		if iv.Kind == CommReduce {
			continue
		}
		v := NewVar(iv.Var.Name+"_init", iv.Var.DType())
		vars[iv.Var] = v
		value := r.Values[k]
		if c.has(value) {
			value = SubstExpr(value, c.sub)
		} else {
			l := &For{Base: b.Base, LoopVar: NewVar(iv.Var.Name+"_all", v.DType()), Min: iv.Dom.Min, Extent: iv.Dom.Extent}
			loops, value = append(loops, l), l.LoopVar
		}
		init.IterVars = append(init.IterVars, &IterVar{Base: iv.Base, Dom: iv.Dom, Var: v, Kind: iv.Kind, ThreadTag: iv.ThreadTag})
		out.Values = append(out.Values, value)
	}
	for _, cond := range Conjuncts(nil, r.Predicate) {
		if c.has(cond) {
			out.Predicate = And(out.Predicate, SubstExpr(cond, c.sub))
		}
	}
	init.Body = SubstStmt(b.Init, vars)
	for _, w := range b.Writes {
		init.Writes = append(init.Writes, substRegion(w, vars))
	}
	ir.Walk(init.Body, func(n ir.Node) bool {
		if l, ok := n.(*BufferLoad); ok {
			init.Reads = append(init.Reads, pointRegion(l))
		}
		return true
	})
	s := Stmt(out)
	for k := len(loops) - 1; k >= 0; k-- {
		loops[k].Body = s
		s = loops[k]
	}
	return s
}

// holds reports whether s is the next statement of the way to r.
func holds(s Stmt, rest []Stmt, r *BlockRealize) bool {
	if len(rest) > 0 {
		return s == rest[0]
	}
	return s == Stmt(r)
}

func substRegion(r *BufferRegion, sub map[*Var]Expr) *BufferRegion {
	out := &BufferRegion{Base: r.Base, Buffer: r.Buffer}
	for _, d := range r.Region {
		out.Region = append(out.Region, &Range{Base: d.Base, Min: SubstExpr(d.Min, sub), Extent: SubstExpr(d.Extent, sub)})
	}
	return out
}

// pointRegion is the region of one element.
func pointRegion(l *BufferLoad) *BufferRegion {
	out := &BufferRegion{Buffer: l.Buffer}
	for _, ix := range l.Indices {
		out.Region = append(out.Region, &Range{Min: ix, Extent: Const(ix.DType(), 1)})
	}
	return out
}

func eachVar(e Expr, f func(*Var)) {
	seen := map[ir.Node]bool{}
	ir.Walk(e, func(n ir.Node) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		if v, ok := n.(*Var); ok {
			f(v)
		}
		return true
	})
}

func usesAny(e Expr, vars map[*Var]bool) bool {
	found := false
	if len(vars) > 0 {
		eachVar(e, func(v *Var) { found = found || vars[v] })
	}
	return found
}
