package starpass

import (
	"fmt"

	"go.starlark.net/syntax"
)

// Names of the guards that take the place of syntax. No script can spell them.
const (
	guardAttr  = "."
	guardSlice = "[:]"
	guardTuple = "(,)"
	guardStar  = "*args"
	guardKey   = "[key]"
	guardTruth = "?" // before an operator that compares
)

// binaryOps are the operators that guards compute.
var binaryOps = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE,
	syntax.CIRCUMFLEX, syntax.LTLT, syntax.GTGT, syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE,
	syntax.IN, syntax.NOT_IN,
}

// augmented maps assignments such as += to their operators.
var augmented = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR, syntax.SLASH_EQ: syntax.SLASH,
	syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT, syntax.AMP_EQ: syntax.AMP,
	syntax.PIPE_EQ: syntax.PIPE, syntax.CIRCUMFLEX_EQ: syntax.CIRCUMFLEX, syntax.LTLT_EQ: syntax.LTLT, syntax.GTGT_EQ: syntax.GTGT,
}

// hardener rewrites the syntax tree of a script so that every operation whose cost or result
// is not bounded by a step of the interpreter is a call of a guard: operators, methods of
// strings and collections, slices, tuples and spread arguments. Guards do the same as the
// syntax that they replace, under the limits.
type hardener struct{ err error }

func harden(f *syntax.File) error {
	h := &hardener{}
	h.stmts(f.Stmts)
	return h.err
}

func (h *hardener) fail(pos syntax.Position, format string, args ...any) {
	if h.err == nil {
		h.err = syntax.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
}

func guard(name string, pos syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos}
}

func (h *hardener) stmts(list []syntax.Stmt) {
	for i, s := range list {
		list[i] = h.stmt(s)
	}
}

func (h *hardener) stmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return h.assign(s)
	case *syntax.DefStmt:
		h.stmts(s.Body)
		if rest := h.params(s.Params); rest != nil {
			check := &syntax.ExprStmt{X: guard(guardTuple, rest.NamePos, &syntax.Ident{NamePos: rest.NamePos, Name: rest.Name})}
			s.Body = append([]syntax.Stmt{check}, s.Body...)
		}
	case *syntax.ExprStmt:
		s.X = h.expr(s.X)
	case *syntax.IfStmt:
		s.Cond = h.condition(s.Cond)
		h.stmts(s.True)
		h.stmts(s.False)
	case *syntax.ForStmt:
		s.Vars, s.X = h.target(s.Vars), h.expr(s.X)
		h.stmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = h.condition(s.Cond)
		h.stmts(s.Body)
	case *syntax.ReturnStmt:
		s.Result = h.expr(s.Result)
	case *syntax.LoadStmt:
		h.fail(s.Load, "load is not available: a script is one file, and the input module is the variable mod")
	case *syntax.BranchStmt:
	default:
		panic(fmt.Sprintf("starpass: unknown statement %T", s))
	}
	return s
}

// assign turns x op= y into an assignment of the guard's result, and x[i] op= y into a call
// of a guard that looks up and stores.
func (h *hardener) assign(s *syntax.AssignStmt) syntax.Stmt {
	op, aug := augmented[s.Op]
	if !aug {
		s.LHS, s.RHS = h.target(s.LHS), h.expr(s.RHS)
		return s
	}
	name := s.Op.String()
	lhs := s.LHS
	for {
		p, ok := lhs.(*syntax.ParenExpr)
		if !ok {
			break
		}
		lhs = p.X
	}
	switch lhs := lhs.(type) {
	case *syntax.Ident:
		use := &syntax.Ident{NamePos: lhs.NamePos, Name: lhs.Name}
		return &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: lhs, RHS: guard(name, s.OpPos, use, h.expr(s.RHS))}
	case *syntax.IndexExpr:
		return &syntax.ExprStmt{X: guard("[]"+name, s.OpPos, h.expr(lhs.X), h.key(lhs.Y), h.expr(s.RHS))}
	case *syntax.DotExpr:
		field := &syntax.Literal{Token: syntax.STRING, TokenPos: lhs.Name.NamePos, Raw: lhs.Name.Name, Value: lhs.Name.Name}
		return &syntax.ExprStmt{X: guard("."+name, s.OpPos, h.expr(lhs.X), field, h.expr(s.RHS))}
	default:
		h.fail(s.OpPos, "%s cannot be assigned to by %s", "this", op)
	}
	return s
}

// params rewrites default values and returns the parameter that takes the rest of the
// positional arguments, nil if there is none.
func (h *hardener) params(list []syntax.Expr) (rest *syntax.Ident) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.BinaryExpr: // name=default
			p.Y = h.expr(p.Y)
		case *syntax.UnaryExpr:
			if id, ok := p.X.(*syntax.Ident); ok && p.Op == syntax.STAR {
				rest = id
			}
		}
	}
	return rest
}

