// Package fromir makes the trees of package looptree of PrimFuncs.
//
// The runner of the web and the command line import it; it knows no passes.
package fromir

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/looptree"
)

// maxRows is the number of rows that a tree lists.
const maxRows = 2000

// maxText is the length of the longest text in a row.
const maxText = 200

// Of returns the tree of a PrimFunc. text is how it was printed, and gives the rows their lines; it may be nil.
func Of(name string, f *tir.PrimFunc, text *script.Text) *looptree.Tree {
	b := &builder{tree: &looptree.Tree{Name: name}, lines: map[ir.Node][]int{}}
	if text != nil {
		for i, n := range text.Lines {
			if n != nil {
				b.lines[n] = append(b.lines[n], i+1)
			}
		}
	}
	if f.Body == nil {
		b.add(looptree.Row{Kind: looptree.Function, Name: name}, f, 1, nil)
		return b.tree
	}
	b.add(looptree.Row{Kind: looptree.Function, Name: name}, f, 1, f.Body)
	if r, ok := f.Body.(*tir.BlockRealize); ok && len(r.Block.IterVars) == 0 && r.Block.Init == nil && r.Block.Name == "root" && tir.IsTrue(r.Predicate) {
		b.line(r) // the root block is the function
		b.depth++
		b.stmt(r.Block.Body, 1)
		return b.tree
	}
	b.depth++
	b.stmt(f.Body, 1)
	return b.tree
}

type builder struct {
	tree  *looptree.Tree
	lines map[ir.Node][]int
	depth int
}

// line returns the line of n, 0 if it has none. The same n gets its next line when asked again.
func (b *builder) line(n ir.Node) int {
	list := b.lines[n]
	if len(list) == 0 {
		return 0
	}
	if len(list) > 1 {
		b.lines[n] = list[1:]
	}
	return list[0]
}

// add adds a row for n, which is come to so often, with what body touches.
func (b *builder) add(r looptree.Row, n ir.Node, runs int64, body tir.Stmt) {
	r.Line, r.Depth, r.Runs = b.line(n), b.depth, runs
	if r.Line == 0 && len(b.tree.Rows) > 0 { // nested loops may share a line
		r.Line = b.tree.Rows[len(b.tree.Rows)-1].Line
	}
	if len(b.tree.Rows) == maxRows {
		b.tree.Omitted++
		return
	}
	if body != nil {
		r.Touches = touches(body)
	}
	b.tree.Rows = append(b.tree.Rows, r)
}

// inside adds the rows of a statement below the last one.
func (b *builder) inside(s tir.Stmt, runs int64) {
	b.depth++
	b.stmt(s, runs)
	b.depth--
}

func (b *builder) stmt(s tir.Stmt, runs int64) {
	switch s := s.(type) {
	case nil:
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			b.stmt(x, runs)
		}
	case *tir.For:
		row := looptree.Row{Kind: looptree.Loop, Name: s.LoopVar.Name, Extent: text(s.Extent), Loop: s.Kind.String()}
		if s.Thread != nil {
			row.Thread = s.Thread.ThreadTag
		}
		b.add(row, s, runs, s)
		b.inside(s.Body, times(runs, s.Extent))
	case *tir.BlockRealize:
		b.block(s, runs)
	case *tir.Block:
		b.add(looptree.Row{Kind: looptree.Block, Name: s.Name}, s, runs, s.Body)
		b.inside(s.Body, runs)
	case *tir.IfThenElse:
		b.add(looptree.Row{Kind: looptree.Condition, Name: "if", Info: text(s.Cond)}, s, runs, s)
		b.inside(s.Then, runs)
		if s.Else != nil {
			b.add(looptree.Row{Kind: looptree.Condition, Name: "else"}, s.Else, runs, s.Else)
			b.inside(s.Else, runs)
		}
	case *tir.While:
		b.add(looptree.Row{Kind: looptree.Condition, Name: "while", Info: text(s.Cond)}, s, runs, nil)
		b.inside(s.Body, -1)
	case *tir.BufferStore:
		where, _, _ := strings.Cut(text(s), " = ")
		b.add(looptree.Row{Kind: looptree.Store, Name: where}, s, runs, s)
	case *tir.AttrStmt:
		if iv, ok := s.Node.(*tir.IterVar); ok && strings.HasSuffix(s.Key, "thread_extent") {
			b.add(looptree.Row{Kind: looptree.Loop, Name: iv.Var.Name, Extent: text(s.Value), Loop: tir.ThreadBinding.String(), Thread: iv.ThreadTag}, s, runs, nil)
			b.inside(s.Body, times(runs, s.Value))
			return
		}
		b.stmt(s.Body, runs)
	default: // what holds for the rest of its body, and what is no loop
		s.EachChild(func(n ir.Node) {
			if x, ok := n.(tir.Stmt); ok {
				b.stmt(x, runs)
			}
		})
	}
}

// block adds a block and what is in it.
func (b *builder) block(s *tir.BlockRealize, runs int64) {
	row := looptree.Row{Kind: looptree.Block, Name: s.Block.Name}
	for i, iv := range s.Block.IterVars {
		row.Iters = append(row.Iters, looptree.Iter{Name: iv.Var.Name, Kind: iv.Kind.String(), Value: text(s.Values[i])})
	}
	if !tir.IsTrue(s.Predicate) {
		row.Info = "where " + text(s.Predicate)
	}
	b.add(row, s, runs, s)
	if nested(s.Block.Body) {
		b.inside(s.Block.Body, runs)
	}
}

// nested tells whether there is a loop, a block, or a condition in a statement.
func nested(s tir.Stmt) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.For, *tir.BlockRealize, *tir.IfThenElse, *tir.While:
			found = true
		}
		return !found
	})
	return found
}

// times returns how often the body of a loop runs.
func times(runs int64, extent tir.Expr) int64 {
	n, ok := tir.AsInt(extent)
	if !ok || runs < 0 || n > 0 && runs > (1<<62)/n {
		return -1
	}
	return runs * max(n, 0)
}

// text prints a node on one line, cut where it is long.
func text(n ir.Node) string {
	out := strings.Join(strings.Fields(script.Node(n, script.Options{})), " ")
	for _, plain := range []string{"T.int64(", "T.int32("} { // sizes are read, not run
		for {
			i := strings.Index(out, plain)
			if i < 0 {
				break
			}
			j := strings.IndexByte(out[i:], ')')
			if j < 0 {
				break
			}
			out = out[:i] + out[i+len(plain):i+j] + out[i+j+1:]
		}
	}
	if r := []rune(out); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return out
}
