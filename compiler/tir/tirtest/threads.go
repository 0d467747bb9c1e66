package tirtest

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ThreadForm says in which form a random GPU program comes.
type ThreadForm uint8

const (
	// Scheduled has loops bound to threads around blocks, and no barriers: the order of statements holds for all threads.
	Scheduled ThreadForm = iota
	// Launched has the attributes and allocations that lowering leaves, and no barriers yet, as tir.ThreadSync takes it.
	Launched
	// Synced is Launched with a barrier wherever threads exchange values.
	Synced
)

// Threads returns a random GPU program with arguments: blocks of threads that stage values in shared memory, read those of others, reduce them in
// trees, and exchange them in warps. Of one source all forms are the same program, which computes with int32 and float32 numbers that are
// exact, so each correct lowering of it computes the same.
func Threads(src Source, form ThreadForm) (*tir.PrimFunc, []any) {
	f, args, _ := threads(src, form)
	return f, args
}

// NeededBarriers tells of each barrier of the program in the form Synced whether it stands between two accesses of different threads
// to one element of which one changes it, with no other barrier between: a program without that barrier has a race. Other barriers may be needed or not.
func NeededBarriers(src Source) []bool {
	_, _, needed := threads(src, Synced)
	return needed
}

func threads(src Source, form ThreadForm) (*tir.PrimFunc, []any, []bool) {
	g := &threadGen{gen: &gen{src: src, index: dtype.Int32T}, form: form}
	g.dtype = []dtype.DType{dtype.Int32T, dtype.Float32T}[src.IntN(2)]
	g.warps = src.IntN(3) == 0
	g.shape()
	size := int64(1)
	for _, n := range append([]int64{g.blocks}, g.dims...) {
		size *= n
	}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel", "tir.noalias", true)}
	for _, name := range []string{"in", "out"} {
		b := tir.NewBuffer(name, g.dtype, g.imms([]int64{size}), "")
		f.Params = append(f.Params, tir.NewVar("var_"+b.Name, dtype.HandleT))
		f.Buffers = append(f.Buffers, b)
	}
	g.in, g.out = f.Buffers[0], f.Buffers[1]
	for range 1 + src.IntN(2) {
		g.shared = append(g.shared, tir.NewBuffer(g.name("S"), g.dtype, g.imms([]int64{g.size}), []string{"shared", "shared", "shared.dyn"}[src.IntN(3)]))
	}
	g.local = tir.NewBuffer("L", g.dtype, g.imms([]int64{1}), "local")
	f.Body = g.program()
	return f, Arguments(f, uint64(src.IntN(1<<30))), g.needed
}

// threadGen makes one program.
type threadGen struct {
	*gen
	form    ThreadForm
	dtype   dtype.DType
	warps   bool
	blocks  int64
	dims    []int64 // extents of threadIdx.x, y
	size    int64   // threads in a block
	in, out *tir.Buffer
	shared  []*tir.Buffer
	local   *tir.Buffer
	block   tir.Expr
	thread  tir.Expr // its number in the block
	phase   int64
	loops   []*tir.Var
	needed  []bool // for each barrier
}

func (g *threadGen) shape() {
	g.blocks = []int64{1, 2, 3}[g.src.IntN(3)]
	g.dims = []int64{[]int64{2, 4, 5, 8, 16, 31, 33}[g.src.IntN(7)]}
	if g.warps {
		g.dims[0] = []int64{8, 32, 64}[g.src.IntN(3)]
	} else if g.one(3) {
		g.dims = append(g.dims, []int64{2, 3}[g.src.IntN(2)])
	}
	g.size = 1
	for _, n := range g.dims {
		g.size *= n
	}
}

// program makes the launches around the body.
func (g *threadGen) program() tir.Stmt {
	type axis struct {
		tag string
		n   int64
		v   *tir.Var
	}
	axes := []axis{{"blockIdx.x", g.blocks, nil}}
	for i := len(g.dims) - 1; i >= 0; i-- {
		axes = append(axes, axis{"threadIdx." + string(rune('x'+i)), g.dims[i], nil})
	}
	for i := range axes {
		axes[i].v = g.variable("t")
	}
	g.block = axes[0].v
	g.thread = nil
	for _, a := range axes[1:] {
		if g.thread == nil {
			g.thread = a.v
		} else {
			g.thread = tir.Add(tir.Mul(g.thread, g.imm(a.n)), a.v)
		}
	}
	body := g.memory(g.phases())
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		if g.form == Scheduled {
			iv := &tir.IterVar{Var: g.variable(""), Kind: tir.ThreadIndex, ThreadTag: a.tag}
			body = &tir.For{LoopVar: a.v, Min: g.imm(0), Extent: g.imm(a.n), Kind: tir.ThreadBinding, Thread: iv, Body: body}
			continue
		}
		iv := &tir.IterVar{Dom: &tir.Range{Min: g.imm(0), Extent: g.imm(a.n)}, Var: a.v, Kind: tir.ThreadIndex, ThreadTag: a.tag}
		body = &tir.AttrStmt{Node: iv, Key: tir.KeyThreadExtent, Value: g.imm(a.n), Body: body}
	}
	if g.form == Scheduled {
		body = &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "root", Body: body}}
	}
	return body
}

