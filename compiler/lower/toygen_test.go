package lower_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
)

// toyGen generates code of the toy target for functions over int32 buffers.
type toyGen struct {
	*lower.Builder
	vars map[*tir.Var]*lower.Node
	sums map[*tir.Var]bool // kept in the variables of Instead
	regs *registers
}

// build translates f for a machine and returns the graph and the registers of its parameters,
// buffers first.
func build(t testing.TB, f *tir.PrimFunc, m *lower.Machine) (*lower.Region, []lower.Reg) {
	t.Helper()
	g := &toyGen{vars: map[*tir.Var]*lower.Node{}, sums: map[*tir.Var]bool{}, regs: &registers{}}
	g.Builder = lower.NewBuilder(m, g, g.regs.make, g.regs.typeOf)
	g.NoAlias = f.Attrs.Bool("tir.noalias", false)
	root := g.Cur
	var params []lower.Reg
	param := func(v *tir.Var, typ lower.Type, nonneg bool) {
		r := g.NewReg(v.Name, typ)
		params = append(params, r)
		g.vars[v] = g.Stable(r, root, nonneg)
	}
	for i, v := range f.Params {
		if b := f.Buffers[i]; b != nil {
			param(b.Data, m.Int(m.Pointer.Bits), true)
		} else {
			param(v, typeOf(v), v.Size)
		}
	}
	g.Effects = lower.Scan(f.Body, lower.ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
	g.stmt(f.Body)
	return root, params
}

func typeOf(e tir.Expr) lower.Type {
	if e.DType().Bits == 64 {
		return i64
	}
	return i32
}

// The methods of lower.Translator.

func (g *toyGen) Scalar(e tir.Expr) *lower.Node  { return g.expr(e) }
func (g *toyGen) Lanes(tir.Expr) []*lower.Node   { panic("toy: no vectors") }
func (g *toyGen) BindLet(v *tir.Var, e tir.Expr) { g.Bind(v, e); g.vars[v] = g.expr(e) }
func (g *toyGen) Fail(what, f string, a ...any)  { panic(what + ": " + fmt.Sprintf(f, a...)) }
func (g *toyGen) poll(cost float64)              { g.Add(lower.Item{Kind: lower.ItemPoll, Imm: uint64(cost)}) }

func (g *toyGen) access(b *tir.Buffer, at []tir.Expr) lower.Access {
	a, off := g.Address(g.vars[b.Data], g.Place(b, at, b.Name).At.Scale(4), b.Name)
	return lower.Access{Op: opLoad, Address: a, Offset: off, Through: b.Data}
}

func (g *toyGen) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			g.stmt(x)
		}
	case *tir.LetStmt:
		g.BindLet(s.Var, s.Value)
		g.stmt(s.Body)
	case *tir.BufferStore:
		v := g.expr(s.Value)
		if vars := g.Instead[s.Buffer.Data]; vars != nil {
			g.Set(vars[g.slot(s.Buffer, s.Indices)], v)
			return
		}
		a := g.access(s.Buffer, s.Indices)
		a.Op = opStore
		g.Store(a, v)
	case *tir.Allocate:
		count, k := g.Effects.Slots(s, 16, func(int64) int64 { return 0 })
		if k == 0 {
			panic("toy: allocation stays in memory")
		}
		for range count {
			g.Instead[s.Var] = append(g.Instead[s.Var], g.NewVariable(s.Var, s.Var.Name, i32))
		}
		g.stmt(s.Body)
	case *tir.DeclBuffer:
		g.stmt(s.Body)
	case *tir.IfThenElse:
		var no func()
		if s.Else != nil {
			no = func() { g.stmt(s.Else) }
		}
		g.Branch(g.expr(s.Cond), "if", func() { g.stmt(s.Then) }, no)
	case *tir.For:
		g.loop(s)
	case *tir.Evaluate:
	default:
		panic(fmt.Sprintf("toy: statement %T", s))
	}
}

// slot is the variable that holds an element: the only one of a sum.
func (g *toyGen) slot(b *tir.Buffer, at []tir.Expr) int64 {
	if g.sums[b.Data] {
		return 0
	}
	return lower.ConstantIndex(b, at)
}

func (g *toyGen) loop(s *tir.For) {
	lo, n := g.expr(s.Min), g.expr(s.Extent)
	end := g.Fn(lower.Add, lo, n)
	e := g.Effects.Loops[s]
	g.Branch(g.Fn(lower.LtS, lo, end), "nonempty", func() {
		sums := g.Accumulators(e, func(v *tir.Var) bool { return g.vars[v] != nil })
		for _, a := range sums {
			v := g.NewVariable(a.Pointer, a.Buffer.Name, i32)
			g.Set(v, g.Load(g.access(a.Buffer, []tir.Expr{a.Index}), nil, ""))
			g.Instead[a.Pointer], g.sums[a.Pointer] = []*lower.Variable{v}, true
		}
		g.Loop(lower.Loop{Name: s.LoopVar.Name, Effects: e, Lo: lo, End: end, Step: g.IntLike(lo, 1), Poll: g.poll, Body: func(i *lower.Node, _ *lower.Region) *lower.Region {
			g.vars[s.LoopVar] = i
			g.stmt(s.Body)
			return nil
		}})
		for _, a := range sums {
			x := g.Read(g.Instead[a.Pointer][0])
			delete(g.Instead, a.Pointer)
			delete(g.sums, a.Pointer)
			at := g.access(a.Buffer, []tir.Expr{a.Index})
			at.Op = opStore
			g.Store(at, x)
		}
	}, nil)
}

var toyFns = map[tir.BinaryOp]lower.Fn{tir.OpAdd: lower.Add, tir.OpSub: lower.Sub, tir.OpLT: lower.LtS, tir.OpEQ: lower.Eq, tir.OpGE: lower.GeS}

func (g *toyGen) expr(e tir.Expr) *lower.Node {
	switch e := e.(type) {
	case *tir.Var:
		return g.vars[e]
	case *tir.IntImm:
		bits := 32
		if e.Type.Bits == 64 {
			bits = 64
		}
		return g.Int(bits, e.Value)
	case *tir.Cast:
		x := g.expr(e.Value)
		switch {
		case typeOf(e) == i32 && x.Type == i64:
			return g.Op(g.Machine.Op(lower.Wrap, 64), 0, 0, x)
		case typeOf(e) == i64 && x.Type == i32:
			return g.Op(g.Machine.Op(lower.ExtendS, 32), 0, 0, x)
		}
		return x
	case *tir.BufferLoad:
		if vars := g.Instead[e.Buffer.Data]; vars != nil {
			return g.Read(vars[g.slot(e.Buffer, e.Indices)])
		}
		return g.Load(g.access(e.Buffer, e.Indices), nil, "")
	case *tir.Select:
		c, a, b := g.expr(e.Cond), g.expr(e.True), g.expr(e.False)
		return g.Fn(lower.Select, a, b, c)
	case *tir.Binary:
		a, b := g.expr(e.A), g.expr(e.B)
		switch e.Op {
		case tir.OpMul:
			return g.Mul(a, b)
		case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
			return g.Divide(lower.Division{Floor: e.Op >= tir.OpFloorDiv, Rest: e.Op == tir.OpMod || e.Op == tir.OpFloorMod, Signed: true}, a, b)
		}
		return g.Fn(toyFns[e.Op], a, b)
	}
	panic(fmt.Sprintf("toy: expression %T", e))
}
