package tir

// Copier copies a statement with variables and buffers of its own for all that it defines,
// and replaces free variables and buffers on the way. It is how the body of one function
// gets into another, or a second time into the same. What the statement neither defines nor
// is told to replace stays as it is and is shared with the copy.
type Copier struct {
	Vars    map[*Var]Expr       // what variables become
	Buffers map[*Buffer]*Buffer // what buffers become
	// OnExpr and OnStmt return what takes the place of an expression or statement whose parts were copied; nil keeps it.
	OnExpr func(Expr) Expr
	OnStmt func(Stmt) Stmt
	// Copied, if not nil, is told of each statement that is another one than it was.
	Copied func(to, from Stmt)
	// Inline reports whether the copy of what a let statement binds takes the place of the variable; nil is never.
	Inline func(value Expr) bool
	own    map[*Var]bool // variables with a copy
	m      Mapper
}

// NewCopier returns a copier that replaces nothing yet.
func NewCopier() *Copier {
	c := &Copier{Vars: map[*Var]Expr{}, Buffers: map[*Buffer]*Buffer{}, own: map[*Var]bool{}}
	c.m = Mapper{Expr: c.Expr, Stmt: c.Stmt, Buffer: c.buffer, Var: c.define}
	return c
}

// Reset forgets what was replaced and copied, so that the next copy has variables and buffers of its own again.
func (c *Copier) Reset() {
	clear(c.Vars)
	clear(c.Buffers)
	clear(c.own)
}

// Replace makes accesses to b accesses to the buffer to.
func (c *Copier) Replace(b, to *Buffer) {
	c.Buffers[b] = to
	c.Vars[b.Data] = to.Data
}

// define gives a defined variable its copy.
func (c *Copier) define(v *Var) *Var {
	if c.own[v] {
		return c.Vars[v].(*Var)
	}
	out := *v
	c.Vars[v], c.own[v] = &out, true
	return &out
}

// buffer maps a buffer that is used: it changes if something in it does.
func (c *Copier) buffer(b *Buffer) *Buffer {
	if out, ok := c.Buffers[b]; ok {
		return out
	}
	out := b.MapExprs(func(e Expr) Expr {
		if e != Expr(b.Data) {
			return c.Expr(e)
		}
		if v, ok := c.Vars[b.Data].(*Var); ok {
			return v
		}
		return e
	})
	c.Buffers[b] = out
	return out
}

// defineBuffer gives a buffer that is defined a copy, also if nothing in it changes.
func (c *Copier) defineBuffer(b *Buffer) {
	if _, ok := c.Buffers[b]; ok {
		return
	}
	if out := c.buffer(b); out == b {
		again := *b
		c.Buffers[b] = &again
	}
}

// Expr copies an expression.
func (c *Copier) Expr(e Expr) Expr {
	if v, ok := e.(*Var); ok {
		if x, ok := c.Vars[v]; ok {
			return x
		}
		return e
	}
	out := c.m.MapExpr(e)
	if c.OnExpr != nil {
		return c.OnExpr(out)
	}
	return out
}

// Stmt copies a statement. Fields of nodes stand in the order in which definitions come
// before their uses, but for those that define buffers.
func (c *Copier) Stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Block:
		for _, iv := range s.IterVars {
			c.define(iv.Var)
		}
		for _, b := range s.AllocBuffers {
			c.allocated(b)
		}
		for _, x := range s.MatchBuffers {
			x.Buffer.EachExpr(func(e Expr) {
				// Variables that stand alone in a matched buffer take their values from it.
				if v, ok := e.(*Var); ok && c.Vars[v] == nil {
					c.define(v)
				}
			})
			c.defineBuffer(x.Buffer)
		}
	case *DeclBuffer:
		c.defineBuffer(s.Buffer)
	case *BufferRealize:
		c.allocated(s.Buffer)
	case *LetStmt:
		if c.Inline != nil {
			if value := c.Expr(s.Value); c.Inline(value) {
				c.Vars[s.Var] = value
				return c.Stmt(s.Body)
			}
		}
	}
	out := c.m.MapStmt(s)
	if c.Copied != nil && out != s {
		c.Copied(out, s)
	}
	if c.OnStmt != nil {
		return c.OnStmt(out)
	}
	return out
}

// allocated defines a buffer that comes with its memory.
func (c *Copier) allocated(b *Buffer) {
	if _, ok := c.Buffers[b]; !ok && c.Vars[b.Data] == nil {
		c.define(b.Data)
	}
	c.defineBuffer(b)
}

// CopyFunc returns f with variables and buffers of its own for all that it defines, parameters included, so that both may stand in one module.
func CopyFunc(f *PrimFunc) *PrimFunc { return NewCopier().Func(f) }

// Func copies a function with its parameters.
func (c *Copier) Func(f *PrimFunc) *PrimFunc {
	params := make([]*Var, len(f.Params))
	for i, p := range f.Params {
		params[i] = c.define(p)
	}
	for _, b := range f.Buffers { // first: a buffer may mention what a later one defines
		if b == nil {
			continue
		}
		b.EachExpr(func(e Expr) {
			if v, ok := e.(*Var); ok && c.Vars[v] == nil {
				c.define(v)
			}
		})
	}
	buffers := make([]*Buffer, len(f.Buffers))
	for i, b := range f.Buffers {
		if b != nil {
			c.defineBuffer(b)
			buffers[i] = c.Buffers[b]
		}
	}
	out := *f
	out.Params, out.Buffers, out.Body = params, buffers, c.Stmt(f.Body)
	return &out
}