// memory allocates what the threads use around their body.
func (g *threadGen) memory(body tir.Stmt) tir.Stmt {
	all := append([]*tir.Buffer{g.local}, g.shared...)
	if g.form == Scheduled {
		return &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{
			Name: "threads", AllocBuffers: all, Body: body,
			Reads: []*tir.BufferRegion{tir.FullRegion(g.in)}, Writes: []*tir.BufferRegion{tir.FullRegion(g.out)},
		}}
	}
	for _, b := range all {
		body = &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: b, Body: body}}
	}
	return body
}

// phases is the body: what a thread has alone at first, then random phases, and the result.
func (g *threadGen) phases() tir.Stmt {
	first := tir.Add(tir.Mul(g.block, g.imm(g.size)), g.thread)
	out := []tir.Stmt{tir.Store(g.local, tir.Load(g.in, first), g.imm(0))}
	for range 1 + g.src.IntN(3) {
		out = append(out, g.random()...)
	}
	out = append(out, tir.Store(g.out, tir.Load(g.local, g.imm(0)), first))
	return tir.Seq(out...)
}

func (g *threadGen) random() []tir.Stmt {
	switch {
	case g.warps && g.one(2):
		return []tir.Stmt{g.exchange()}
	case len(g.loops) == 0 && g.one(3):
		v := g.variable("k")
		g.loops = append(g.loops, v)
		body := tir.Seq(append(g.random(), g.random()...)...)
		g.loops = nil
		return []tir.Stmt{&tir.For{LoopVar: v, Min: g.imm(0), Extent: g.imm(g.between(1, 3)), Body: body}}
	case g.one(3):
		return g.tree()
	}
	return g.stage()
}

// stage writes an element of shared memory in each thread and reads that of another one.
func (g *threadGen) stage() []tir.Stmt {
	s := g.shared[g.src.IntN(len(g.shared))]
	at := g.turned(g.thread)
	from := g.turned(tir.FloorMod(tir.Add(g.thread, g.imm(g.between(1, max(g.size-1, 1)))), g.imm(g.size)))
	read := tir.Store(g.local, g.mix(tir.Load(g.local, g.imm(0)), tir.Load(s, from)), g.imm(0))
	return append(append([]tir.Stmt{g.put(s, at)}, g.sync(s, g.size > 2)...), append([]tir.Stmt{g.some(read)}, g.sync(s, false)...)...)
}

// turned is another number of a thread for each number.
func (g *threadGen) turned(t tir.Expr) tir.Expr {
	if g.one(2) {
		return t
	}
	return tir.Sub(g.imm(g.size-1), t)
}

// put stores what this thread has, changed so that no other store leaves the same value in an element.
func (g *threadGen) put(s *tir.Buffer, at tir.Expr) tir.Stmt {
	g.phase++
	tag := tir.Expr(g.imm(g.phase * 4096))
	for _, v := range g.loops {
		tag = tir.Add(tag, tir.Mul(v, g.imm(65536)))
	}
	tag = tir.Add(tag, tir.Mul(g.thread, g.imm(16)))
	return tir.Store(s, tir.Add(g.small(tir.Load(g.local, g.imm(0))), tir.CastTo(g.dtype, tag)), at)
}

// small bounds a value to 0 to 6.
func (g *threadGen) small(e tir.Expr) tir.Expr {
	return tir.CastTo(g.dtype, tir.FloorMod(tir.CastTo(dtype.Int32T, e), g.imm(7)))
}

func (g *threadGen) mix(a, b tir.Expr) tir.Expr {
	return g.small(tir.Add(g.small(a), tir.CastTo(g.dtype, tir.FloorMod(tir.FloorDiv(tir.CastTo(dtype.Int32T, b), g.imm(16)), g.imm(97)))))
}

