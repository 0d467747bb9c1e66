//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// importName is what mutated files call package mutant.
const importName = "mutant__"

// renderer writes a file with the switches of the drawn sites. It keeps all line ends, so a compiler's error names the line of the original.
type renderer struct {
	info  *types.Info
	fset  *token.FileSet
	src   []byte
	sites map[ast.Node][]*site
	swaps map[*ast.CallExpr]*site
	// unlock are the deferred statements that go together with the locking one before.
	unlock map[ast.Stmt]*site
}

// render returns the text of the file with the switches of the given sites.
func render(info *types.Info, fset *token.FileSet, file *ast.File, src []byte, sites []*site) string {
	r := &renderer{info, fset, src, map[ast.Node][]*site{}, map[*ast.CallExpr]*site{}, map[ast.Stmt]*site{}}
	for _, s := range sites {
		if p, ok := s.node.(pair); ok {
			r.swaps[p.call] = s
		} else {
			r.sites[s.node] = append(r.sites[s.node], s)
		}
	}
	name := r.offset(file.Name.End())
	whole := r.children(file, 0, len(src), func(n ast.Node) bool { return r.offset(n.Pos()) > name })
	return whole[:name] + fmt.Sprintf("; import %s %q", importName, mutantPackage) + whole[name:]
}

func (r *renderer) offset(p token.Pos) int { return r.fset.Position(p).Offset }

// text returns the source of a node with the switches below and at it.
func (r *renderer) text(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BlockStmt:
		r.pairs(n.List)
	case *ast.CaseClause:
		r.pairs(n.Body)
	case *ast.CommClause:
		r.pairs(n.Body)
	}
	begin, end := r.offset(n.Pos()), r.offset(n.End())
	var body string
	if b, ok := n.(*ast.BinaryExpr); ok {
		body = r.binary(b)
	} else if c, ok := n.(*ast.CallExpr); ok && r.swaps[c] != nil {
		body = r.swapped(c)
	} else {
		body = r.children(n, begin, end, func(ast.Node) bool { return true })
	}
	if s := r.unlock[asStmt(n)]; s != nil {
		return guard(s, body)
	}
	for _, s := range r.sites[n] {
		body = r.apply(s, n, body)
	}
	return body
}

func asStmt(n ast.Node) ast.Stmt {
	s, _ := n.(ast.Stmt)
	return s
}

// pairs finds in a list of statements those that are deleted with the one before.
func (r *renderer) pairs(list []ast.Stmt) {
	for i := 0; i+1 < len(list); i++ {
		if s := r.sites[list[i]]; len(s) > 0 && locks(list[i], list[i+1]) {
			r.unlock[list[i+1]] = s[0]
		}
	}
}

// children returns the source from begin to end with the direct children of a node that pass the filter replaced by their text.
func (r *renderer) children(n ast.Node, begin, end int, want func(ast.Node) bool) string {
	var list []ast.Node
	ast.Inspect(n, func(c ast.Node) bool {
		if c == n {
			return true
		}
		if c != nil && want(c) {
			if _, ok := c.(*ast.CommentGroup); !ok {
				list = append(list, c)
			}
		}
		return false
	})
	sort.Slice(list, func(i, j int) bool { return list[i].Pos() < list[j].Pos() })
	var b strings.Builder
	at := begin
	for _, c := range list {
		from, to := r.offset(c.Pos()), r.offset(c.End())
		if from < at { // a key and its value may share an identifier, as in struct fields that are embedded
			continue
		}
		b.Write(r.src[at:from])
		b.WriteString(r.text(c))
		at = to
	}
	b.Write(r.src[at:end])
	return b.String()
}

// binary returns a binary expression, with its operator mutants, which need the operands apart.
func (r *renderer) binary(n *ast.BinaryExpr) string {
	x, y := r.text(n.X), r.text(n.Y)
	opAt, opEnd := r.offset(n.OpPos), r.offset(n.OpPos)+len(n.Op.String())
	before, after := string(r.src[r.offset(n.X.End()):opAt]), string(r.src[opEnd:r.offset(n.Y.Pos())])
	original := func(x, y string) string { return x + before + n.Op.String() + after + y }
	var left []*site
	body := ""
	for _, s := range r.sites[n] {
		switch s.kind {
		case dropLeft:
			x = fmt.Sprintf("(%s(%s))", always(n.Op, s.id), x)
		case dropRight:
			y = fmt.Sprintf("(%s(%s))", always(n.Op, s.id), y)
		case operator:
			body = fmt.Sprintf("%s.%s(%d, %s%s,%s%s)", importName, operatorFunc[n.Op], s.id, x, before, after, y)
		default:
			left = append(left, s)
		}
	}
	if body == "" {
		body = original(x, y)
	}
	for _, s := range left {
		switch s.kind {
		case boundary:
			equal := fmt.Sprintf("%s.On(%d) && (%s) == (%s)", importName, s.id, x, y)
			if n.Op == token.LSS || n.Op == token.GTR {
				body = fmt.Sprintf("(%s || %s)", body, equal)
			} else {
				body = fmt.Sprintf("(%s && !(%s))", body, equal)
			}
		case negate:
			body = fmt.Sprintf("((%s) != %s.On(%d))", body, importName, s.id)
		}
	}
	return body
}

// always returns what comes before an operand of && or || that has no say while the mutant is on.
func always(op token.Token, id int) string {
	if op == token.LAND {
		return fmt.Sprintf("%s.On(%d) || ", importName, id)
	}
	return fmt.Sprintf("!%s.On(%d) && ", importName, id)
}

var operatorFunc = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Div", token.REM: "Rem", token.AND: "And", token.OR: "Or",
}

// swapped returns a call with the mutant that swaps two of its arguments.
func (r *renderer) swapped(n *ast.CallExpr) string {
	s := r.swaps[n]
	i := s.node.(pair).i
	a, b := r.text(n.Args[i]), r.text(n.Args[i+1])
	fun := r.text(n.Fun)
	at := r.offset(n.Fun.End())
	var out strings.Builder
	out.WriteString(fun)
	for j, arg := range n.Args {
		out.Write(r.src[at:r.offset(arg.Pos())])
		switch j {
		case i:
			fmt.Fprintf(&out, "%s.Other(%d, %s, %s)", importName, s.id, a, b)
		case i + 1:
			fmt.Fprintf(&out, "%s.Other(%d, %s, %s)", importName, s.id, b, a)
		default:
			out.WriteString(r.text(arg))
		}
		at = r.offset(arg.End())
	}
	out.Write(r.src[at:r.offset(n.End())])
	return out.String()
}

// apply returns the text of a node with one mutant.
func (r *renderer) apply(s *site, n ast.Node, body string) string {
	switch s.kind {
	case negate:
		if _, ok := n.(*ast.BinaryExpr); ok {
			return body // done
		}
		return fmt.Sprintf("((%s) != %s.On(%d))", body, importName, s.id)
	case flip:
		return fmt.Sprintf("((%s) != %s.On(%d))", body, importName, s.id)
	case next:
		return fmt.Sprintf("%s.Next(%d, %s(%s))", importName, s.id, r.info.TypeOf(n.(ast.Expr)), body)
	case zero:
		return fmt.Sprintf("%s.Zero(%d, %s)", importName, s.id, body)
	case remove:
		return guard(s, body)
	}
	return body // in binary or swapped
}

// guard returns a statement that is left out while the mutant is on.
func guard(s *site, body string) string {
	return fmt.Sprintf("if !%s.On(%d) { %s }", importName, s.id, body)
}
