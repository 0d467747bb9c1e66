package dialect

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"
)

// celled moves the variables of a function, or of the top level, that blocks under try or functions inside of it assign, into a dictionary:
// Starlark has no other way to assign a variable of a function around. A use becomes a look-up, an assignment one of an entry, here and in
// the functions inside that do not have a variable of that name themselves.
func (p *parser) celled(list []syntax.Stmt, params []syntax.Expr, names map[string]bool, dict string, pos syntax.Position) []syntax.Stmt {
	c := &celler{names: names, dict: dict, outer: p.outer}
	list = c.stmts(list)
	made := &syntax.DictExpr{Lbrace: pos, Rbrace: pos}
	for _, n := range paramNames(params) {
		if names[n] {
			made.List = append(made.List, &syntax.DictEntry{Key: text(pos, n), Colon: pos, Value: name(pos, n)})
		}
	}
	at := 0
	if s, ok := list[0].(*syntax.ExprStmt); ok { // the docstring stays first
		if _, ok := s.X.(*syntax.Literal); ok {
			at = 1
		}
	}
	out := append([]syntax.Stmt{}, list[:at]...)
	out = append(out, assign(name(pos, dict), pos, made))
	return append(out, list[at:]...)
}

type celler struct {
	names map[string]bool
	dict  string
	outer map[*syntax.DefStmt]map[string]bool
}

// without returns c without some names.
func (c *celler) without(names []string) *celler {
	out := &celler{names: map[string]bool{}, dict: c.dict, outer: c.outer}
	for n := range c.names {
		out.names[n] = true
	}
	for _, n := range names {
		delete(out.names, n)
	}
	return out
}

func (c *celler) stmts(list []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range list {
		out = append(out, s)
		switch s := s.(type) {
		case *syntax.AssignStmt:
			s.LHS, s.RHS = c.target(s.LHS), c.expr(s.RHS)
		case *syntax.ExprStmt:
			s.X = c.expr(s.X)
		case *syntax.IfStmt:
			s.Cond, s.True, s.False = c.expr(s.Cond), c.stmts(s.True), c.stmts(s.False)
		case *syntax.ForStmt:
			s.X, s.Vars, s.Body = c.expr(s.X), c.target(s.Vars), c.stmts(s.Body)
		case *syntax.WhileStmt:
			s.Cond, s.Body = c.expr(s.Cond), c.stmts(s.Body)
		case *syntax.ReturnStmt:
			s.Result = c.expr(s.Result)
		case *syntax.DefStmt:
			c.def(s)
			if c.names[s.Name.Name] {
				pos := s.Def
				out = append(out, assign(c.entry(s.Name), pos, name(pos, s.Name.Name)))
			}
		case *syntax.BranchStmt:
		default:
			panic(fmt.Sprintf("dialect: unknown statement %T", s))
		}
	}
	return out
}

// def goes through a function inside. A block under try has the variables of the function that it is in, but for the error.
func (c *celler) def(d *syntax.DefStmt) {
	c.defaults(d.Params)
	own := paramNames(d.Params)
	if !strings.HasPrefix(d.Name.Name, "(") {
		for _, n := range assigned(d.Body, nil) {
			if !c.outer[d][n] {
				own = append(own, n)
			}
		}
	}
	d.Body = c.without(own).stmts(d.Body)
}

func (c *celler) defaults(params []syntax.Expr) {
	for _, x := range params {
		if b, ok := x.(*syntax.BinaryExpr); ok {
			b.Y = c.expr(b.Y)
		}
	}
}

// assigned returns the names of the variables that statements assign in their own function.
func assigned(list []syntax.Stmt, out []string) []string {
	var add func(x syntax.Expr)
	add = func(x syntax.Expr) {
		switch x := x.(type) {
		case *syntax.Ident:
			out = append(out, x.Name)
		case *syntax.ParenExpr:
			add(x.X)
		case *syntax.TupleExpr:
			for _, e := range x.List {
				add(e)
			}
		case *syntax.ListExpr:
			for _, e := range x.List {
				add(e)
			}
		}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			add(s.LHS)
		case *syntax.IfStmt:
			out = assigned(s.False, assigned(s.True, out))
		case *syntax.ForStmt:
			add(s.Vars)
			out = assigned(s.Body, out)
		case *syntax.WhileStmt:
			out = assigned(s.Body, out)
		case *syntax.DefStmt:
			out = append(out, s.Name.Name)
		}
	}
	return out
}

