package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// InjectDoubleBuffer lets loops fill a buffer for their next iteration while they use it for this one.
var InjectDoubleBuffer = &pass.Pass{
	Name: "tir.InjectDoubleBuffer", Kind: pass.PrimFunc, Lowering: true,
	Without: "programs compile, and copies do not overlap with what is computed",
	Needs:   []pass.Need{{Form: pass.FlatBuffers, Why: "the two halves of a buffer lie one behind the other"}},
	Doc: "Gives a buffer that a loop fills under the attribute double_buffer_scope a second half, which is filled for the next iteration while this one reads the first. " +
		"With split_loop, the loop is cut into parts of so many iterations, in which it is known which half is which.",
	Config: []string{"tir.InjectDoubleBuffer"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		split := c.ConfigFields("tir.InjectDoubleBuffer").Int("split_loop", 1)
		if split < 0 || split > maxSplitLoop || split > 1 && split%2 != 0 {
			return nil, fmt.Errorf("config tir.InjectDoubleBuffer: split_loop is %d: expected 0, 1, or an even number up to %d", split, maxSplitLoop)
		}
		found := findDoubleBuffers(c, f.Body)
		if len(found) == 0 {
			return f, nil
		}
		d := &doubleBuffering{c: c, split: split, of: found, buffers: map[*tir.Buffer]*tir.Buffer{}, fill: map[*tir.For][]tir.Stmt{}, allocs: map[*tir.For][]tir.Stmt{}}
		d.m = tir.Mapper{Stmt: d.stmt, Expr: d.expr, Buffer: d.buffer}
		body := d.stmt(f.Body)
		if d.err != nil {
			return nil, d.err
		}
		return newSSA(c, c.Budget()).function(f.WithBody(body)), nil
	}),
}

// maxSplitLoop bounds the copies of a loop's body.
const maxSplitLoop = 64

const keyDoubleBufferWrite = "double_buffer_write"

// doubleBuffer is a buffer that gets a second half.
type doubleBuffer struct {
	loop   *tir.For // whose iterations fill it
	stride tir.Expr // elements of a half
	write  tir.Expr // the half that is filled, where statements that fill it are mapped
}

// apart returns why what fills a buffer for the next iteration may not run before the rest of this one, "" if it may.
func apart(loop *tir.For, fills *tir.AttrStmt, x *doubleBuffer) string {
	own := fills.Node.(*tir.Var)
	if !directly(loop.Body, fills) {
		return "the statement that fills it does not always run, or more than once in an iteration"
	}
	inner, used := map[*tir.Var]bool{loop.LoopVar: true}, false
	uses := func(e ir.Node) {
		ir.Walk(e, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok {
				used = used || inner[v]
			}
			return !used
		})
	}
	if uses(x.stride); used {
		return "its size is not known in front of the loop"
	}
	delete(inner, loop.LoopVar)
	fill, rest := accessesOf(fills.Body, nil), accessesOf(loop.Body, fills)
	ir.Walk(loop.Body, func(n ir.Node) bool {
		if n != ir.Node(fills) {
			definedBy(n, func(v *tir.Var) { inner[v] = true })
		}
		return n != ir.Node(fills)
	})
	delete(inner, own)
	if uses(fills.Body); used {
		return "a variable of the loop's body is in the statement that fills it"
	}
	if fill.effect && rest.any || rest.effect {
		return "a call beside it has an effect"
	}
	for _, v := range tir.VarsByName(fill.loads) {
		if v != own && rest.stores[v] {
			return "the loop stores to " + v.Name + ", which is read to fill it"
		}
	}
	for _, v := range tir.VarsByName(fill.stores) {
		if v != own && (rest.loads[v] || rest.stores[v]) {
			return "the statement that fills it stores to " + v.Name + ", which the loop uses besides"
		}
	}
	return ""
}

// directly reports whether target runs once whenever s does.
func directly(s, target tir.Stmt) bool {
	switch x := s.(type) {
	case *tir.SeqStmt:
		return slices.ContainsFunc(x.Seq, func(y tir.Stmt) bool { return directly(y, target) })
	case *tir.Allocate:
		return directly(x.Body, target)
	case *tir.DeclBuffer:
		return directly(x.Body, target)
	case *tir.AttrStmt:
		return s == target || x.BoundThread() == nil && directly(x.Body, target)
	}
	return false
}

