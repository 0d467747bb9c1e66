package tir

// SubstExpr replaces the free uses of variables in e.
func SubstExpr(e Expr, sub map[*Var]Expr) Expr {
	if len(sub) == 0 {
		return e
	}
	done := tables.Get().(*table)
	defer release(done)
	return newSubst(sub, done).Expr(e)
}

// SubstStmt replaces the free uses of variables in s, also in the shapes, strides, offsets
// and data pointers of buffers that s defines or uses: a buffer that changes is replaced
// everywhere by one and the same new buffer.
func SubstStmt(s Stmt, sub map[*Var]Expr) Stmt {
	if len(sub) == 0 {
		return s
	}
	done := tables.Get().(*table)
	defer release(done)
	return newSubst(sub, done).Stmt(s)
}

// newSubst returns the mapper of a substitution, which notes in done what became of expressions.
func newSubst(sub map[*Var]Expr, done *table) *Mapper {
	m := &Mapper{}
	whole := m.MapExpr
	m.Expr = func(e Expr) Expr {
		if v, ok := e.(*Var); ok {
			if x, ok := sub[v]; ok {
				return x
			}
			return e
		}
		return memoized(done, whole, e)
	}
	buffers := map[*Buffer]*Buffer{}
	m.Buffer = func(b *Buffer) *Buffer {
		if out, ok := buffers[b]; ok {
			return out
		}
		out := b.MapExprs(func(e Expr) Expr {
			if e == Expr(b.Data) {
				// A data pointer becomes another pointer or stays.
				if v, ok := sub[b.Data].(*Var); ok {
					return v
				}
				return e
			}
			return m.Expr(e)
		})
		buffers[b] = out
		return out
	}
	m.Stmt = func(s Stmt) Stmt { return m.MapStmt(s) }
	return m
}