// target rewrites the expressions inside the left side of an assignment.
func (h *hardener) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.IndexExpr:
		e.X, e.Y = h.expr(e.X), h.key(e.Y)
	case *syntax.DotExpr:
		e.X = h.expr(e.X)
	case *syntax.ParenExpr:
		e.X = h.target(e.X)
	case *syntax.TupleExpr:
		for i, x := range e.List {
			e.List[i] = h.target(x)
		}
	case *syntax.ListExpr:
		for i, x := range e.List {
			e.List[i] = h.target(x)
		}
	}
	return e
}

// key rewrites a key of a dictionary, which is hashed each time that it is used.
func (h *hardener) key(e syntax.Expr) syntax.Expr {
	if _, ok := e.(*syntax.Literal); ok {
		return e
	}
	pos, _ := e.Span()
	return guard(guardKey, pos, h.expr(e))
}

func (h *hardener) exprs(list []syntax.Expr) {
	for i, x := range list {
		list[i] = h.expr(x)
	}
}

func (h *hardener) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case nil, *syntax.Ident, *syntax.Literal:
	case *syntax.BinaryExpr:
		if e.Op == syntax.AND || e.Op == syntax.OR {
			e.X, e.Y = h.condition(e.X), h.expr(e.Y)
			return e
		}
		x, y := h.expr(e.X), h.expr(e.Y)
		return guard(e.Op.String(), e.OpPos, x, y)
	case *syntax.CallExpr:
		e.Fn = h.expr(e.Fn)
		h.args(e.Args)
	case *syntax.Comprehension:
		h.comprehension(e)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = h.condition(e.Cond), h.expr(e.True), h.expr(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = h.key(e.Key), h.expr(e.Value)
	case *syntax.DictExpr:
		h.exprs(e.List)
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.Name.NamePos, Raw: e.Name.Name, Value: e.Name.Name}
		x := h.expr(e.X)
		return guard(guardAttr, syntax.Start(x), x, name)
	case *syntax.IndexExpr:
		e.X, e.Y = h.expr(e.X), h.key(e.Y)
	case *syntax.LambdaExpr:
		e.Body = h.expr(e.Body)
		if rest := h.params(e.Params); rest != nil {
			use := &syntax.Ident{NamePos: rest.NamePos, Name: rest.Name}
			e.Body = guard(guardTuple, rest.NamePos, e.Body, use)
		}
	case *syntax.ListExpr:
		h.exprs(e.List)
	case *syntax.ParenExpr:
		e.X = h.expr(e.X)
	case *syntax.SliceExpr:
		pos := e.Lbrack
		e.X, e.Lo, e.Hi, e.Step = guard(guardSlice, pos, h.expr(e.X)), h.expr(e.Lo), h.expr(e.Hi), h.expr(e.Step)
	case *syntax.TupleExpr:
		h.exprs(e.List)
		start, _ := e.Span()
		return guard(guardTuple, start, e)
	case *syntax.UnaryExpr:
		if e.Op == syntax.NOT {
			e.X = h.condition(e.X)
		} else {
			e.X = h.expr(e.X)
		}
	default:
		panic(fmt.Sprintf("starpass: unknown expression %T", e))
	}
	return e
}

// condition rewrites an expression of which only the truth is asked for.
func (h *hardener) condition(e syntax.Expr) syntax.Expr {
	switch x := e.(type) {
	case *syntax.ParenExpr:
		x.X = h.condition(x.X)
		return x
	case *syntax.BinaryExpr:
		if x.Op == syntax.AND || x.Op == syntax.OR {
			x.X, x.Y = h.condition(x.X), h.condition(x.Y)
			return x
		}
		if _, ok := comparisonTokens[x.Op]; ok {
			return guard(guardTruth+x.Op.String(), x.OpPos, h.expr(x.X), h.expr(x.Y))
		}
	}
	return h.expr(e)
}

// args rewrites the arguments of a call.
func (h *hardener) args(list []syntax.Expr) {
	for i, a := range list {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name=value
				a.Y = h.expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR {
				a.X = guard(guardStar, a.OpPos, h.expr(a.X))
				continue
			}
			if a.Op == syntax.STARSTAR {
				a.X = h.expr(a.X)
				continue
			}
		}
		list[i] = h.expr(a)
	}
}

func (h *hardener) comprehension(e *syntax.Comprehension) {
	for _, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = h.target(c.Vars), h.expr(c.X)
		case *syntax.IfClause:
			c.Cond = h.condition(c.Cond)
		}
	}
	e.Body = h.expr(e.Body)
}
