package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InjectPermutedLayout changes where elements of shared memory lie.
//
// A row is cut into vectors of 8 elements, and vector c of row r goes to place c xor (r mod 8), of rows of a multiple of 64
// elements, or else to c xor (r mod 8)/2, of rows of a multiple of 32. Within a row this is a permutation, so every element has a place of its
// own, and the vectors of 8 rows that lie below each other are in different banks.
var InjectPermutedLayout = &pass.Pass{
	Name: "tir.InjectPermutedLayout", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Permutes the elements in the rows of shared buffers that blocks annotated with permuted_layout access, so that threads that go down a column use different banks.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		p := &permuter{c: c, m: newMutator(c, c.Budget()), buffers: map[*tir.Var]*tir.Buffer{}, inside: map[*tir.Var]string{}, outside: map[*tir.Var]bool{}}
		for _, b := range f.Buffers {
			if b != nil {
				p.buffers[b.Data] = b
			}
		}
		p.survey(f.Body, false)
		if p.err == nil && len(p.inside) == 0 && !p.marked {
			return f, nil
		}
		for _, data := range tir.VarsByName(p.inside) {
			if p.outside[data] {
				p.fail("block %q accesses shared memory %s with a permuted layout, and another access has none: expected an annotation permuted_layout on all blocks that access it", p.inside[data], data.Name)
			}
		}
		if p.err != nil {
			return nil, p.err
		}
		p.m.Stmt, p.m.Expr = p.stmt, p.expr
		body := p.m.MutateStmt(f.Body)
		if p.err != nil {
			return nil, p.err
		}
		return f.WithBody(body), nil
	}),
}

const keyPermuted = "permuted_layout"

var (
	opLDMatrix = tir.LookupBuiltin("tir.ptx_ldmatrix").Op
	opMMAStore = tir.LookupBuiltin("tir.mma_store").Op
)

type permuter struct {
	c       *pass.Context
	m       *arith.Mutator
	buffers map[*tir.Var]*tir.Buffer
	inside  map[*tir.Var]string // shared memory that is permuted, and a block that says so
	outside map[*tir.Var]bool   // memory with an access that is not
	on      bool
	block   string
	marked  bool
	err     error
}

func (p *permuter) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// annotated tells whether b is to be permuted: by a text that is not empty, as older programs have it, or a number that is not 0.
func (p *permuter) annotated(b *tir.Block) bool {
	v, ok := b.Annotations.Get(keyPermuted)
	if !ok {
		return false
	}
	p.marked = true
	switch v := v.(type) {
	case string:
		return v != ""
	case int64:
		return v != 0
	case bool:
		return v
	}
	p.fail("Invalid permuted layout annotation of block %q: expected a text, a number, or a truth value", b.Name)
	return false
}

func permutable(b *tir.Buffer) bool {
	return strings.HasPrefix(b.Scope(), "shared") && len(b.Shape) >= 2
}

// survey collects the buffers, and which memory is accessed inside and outside of annotated blocks.
func (p *permuter) survey(n ir.Node, on bool) {
	access := func(b *tir.Buffer) {
		if permutable(b) && on {
			p.inside[b.Data] = p.block
		} else {
			p.outside[b.Data] = true
		}
	}
	switch n := n.(type) {
	case *tir.Block:
		on = p.annotated(n) || on
		p.block = n.Name
		for _, b := range n.AllocBuffers {
			p.buffers[b.Data] = b
		}
		for _, m := range n.MatchBuffers {
			p.buffers[m.Buffer.Data] = m.Buffer
			if on && permutable(m.Source.Buffer) {
				p.fail("block %q has a view of %s, whose layout is to be permuted: run tir.LowerMatchBuffer first", n.Name, m.Source.Buffer.Name)
			}
			p.outside[m.Source.Buffer.Data] = true
		}
		if n.Init != nil {
			p.survey(n.Init, on)
		}
		p.survey(n.Body, on)
		return
	case *tir.DeclBuffer:
		p.buffers[n.Buffer.Data] = n.Buffer
	case *tir.BufferLoad:
		access(n.Buffer)
	case *tir.BufferStore:
		access(n.Buffer)
	case *tir.Var:
		p.outside[n] = true
	case *tir.Call:
		if i := pointerArg(n); on && i >= 0 {
			for j, a := range n.Args {
				if j != i {
					p.survey(a, on)
				}
			}
			if data, ptr := p.pointer(n.Args[i]); ptr != nil {
				p.inside[data] = p.block
				p.survey(ptr.Args[2], on)
				p.survey(ptr.Args[3], on)
			}
			return
		}
	}
	n.EachChild(func(x ir.Node) { p.survey(x, on) })
}

// pointerArg returns which argument of c points into shared memory, -1 if it is no intrinsic that this pass knows.
func pointerArg(c *tir.Call) int {
	switch {
	case c.Op == opLDMatrix && len(c.Args) == 7:
		return 5
	case c.Op == opMMAStore && len(c.Args) == 6:
		return 2
	}
	return -1
}

// pointer takes apart the pointer e.
func (p *permuter) pointer(e tir.Expr) (*tir.Var, *tir.Call) {
	if call, ok := tir.IsCallTo(e, tir.OpAccessPtr); ok && len(call.Args) == 5 {
		if data, ok := call.Args[1].(*tir.Var); ok {
			return data, call
		}
	}
	p.fail("Invalid access ptr for permuted layout: %s", script.Node(e, script.Options{}))
	return nil, nil
}

