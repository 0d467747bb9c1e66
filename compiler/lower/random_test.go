package lower_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const bufferSize = 64

// program makes random functions: nests of loops over buffers with affine indices, conditionals,
// bindings, sums, a local buffer with constant indices, divisions.
type program struct {
	*rand.Rand
	index dtype.DType // of loop variables
	bufs  []*tir.Buffer
	local *tir.Buffer
	size  *tir.Var // 3
	loops []*tir.Var
	lets  []*tir.Var
	n     int
}

func (p *program) function() *tir.PrimFunc {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", p.IntN(4) > 0)}
	for i := range 3 {
		b := tir.NewBuffer(string(rune('A'+i)), dtype.Int32T, []tir.Expr{tir.Int32(bufferSize)}, "")
		p.bufs = append(p.bufs, b)
		f.Params, f.Buffers = append(f.Params, tir.NewVar(b.Name+"_handle", dtype.HandleT)), append(f.Buffers, b)
	}
	p.size = tir.NewSizeVar("n", p.index)
	f.Params, f.Buffers = append(f.Params, p.size), append(f.Buffers, nil)
	p.local = tir.NewBuffer("T", dtype.Int32T, []tir.Expr{tir.Int32(4)}, "local")
	var init []tir.Stmt
	for i := range int64(4) {
		init = append(init, tir.Store(p.local, tir.Int32(i), tir.Int32(i)))
	}
	body := tir.Seq(append(init, p.stmts(3)...)...)
	f.Body = &tir.Allocate{Var: p.local.Data, Type: dtype.Int32T, Extents: p.local.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: p.local, Body: body}}
	return f
}

func (p *program) stmts(depth int) []tir.Stmt {
	var out []tir.Stmt
	for range 1 + p.IntN(3) {
		out = append(out, p.stmt(depth))
	}
	return out
}

func (p *program) stmt(depth int) tir.Stmt {
	switch k := p.IntN(10); {
	case k < 4 && depth > 0:
		p.n++
		v := tir.NewVar(fmt.Sprintf("i%d", p.n), p.index)
		extent := tir.Expr(tir.Const(p.index, int64(p.IntN(5))))
		if p.IntN(4) == 0 {
			extent = p.size
		}
		p.loops = append(p.loops, v)
		body := tir.Seq(p.stmts(depth - 1)...)
		p.loops = p.loops[:len(p.loops)-1]
		return &tir.For{LoopVar: v, Min: tir.Const(p.index, 0), Extent: extent, Body: body}
	case k < 5 && depth > 0:
		s := &tir.IfThenElse{Cond: tir.NewBinary(tir.OpLT, p.value(1), p.value(1)), Then: tir.Seq(p.stmts(depth - 1)...)}
		if p.IntN(2) == 0 {
			s.Else = tir.Seq(p.stmts(depth - 1)...)
		}
		return s
	case k < 6 && depth > 0:
		p.n++
		v := tir.NewVar(fmt.Sprintf("v%d", p.n), dtype.Int32T)
		s := &tir.LetStmt{Var: v, Value: p.value(2)}
		p.lets = append(p.lets, v)
		s.Body = tir.Seq(p.stmts(depth - 1)...)
		p.lets = p.lets[:len(p.lets)-1]
		return s
	case k < 7: // a sum
		b := p.bufs[p.IntN(len(p.bufs))]
		at := p.at(max(len(p.loops)-1, 0))
		return tir.Store(b, tir.NewBinary(tir.OpAdd, tir.Load(b, at), p.value(2)), at)
	case k < 8:
		return tir.Store(p.local, p.value(2), tir.Int32(int64(p.IntN(4))))
	}
	return tir.Store(p.bufs[p.IntN(len(p.bufs))], p.value(3), p.at(len(p.loops)))
}

// at is an index within a buffer, of the outer loops only: three variables below 4 times at most 4,
// plus 15.
func (p *program) at(loops int) tir.Expr {
	e := tir.Expr(tir.Const(p.index, int64(p.IntN(16))))
	if p.IntN(2) == 0 {
		e = tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpMul, p.size, tir.Const(p.index, int64(p.IntN(4)))), e)
	}
	for _, v := range p.loops[:loops] {
		k := tir.Expr(tir.Const(p.index, int64(p.IntN(4))))
		if p.IntN(3) == 0 {
			k = p.size
		}
		x := tir.Expr(v)
		if p.IntN(4) == 0 { // from the last turn to the first
			x = tir.NewBinary(tir.OpSub, tir.Const(p.index, 3), v)
		}
		e = tir.NewBinary(tir.OpAdd, e, tir.NewBinary(tir.OpMul, x, k))
	}
	return e
}

