package fromir

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/runtime/dtype"
)

// primFunc adds the tree of a PrimFunc: its root, and below it loops, blocks and
// statements in order. Statements that hold for the rest of their body, such as lets and
// allocations, are leaves before it. Ids are made when the tree is done.
func (b *builder) primFunc(name string, f *tir.PrimFunc) {
	b.ints = intsOf(f)
	var params []string
	for i, p := range f.Params {
		text := p.Name + ": " + short(p.DType())
		if i < len(f.Buffers) && f.Buffers[i] != nil {
			text = bufferText(f.Buffers[i])
		}
		params = append(params, text)
	}
	root := b.stmtNode(-1, flow.Node{ID: "function", Label: name, Kind: flow.Function, Line: b.lines.next(f), Inline: params})
	if a := attrs(f.FuncAttrs(), " = ", "\n"); a != "" {
		b.g.Nodes[root].Detail = cut(a, maxDetail)
	}
	if r, ok := f.Body.(*tir.BlockRealize); ok && len(r.Block.IterVars) == 0 && r.Block.Name == "root" && r.Block.Init == nil && tir.IsTrue(r.Predicate) {
		b.lines.next(r) // the root block is the function
		b.blockBody(r.Block, root)
	} else if f.Body != nil {
		b.stmt(f.Body, root)
	}
	b.name()
}

// intsOf returns the type of most integers of f: that of its outermost loop or first extent.
func intsOf(f *tir.PrimFunc) dtype.DType {
	out := dtype.Void
	for _, b := range f.Buffers {
		if b != nil && len(b.Shape) > 0 {
			out = b.Shape[0].DType()
			break
		}
	}
	if f.Body == nil {
		return out
	}
	found := false
	ir.Walk(f.Body, func(n ir.Node) bool {
		if l, ok := n.(*tir.For); ok && !found {
			out, found = l.LoopVar.DType(), true
		}
		return !found
	})
	return out
}

// stmtNode adds a node below parent. Its line is that of parent where it has none: nested
// loops may share one. ID is the part of the id that comes after the scope.
func (b *builder) stmtNode(parent int, n flow.Node) int {
	if n.Line == 0 && parent >= 0 {
		n.Line = b.g.Nodes[parent].Line
	}
	n.Label = cut(n.Label, maxLabel)
	b.g.Nodes = append(b.g.Nodes, n)
	b.parent = append(b.parent, parent)
	b.scope = append(b.scope, "")
	i := len(b.g.Nodes) - 1
	if parent >= 0 {
		b.edge(parent, i, 0)
	}
	return i
}

// name makes the ids: the scope, which is the first block or stored buffer below a node, and
// then what the node is. So an id does not depend on what stands elsewhere in the function.
func (b *builder) name() {
	for i := len(b.g.Nodes) - 1; i > 0; i-- {
		if p := b.parent[i]; b.scope[i] != "" && b.g.Nodes[p].Kind != flow.Block {
			b.scope[p] = b.scope[i] // nodes are visited last to first, so the first child stays
		}
	}
	for i := range b.g.Nodes {
		n := &b.g.Nodes[i]
		if n.Kind != flow.Function && b.scope[i] != "" {
			n.ID = b.scope[i] + "/" + n.ID
		}
		n.ID = b.unique(n.ID)
	}
	children := make([]int, len(b.g.Nodes))
	for i := range b.g.Edges {
		e := &b.g.Edges[i]
		e.Arg = children[e.From]
		children[e.From]++
	}
}

func (b *builder) stmt(s tir.Stmt, parent int) {
	for s != nil {
		var rest tir.Stmt // the body of a statement that is a leaf
		leaf := func(kind flow.Kind, id, label, inf string, body tir.Stmt) {
			b.stmtNode(parent, flow.Node{ID: id, Label: label, Info: inf, Kind: kind, Line: b.lines.next(s)})
			rest = body
		}
		switch s := s.(type) {
		case *tir.SeqStmt:
			for _, x := range s.Seq {
				b.stmt(x, parent)
			}
		case *tir.For:
			b.stmt(s.Body, b.loop(s, parent))
		case *tir.While:
			b.stmt(s.Body, b.stmtNode(parent, flow.Node{ID: "while", Label: "while", Info: b.text(s.Cond), Kind: flow.Control, Line: b.lines.next(s)}))
		case *tir.IfThenElse:
			n := b.stmtNode(parent, flow.Node{ID: "if", Label: "if", Info: b.text(s.Cond), Kind: flow.Control, Line: b.lines.next(s)})
			b.stmt(s.Then, n)
			if s.Else != nil {
				b.stmt(s.Else, b.stmtNode(parent, flow.Node{ID: "else", Label: "else", Kind: flow.Control, Line: b.g.Nodes[n].Line}))
			}
		case *tir.BlockRealize:
			b.block(s.Block, s, parent, b.lines.next(s))
		case *tir.Block:
			b.block(s, nil, parent, 0)
		case *tir.BufferStore:
			where, what, _ := strings.Cut(b.text(s), " = ")
			n := b.stmtNode(parent, flow.Node{ID: "store", Label: where, Info: "= " + what, Kind: flow.Store, Line: b.lines.next(s)})
			b.scope[n] = s.Buffer.Name
		case *tir.Evaluate:
			leaf(flow.Eval, "eval", b.text(s.Value), "", nil)
		case *tir.LetStmt:
			leaf(flow.Let, "let "+s.Var.Name, s.Var.Name, "= "+b.text(s.Value), s.Body)
		case *tir.AssertStmt:
			leaf(flow.Eval, "assert", "assert", b.text(s.Cond), s.Body)
		case *tir.Allocate:
			leaf(flow.Alloc, "alloc "+s.Var.Name, s.Var.Name, dims(s.Extents)+" "+short(s.Type), s.Body)
		case *tir.AllocateConst:
			leaf(flow.Alloc, "alloc "+s.Var.Name, s.Var.Name, "const "+dims(s.Extents)+" "+short(s.Type), s.Body)
		case *tir.DeclBuffer:
			leaf(flow.Alloc, "decl "+s.Buffer.Name, s.Buffer.Name, "view "+dims(s.Buffer.Shape)+" "+short(s.Buffer.DType), s.Body)
		case *tir.BufferRealize:
			leaf(flow.Alloc, "realize "+s.Buffer.Name, s.Buffer.Name, dims(s.Buffer.Shape)+" "+short(s.Buffer.DType), s.Body)
		case *tir.AttrStmt:
			if iv, ok := s.Node.(*tir.IterVar); ok && strings.HasSuffix(s.Key, "thread_extent") {
				parent = b.stmtNode(parent, flow.Node{ID: "for " + iv.Var.Name, Name: iv.Var.Name, Label: "for " + iv.Var.Name, Info: b.text(s.Value) + ", " + iv.ThreadTag, Kind: flow.Loop, Line: b.lines.next(s)})
				rest = s.Body
				break
			}
			leaf(flow.Let, "attr "+s.Key, s.Key, "= "+b.text(s.Value), s.Body)
		default:
			panic(fmt.Sprintf("fromir: unknown statement %T", s))
		}
		s = rest
	}
}