// touched says what a statement accesses, by pointers.
type touched struct {
	loads, stores map[*tir.Var]bool
	any, effect   bool // whether there is a statement that does something, a call with an effect
}

// accessesOf returns what s accesses, without a statement in it.
func accessesOf(s, without tir.Stmt) *touched {
	t := &touched{loads: map[*tir.Var]bool{}, stores: map[*tir.Var]bool{}}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AttrStmt:
			return ir.Node(n) != ir.Node(without)
		case *tir.BufferLoad:
			t.loads[n.Buffer.Data] = true
		case *tir.BufferStore:
			t.stores[n.Buffer.Data], t.any = true, true
		case *tir.Call:
			t.effect = t.effect || tir.CallEffect(n) > tir.ReadState
			for _, a := range n.Args { // an address
				if v, ok := a.(*tir.Var); ok && v.DType().IsHandle() {
					t.loads[v], t.stores[v] = true, true
				}
			}
		case *tir.Evaluate, *tir.AssertStmt, *tir.While:
			t.any = true
		}
		return true
	})
	return t
}

// findDoubleBuffers returns the buffers that can get a second half, by their pointers: those that one statement fills, directly in a loop in
// which they are allocated.
func findDoubleBuffers(c *pass.Context, body tir.Stmt) map[*tir.Var]*doubleBuffer {
	out := map[*tir.Var]*doubleBuffer{}
	allocIn := map[*tir.Var]*tir.For{}
	bare, stored := map[*tir.Var]int{}, map[*tir.Var]bool{}
	why := map[*tir.Var]string{}
	var loop *tir.For
	var filled *tir.Var
	var visit func(n ir.Node)
	visit = func(n ir.Node) {
		c.Budget().Spend(1)
		switch n := n.(type) {
		case *tir.For:
			around := loop
			loop = n
			n.EachChild(visit)
			loop = around
			return
		case *tir.Allocate:
			allocIn[n.Var] = loop
			if out[n.Var] = nil; len(n.Extents) == 1 {
				out[n.Var] = &doubleBuffer{stride: n.Extents[0]}
			}
			bare[n.Var]-- // the definition is a child, too
		case *tir.Var:
			bare[n]++
		case *tir.BufferStore:
			if n.Buffer.Data != filled {
				stored[n.Buffer.Data] = true
			}
			if n.Predicate != nil || len(n.Indices) != 1 {
				why[n.Buffer.Data] = "it is not accessed by one index"
			}
		case *tir.BufferLoad:
			if n.Predicate != nil || len(n.Indices) != 1 {
				why[n.Buffer.Data] = "it is not accessed by one index"
			}
		case *tir.AttrStmt:
			v, ok := n.Node.(*tir.Var)
			if ok && n.Key == keyDoubleBuffer {
				bare[v]--
				x := out[v]
				switch {
				case loop == nil:
					why[v] = "it is filled outside of loops"
				case x == nil:
					why[v] = "it is not allocated around, or not flat"
				case x.loop != nil:
					why[v] = "two statements fill it"
				case allocIn[v] != loop:
					why[v] = "it is not allocated in the loop that fills it"
				case loop.Kind != tir.Serial && loop.Kind != tir.Unrolled || !tir.IsConst(loop.Min, 0) || loop.Step != nil:
					why[v] = "the loop does not count from 0 by 1"
				default:
					x.loop = loop
					why[v] = apart(loop, n, x)
				}
				around := filled
				filled = v
				n.EachChild(visit)
				filled = around
				return
			}
		}
		n.EachChild(visit)
	}
	visit(body)
	for _, v := range tir.VarsByName(out) {
		switch x := out[v]; {
		case x == nil || x.loop == nil:
		case why[v] != "":
		case bare[v] > 0:
			why[v] = "its pointer is used other than by buffers"
		case stored[v]:
			why[v] = "it is stored to outside of the statement that fills it"
		default:
			continue
		}
		if why[v] != "" {
			c.Declined("buffer twice", v, why[v])
		}
		delete(out, v)
	}
	return out
}