// some has s run in some of the threads only, now and then.
func (g *threadGen) some(s tir.Stmt) tir.Stmt {
	if !g.one(4) {
		return s
	}
	return &tir.IfThenElse{Cond: tir.LT(g.thread, g.imm(max(g.size-1, 1))), Then: s}
}

// tree adds up shared memory in steps, as reductions of blocks do, and gives all threads the sum.
func (g *threadGen) tree() []tir.Stmt {
	s := g.shared[g.src.IntN(len(g.shared))]
	out := append([]tir.Stmt{g.put(s, g.thread)}, g.sync(s, true)...)
	for n := g.size; n > 1; {
		half := (n + 1) / 2
		add := tir.Add(tir.Load(s, g.thread), tir.Load(s, tir.Add(g.thread, g.imm(half))))
		out = append(out, &tir.IfThenElse{Cond: tir.LT(g.thread, g.imm(n-half)), Then: tir.Store(s, add, g.thread)})
		// The next step reads what this one changed: the elements below n-half, from its own half on, or the sum.
		out = append(out, g.sync(s, half == 1 || (half+1)/2 < n-half)...)
		n = half
	}
	sum := tir.Load(s, g.imm(0))
	out = append(out, tir.Store(g.local, g.mix(tir.Load(g.local, g.imm(0)), sum), g.imm(0)))
	return append(out, g.sync(s, false)...)
}

// exchange shuffles what the threads of a warp have.
func (g *threadGen) exchange() tir.Stmt {
	width := min(g.size, []int64{8, 32}[g.src.IntN(2)])
	name := []string{"tir.tvm_warp_shuffle", "tir.tvm_warp_shuffle_up", "tir.tvm_warp_shuffle_down"}[g.src.IntN(3)]
	mask := &tir.Call{Type: dtype.MustParse("uint32"), Op: tir.LookupBuiltin("tir.tvm_warp_activemask").Op}
	x := &tir.Call{Type: g.dtype, Op: tir.LookupBuiltin(name).Op, Args: []tir.Expr{
		mask, tir.Load(g.local, g.imm(0)), g.imm(g.between(0, width-1)), g.imm(width), g.imm(32),
	}}
	return tir.Store(g.local, g.mix(tir.Load(g.local, g.imm(0)), tir.Add(tir.Mul(x, tir.CastTo(g.dtype, g.imm(16))), tir.CastTo(g.dtype, g.thread))), g.imm(0))
}

// sync is the barrier behind statements that touch s.
func (g *threadGen) sync(s *tir.Buffer, needed bool) []tir.Stmt {
	g.needed = append(g.needed, needed)
	if g.form != Synced {
		return nil
	}
	return []tir.Stmt{&tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpStorageSync, Args: []tir.Expr{&tir.StringImm{Value: s.Scope()}}}}}
}

// Barriers counts the barriers of f, in the order of its statements.
func Barriers(f *tir.PrimFunc) int {
	n := 0
	ir.Walk(f.Body, func(x ir.Node) bool {
		if isBarrier(x) {
			n++
		}
		return true
	})
	return n
}

func isBarrier(n ir.Node) bool {
	e, ok := n.(*tir.Evaluate)
	if !ok {
		return false
	}
	_, ok = tir.IsCallTo(e.Value, tir.OpStorageSync)
	return ok
}

// WithoutBarrier returns f without barrier n, counted from 0.
func WithoutBarrier(f *tir.PrimFunc, n int) *tir.PrimFunc {
	at := -1
	return f.WithBody(tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if isBarrier(s) {
			if at++; at == n {
				return tir.NoOp()
			}
		}
		return s
	}, nil))
}

// WithBarrierInSome returns f with barrier n under a condition that the first thread does not meet.
func WithBarrierInSome(f *tir.PrimFunc, n int) *tir.PrimFunc {
	var thread *tir.Var
	at := -1
	ir.Walk(f.Body, func(x ir.Node) bool {
		if a, ok := x.(*tir.AttrStmt); ok && a.BoundThread() != nil && a.BoundThread().ThreadTag == "threadIdx.x" {
			thread = a.BoundThread().Var
		}
		return thread == nil
	})
	return f.WithBody(tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if isBarrier(s) {
			if at++; at == n {
				return &tir.IfThenElse{Cond: tir.GT(thread, tir.Const(thread.DType(), 0)), Then: s}
			}
		}
		return s
	}, nil))
}