func (p *permuter) stmt(s tir.Stmt) tir.Stmt {
	if p.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.Block:
		if !p.annotated(s) {
			break
		}
		on := p.on
		p.on = true
		out := p.m.VisitStmt(s).(*tir.Block)
		p.on = on
		return out.WithAnnotations(out.Annotations.Without(keyPermuted))
	case *tir.BufferStore:
		out := p.m.VisitStmt(s).(*tir.BufferStore)
		if p.on && permutable(out.Buffer) {
			at := p.indices(out.Buffer, out.Indices)
			p.c.Rewrite("permute an access", s, out.WithIndices(at))
			return out.WithIndices(at)
		}
		return out
	}
	return p.m.VisitStmt(s)
}

func (p *permuter) expr(e tir.Expr) tir.Expr {
	out := p.m.VisitExpr(e)
	if !p.on || p.err != nil {
		return out
	}
	switch n := out.(type) {
	case *tir.BufferLoad:
		if permutable(n.Buffer) {
			out = n.WithIndices(p.indices(n.Buffer, n.Indices))
			p.c.Rewrite("permute an access", e, out)
		}
	case *tir.Call:
		i := pointerArg(n)
		if i < 0 {
			break
		}
		args := append([]tir.Expr(nil), n.Args...)
		var extra tir.Expr
		if n.Op == opLDMatrix {
			extra = args[6]
			args[6] = tir.Const(extra.DType(), 0)
		}
		args[i] = p.offset(args[i], extra)
		out = n.WithArgs(args)
		p.c.Rewrite("permute an access", e, out)
	}
	return out
}

// rowOf returns the extent of the rows of b.
func (p *permuter) rowOf(b *tir.Buffer) int64 {
	k := len(b.Shape)
	if k < 2 {
		p.fail("The dimension of Buffer %q should be at least 2: its layout has rows", b.Name)
		return 64
	}
	row, okRow := tir.AsInt(b.Shape[k-1])
	col, okCol := tir.AsInt(b.Shape[k-2])
	switch {
	case !okRow || !okCol:
		p.fail("Permuted Layout for Buffer %q is not supported since the extents of its rows and columns are no constants", b.Name)
	case row <= 0 || row%32 != 0:
		p.fail("Permuted Layout for Buffer %q with rows of %d elements is not supported since its second dimension is not divisible by 32", b.Name, row)
	case row%64 != 0 && col%2 != 0:
		p.fail("Permuted Layout for Buffer %q with shape [%d, %d] is not supported since its first dimension is not divisible by 2 and second dimension is not divisible by 64", b.Name, col, row)
	default:
		return row
	}
	return 64
}

func (p *permuter) indices(b *tir.Buffer, at []tir.Expr) []tir.Expr {
	out := append([]tir.Expr(nil), at...)
	k := len(out) - 1
	out[k] = p.column(out[k-1], out[k], p.rowOf(b))
	return out
}

// column returns where the element at a row and column goes.
func (p *permuter) column(row, col tir.Expr, size int64) tir.Expr {
	d := col.DType()
	n := func(v int64) tir.Expr { return tir.Const(d, v) }
	shift := tir.FloorMod(tir.CastTo(d, row), n(8))
	if size%64 != 0 {
		shift = tir.FloorDiv(shift, n(2))
	}
	vector := xor(d, tir.FloorDiv(col, n(8)), shift)
	return flatSum(p.m.An.Simplify(tir.Add(tir.Mul(vector, n(8)), tir.FloorMod(col, n(8)))))
}

// flatSum writes x + (y + z) as x + y + z.
func flatSum(e tir.Expr) tir.Expr {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpAdd {
		return e
	}
	if right, ok := b.B.(*tir.Binary); ok && right.Op == tir.OpAdd {
		return tir.Add(flatSum(tir.Add(b.A, right.A)), right.B)
	}
	return e
}

// xor returns a xor b.
func xor(d dtype.DType, a, b tir.Expr) tir.Expr {
	x, ok := tir.AsInt(a)
	y, ok2 := tir.AsInt(b)
	if ok && ok2 {
		return tir.Const(d, x^y)
	}
	return &tir.Call{Type: d, Op: tir.OpBitwiseXor, Args: []tir.Expr{a, b}}
}

// offset permutes a pointer to element extra of what it points at, in the offset of the pointer.
func (p *permuter) offset(e, extra tir.Expr) tir.Expr {
	data, ptr := p.pointer(e)
	if ptr == nil {
		return e
	}
	b := p.buffers[data]
	if b == nil {
		p.fail("The buffer corresponding to data Var %s is not found", data.Name)
		return e
	}
	size := p.rowOf(b)
	at := ptr.Args[2]
	if extra != nil {
		at = tir.Add(at, extra)
	}
	n := tir.Const(at.DType(), size)
	row, col := tir.FloorDiv(at, n), tir.FloorMod(at, n)
	args := append([]tir.Expr(nil), ptr.Args...)
	args[2] = p.m.An.Simplify(tir.Add(tir.Mul(row, n), p.column(row, col, size)))
	return ptr.WithArgs(args)
}