func (b *builder) loop(s *tir.For, parent int) int {
	extent := b.text(s.Extent)
	if !tir.IsConst(s.Min, 0) {
		extent = b.text(s.Min) + ":" + b.text(tir.Add(s.Min, s.Extent))
	}
	if s.Step != nil {
		extent += " step " + b.text(s.Step)
	}
	switch {
	case s.Thread != nil:
		extent += ", " + s.Thread.ThreadTag
	case s.Kind == tir.Unrolled:
		extent += ", unrolled"
	case s.Kind != tir.Serial:
		extent += ", " + s.Kind.String()
	}
	n := flow.Node{ID: "for " + s.LoopVar.Name, Name: s.LoopVar.Name, Label: "for " + s.LoopVar.Name, Info: extent, Kind: flow.Loop, Line: b.lines.next(s)}
	n.Detail = cut(attrs(s.Annotations, " = ", "\n"), maxDetail)
	return b.stmtNode(parent, n)
}

func (b *builder) block(s *tir.Block, r *tir.BlockRealize, parent, line int) {
	n := flow.Node{ID: "block", Name: s.Name, Label: "block " + s.Name, Kind: flow.Block, Line: line}
	var kinds, detail strings.Builder
	var names []string
	for i, iv := range s.IterVars {
		names = append(names, iv.Var.Name)
		kinds.WriteString(map[tir.IterKind]string{tir.DataPar: "S", tir.CommReduce: "R", tir.Ordered: "O", tir.ThreadIndex: "T"}[iv.Kind])
		detail.WriteString(iv.Var.Name + ": " + iv.Kind.String() + " " + b.text(iv.Dom.Extent))
		if r != nil && i < len(r.Values) {
			detail.WriteString(" = " + b.text(r.Values[i]))
		}
		detail.WriteString("\n")
	}
	if len(names) > 0 {
		n.Info = kinds.String() + " " + strings.Join(names, ", ")
	}
	if r != nil && !tir.IsTrue(r.Predicate) {
		n.Inline = append(n.Inline, "where "+b.text(r.Predicate))
	}
	for _, x := range s.Reads {
		detail.WriteString("reads " + b.text(x) + "\n")
	}
	for _, x := range s.Writes {
		detail.WriteString("writes " + b.text(x) + "\n")
	}
	detail.WriteString(attrs(s.Annotations, " = ", "\n"))
	n.Detail = cut(strings.TrimSuffix(detail.String(), "\n"), maxDetail)
	i := b.stmtNode(parent, n)
	b.scope[i] = s.Name
	b.blockBody(s, i)
}

// blockBody adds the buffers, the start and the body of a block below parent.
func (b *builder) blockBody(s *tir.Block, parent int) {
	for _, x := range s.AllocBuffers {
		b.stmtNode(parent, flow.Node{ID: "alloc " + x.Name, Name: x.Name, Label: x.Name, Info: strings.TrimPrefix(bufferText(x), x.Name+": "), Kind: flow.Alloc, Line: b.lines.next(x)})
	}
	for _, m := range s.MatchBuffers {
		b.stmtNode(parent, flow.Node{ID: "match " + m.Buffer.Name, Name: m.Buffer.Name, Label: m.Buffer.Name, Info: "view of " + b.text(m.Source), Kind: flow.Alloc, Line: b.lines.next(m)})
	}
	if s.Init != nil {
		b.stmt(s.Init, b.stmtNode(parent, flow.Node{ID: "init", Label: "init", Kind: flow.Control}))
	}
	if s.Body != nil {
		b.stmt(s.Body, parent)
	}
}

func bufferText(b *tir.Buffer) string {
	out := b.Name + ": " + dims(b.Shape) + " " + short(b.DType)
	if s := b.Scope(); s != "global" {
		out += " " + s
	}
	return out
}

// text prints an expression, a region or a statement on one line.
func (b *builder) text(n ir.Node) string {
	switch e := n.(type) {
	case *tir.IntImm:
		return scalar(e)
	case *tir.Var:
		return e.Name
	}
	return cut(script.Node(n, script.Options{IntDType: b.ints}), maxLabel)
}