// entry is the place of a variable in the dictionary.
func (c *celler) entry(id *syntax.Ident) syntax.Expr {
	return &syntax.IndexExpr{X: name(id.NamePos, c.dict), Lbrack: id.NamePos, Y: text(id.NamePos, id.Name), Rbrack: id.NamePos}
}

func (c *celler) target(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		if c.names[x.Name] {
			return c.entry(x)
		}
	case *syntax.ParenExpr:
		x.X = c.target(x.X)
	case *syntax.TupleExpr:
		for i := range x.List {
			x.List[i] = c.target(x.List[i])
		}
	case *syntax.ListExpr:
		for i := range x.List {
			x.List[i] = c.target(x.List[i])
		}
	default:
		return c.expr(x)
	}
	return x
}

func (c *celler) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = c.expr(list[i])
	}
}

func (c *celler) expr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *syntax.Ident:
		if c.names[x.Name] {
			return call(Cell, x.NamePos, name(x.NamePos, c.dict), text(x.NamePos, x.Name))
		}
	case *syntax.Literal:
	case *syntax.BinaryExpr:
		if x.Op != syntax.EQ { // an argument by name keeps it
			x.X = c.expr(x.X)
		}
		x.Y = c.expr(x.Y)
	case *syntax.CallExpr:
		x.Fn = c.expr(x.Fn)
		c.exprs(x.Args)
	case *syntax.Comprehension:
		c.comprehension(x)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = c.expr(x.Cond), c.expr(x.True), c.expr(x.False)
	case *syntax.DictEntry:
		x.Key, x.Value = c.expr(x.Key), c.expr(x.Value)
	case *syntax.DictExpr:
		c.exprs(x.List)
	case *syntax.DotExpr:
		x.X = c.expr(x.X)
	case *syntax.IndexExpr:
		x.X, x.Y = c.expr(x.X), c.expr(x.Y)
	case *syntax.LambdaExpr:
		c.defaults(x.Params)
		x.Body = c.without(paramNames(x.Params)).expr(x.Body)
	case *syntax.ListExpr:
		c.exprs(x.List)
	case *syntax.ParenExpr:
		x.X = c.expr(x.X)
	case *syntax.SliceExpr:
		x.X, x.Lo, x.Hi, x.Step = c.expr(x.X), c.expr(x.Lo), c.expr(x.Hi), c.expr(x.Step)
	case *syntax.TupleExpr:
		c.exprs(x.List)
	case *syntax.UnaryExpr:
		x.X = c.expr(x.X)
	default:
		panic(fmt.Sprintf("dialect: unknown expression %T", x))
	}
	return x
}

// comprehension goes through one: its variables are its own, but the first list is computed outside.
func (c *celler) comprehension(x *syntax.Comprehension) {
	inner := c
	for i, cl := range x.Clauses {
		switch cl := cl.(type) {
		case *syntax.ForClause:
			if i == 0 {
				cl.X = c.expr(cl.X)
			}
			inner = inner.without(assigned([]syntax.Stmt{&syntax.ForStmt{Vars: cl.Vars}}, nil))
			if i > 0 {
				cl.X = inner.expr(cl.X)
			}
		case *syntax.IfClause:
			cl.Cond = inner.expr(cl.Cond)
		}
	}
	x.Body = inner.expr(x.Body)
}

// Celled returns the variables of the top level that live in the dictionary Cells.
func Celled(f *syntax.File) []string {
	var out []string
	seen := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if x, ok := n.(*syntax.IndexExpr); ok {
			if id, ok := x.X.(*syntax.Ident); ok && id.Name == Cells {
				if key := x.Y.(*syntax.Literal).Value.(string); !seen[key] {
					seen[key] = true
					out = append(out, key)
				}
			}
		}
		return true
	})
	return out
}