func (p *program) value(depth int) tir.Expr {
	if depth == 0 || p.IntN(4) == 0 {
		switch p.IntN(6) {
		case 0:
			return tir.Int32(int64(p.IntN(2000) - 1000))
		case 1:
			if len(p.loops) > 0 {
				return p.narrow(p.loops[p.IntN(len(p.loops))])
			}
		case 2:
			if len(p.lets) > 0 {
				return p.lets[p.IntN(len(p.lets))]
			}
		case 3:
			return tir.Load(p.local, tir.Int32(int64(p.IntN(4))))
		case 4:
			return p.narrow(p.size)
		}
		return tir.Load(p.bufs[p.IntN(len(p.bufs))], p.at(len(p.loops)))
	}
	a := p.value(depth - 1)
	switch p.IntN(8) {
	case 0:
		d := int64(p.IntN(20)) - 10
		if d == 0 {
			d = 7
		}
		return tir.NewBinary([]tir.BinaryOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[p.IntN(4)], a, tir.Int32(d))
	case 1:
		return &tir.Select{Cond: tir.NewBinary(tir.OpLT, a, p.value(depth-1)), True: p.value(depth - 1), False: a}
	case 2, 3:
		return tir.NewBinary(tir.OpMul, a, p.value(depth-1))
	case 4:
		return tir.NewBinary(tir.OpSub, a, p.value(depth-1))
	}
	return tir.NewBinary(tir.OpAdd, a, p.value(depth-1))
}

func (p *program) narrow(e tir.Expr) tir.Expr {
	if p.index == dtype.Int32T {
		return e
	}
	return &tir.Cast{Type: dtype.Int32T, Value: e}
}

// TestRandomPrograms runs graphs of random functions, for pointers of both widths, with and without
// offsets in memory instructions, and compares memory with the interpreter's.
func TestRandomPrograms(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	seed.Each(t, n, func(t *testing.T, r *rand.Rand) {
		p := &program{Rand: r, index: []dtype.DType{dtype.Int32T, dtype.Int64T}[r.IntN(2)]}
		checkProgram(t, p.function(), []int{32, 64}[r.IntN(2)], []int64{0, 1 << 20}[r.IntN(2)])
	})
}

func checkProgram(t *testing.T, f *tir.PrimFunc, ptr int, maxOffset int64) {
	t.Helper()
	var args []any
	for k, b := range f.Buffers {
		if b == nil {
			args = append(args, int64(3))
			continue
		}
		x := tensor.MustNew(dtype.Int32T, bufferSize)
		for i := range bufferSize {
			x.SetInt(i, int64(i*7+k*1000))
		}
		args = append(args, x)
	}
	mem := make([]int32, 16+len(f.Buffers)*bufferSize)
	root, params := build(t, f, toy(ptr, maxOffset))
	regs := map[lower.Reg]int64{}
	for k, a := range args {
		if x, ok := a.(*tensor.Tensor); ok {
			base := 16 + k*bufferSize
			regs[params[k]] = int64(4 * base)
			for i := range bufferSize {
				mem[base+i] = int32(x.Int(i))
			}
		} else {
			regs[params[k]] = 3
		}
	}
	if err := interp.Run(context.Background(), f, args, nil); err != nil {
		t.Fatalf("%v\n%s", err, script.Function("f", f, script.Options{}).Source)
	}
	execute(root, mem, regs)
	for k, a := range args {
		if x, ok := a.(*tensor.Tensor); ok {
			for i := range bufferSize {
				if got := mem[16+k*bufferSize+i]; int64(got) != x.Int(i) {
					t.Errorf("pointers of %d bits, offsets to %d: %s[%d] is %d, want %d\n%s", ptr, maxOffset, f.Buffers[k].Name, i, got, x.Int(i), script.Function("f", f, script.Options{}).Source)
					return
				}
			}
		}
	}
}
