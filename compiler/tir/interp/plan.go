package interp

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Barriers says what keeps the threads of a GPU program in order.
type Barriers uint8

const (
	// BarriersAuto is BarriersWritten for functions that a device launches, and for memory of the scopes that a function has barriers of; it
	// is BarriersImplied for other memory, as no pass has written its barriers yet.
	BarriersAuto Barriers = iota
	// BarriersWritten has only the barriers that are in the program: what they leave open is a race.
	BarriersWritten
	// BarriersImplied has the statements on shared memory run one after the other: no thread begins one before all threads have ended the one
	// before. That is the meaning of scheduled blocks, which tir.ThreadSync makes explicit.
	BarriersImplied
)

// BarriersOf returns the value of the attribute barriers of the target interp.
func BarriersOf(text string) Barriers {
	switch text {
	case "written":
		return BarriersWritten
	case "implied":
		return BarriersImplied
	}
	return BarriersAuto
}

// kernel is what the compiler knows of the statement that launches the threads of a kernel, from the outermost launch on.
//
// Threads run in one of three ways. Where nothing passes between them, the launches are loops (the cheapest). Where a program relies
// on the order of statements, each launch forks coroutines for its own threads only (lockstep.go), which wait for each other between
// statements. Where it has barriers, shuffles or reductions of threads, or is to be checked, the outermost launch forks
// all threads of a block, as a GPU does, and launches further in only bind variables (full).
type kernel struct {
	full     bool
	checked  func(scope string) bool // whether accesses to memory of a scope are checked
	steps    map[*tir.Var]bool       // pointers to memory whose statements run one after the other
	grid     bool                    // a barrier is for all blocks
	launches []launch
	waits    map[ir.Node]waits
	warp     int64 // threads in a warp
}

// waits says what of a statement makes threads wait: an operation of the program, or the order of statements.
type waits struct{ op, step bool }

// launch is a loop over threads, or the attribute that launches them.
type launch struct {
	node   tir.Stmt
	tag    string
	vars   []*tir.Var // that stand for the thread
	min    tir.Expr   // nil is 0
	extent tir.Expr
	body   tir.Stmt
}

// launchOf returns what s launches.
func launchOf(s tir.Stmt) (launch, bool) {
	switch s := s.(type) {
	case *tir.For:
		if s.Thread != nil {
			return launch{s, s.Thread.ThreadTag, []*tir.Var{s.LoopVar, s.Thread.Var}, s.Min, s.Extent, s.Body}, true
		}
	case *tir.AttrStmt:
		if iv := s.BoundThread(); iv != nil {
			return launch{s, iv.ThreadTag, []*tir.Var{iv.Var}, nil, s.Value, s.Body}, true
		}
	}
	return launch{}, false
}

// isBlock tells whether tag names blocks or clusters of threads, not threads.
func isBlock(tag string) bool {
	return strings.HasPrefix(tag, "blockIdx") || strings.HasPrefix(tag, "clusterCtaIdx") || strings.HasPrefix(tag, "clusterIdx")
}

func isVirtual(tag string) bool { return !isBlock(tag) && !strings.HasPrefix(tag, "threadIdx") }

// isShared tells whether threads share memory of a scope.
func isShared(scope string) bool { return strings.HasPrefix(scope, "shared") || scope == "warp" }

// ofThreads are the intrinsics at which threads wait for each other.
var ofThreads = map[string]bool{
	tir.OpStorageSync.Name: true, tir.OpThreadAllreduce.Name: true, "tir.tvm_warp_shuffle": true, "tir.tvm_warp_shuffle_up": true,
	"tir.tvm_warp_shuffle_down": true, "tir.tvm_warp_activemask": true, "tir.thread_return": true,
	"tir.ptx_mma": true, "tir.ptx_ldmatrix": true, "tir.mma_fill": true, "tir.mma_store": true,
}

// survey is what one walk over a kernel finds.
type survey struct {
	launches      []launch
	ops           bool
	syncs         map[string]bool // scopes that have barriers
	warp          int64
	written, read map[*tir.Var][][]tir.Expr
	scopes        map[*tir.Var]string
	inside        map[*tir.Var]bool     // allocated in the kernel
	views         map[*tir.Var]*tir.Var // the memory that a pointer of a matched buffer points into
}

// memory returns the pointer to the memory that v points into.
func (v *survey) memory(p *tir.Var) *tir.Var {
	if of := v.views[p]; of != nil {
		return of
	}
	return p
}

func (v *survey) access(list map[*tir.Var][][]tir.Expr, p *tir.Var, scope string, at []tir.Expr) {
	p = v.memory(p)
	list[p] = append(list[p], at)
	v.scopes[p] = scope
}

func surveyOf(s tir.Stmt) *survey {
	v := &survey{warp: warpSize, syncs: map[string]bool{}, written: map[*tir.Var][][]tir.Expr{}, read: map[*tir.Var][][]tir.Expr{}, scopes: map[*tir.Var]string{}, inside: map[*tir.Var]bool{}, views: map[*tir.Var]*tir.Var{}}
	seen := map[tir.Expr]bool{}
	ir.Walk(s, func(n ir.Node) bool {
		if e, ok := n.(tir.Expr); ok {
			if seen[e] {
				return false
			}
			seen[e] = true
		}
		switch n := n.(type) {
		case *tir.BufferStore:
			v.access(v.written, n.Buffer.Data, n.Buffer.Scope(), n.Indices)
		case *tir.BufferLoad:
			v.access(v.read, n.Buffer.Data, n.Buffer.Scope(), n.Indices)
		case *tir.Allocate:
			v.inside[n.Var] = true
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				v.inside[b.Data] = true
			}
			for _, m := range n.MatchBuffers {
				v.views[m.Buffer.Data] = v.memory(m.Source.Buffer.Data)
			}
		case *tir.BufferRealize:
			v.inside[n.Buffer.Data] = true
		case *tir.Call:
			v.call(n)
		}
		if s, ok := n.(tir.Stmt); ok {
			if l, ok := launchOf(s); ok {
				v.launches = append(v.launches, l)
			}
		}
		return true
	})
	return v
}

func (v *survey) call(n *tir.Call) {
	name := n.Op.CalleeName()
	written, read := touches(n)
	for _, w := range written {
		v.access(v.written, w, scopeOf(w), n.Args)
	}
	for _, r := range read {
		v.access(v.read, r, scopeOf(r), n.Args)
	}
	if !ofThreads[name] {
		return
	}
	v.ops = true
	switch name {
	case tir.OpStorageSync.Name:
		v.syncs[syncScope(n)] = true
	case "tir.tvm_warp_shuffle", "tir.tvm_warp_shuffle_up", "tir.tvm_warp_shuffle_down":
		if len(n.Args) == 5 {
			if w, ok := tir.AsInt(n.Args[4]); ok && w > 0 && w <= 64 {
				v.warp = w
			}
		}
	}
}

// syncScope returns the scope that a barrier names.
func syncScope(n *tir.Call) string {
	if len(n.Args) > 0 {
		if s, ok := n.Args[0].(*tir.StringImm); ok {
			return s.Value
		}
	}
	return "shared"
}

// plan decides how the threads of the kernel that l launches run.
func (c *compiler) plan(l launch) *kernel {
	v := surveyOf(l.node)
	k := &kernel{launches: v.launches, grid: v.syncs["global"], steps: map[*tir.Var]bool{}, waits: map[ir.Node]waits{}, warp: v.warp}
	mode := c.unit.opts.Barriers
	all := mode == BarriersWritten || mode == BarriersAuto && launchedByDevice(c.fn.fn)
	k.checked = func(scope string) bool {
		return all && (scope == "global" || isShared(scope)) || mode != BarriersImplied && v.syncs[scope]
	}
	k.full = v.ops || all
	for data, indices := range v.written {
		if v.read[data] == nil || k.checked(v.scopes[data]) {
			continue
		}
		own := !isShared(v.scopes[data]) && (v.inside[data] || all || sameIndices(append(indices, v.read[data]...)))
		k.steps[data] = k.steps[data] || !own
	}
	for view, data := range v.views {
		k.steps[view] = k.steps[data]
	}
	k.find(l.node)
	return k
}

// launchedByDevice tells whether fn is a kernel of its own, from which the host part was split: its barriers are written.
func launchedByDevice(fn *tir.PrimFunc) bool {
	const deviceKernelLaunch = 2
	return fn.Attrs.Int(ir.AttrCallingConv, 0) == deviceKernelLaunch || fn.Attrs.Has("tir.kernel_launch_params") || fn.Attrs.Has("tir.is_global_func") && surveyOf(fn.Body).launches != nil
}

// sameIndices tells whether all accesses are to the same element.
func sameIndices(all [][]tir.Expr) bool {
	return !slices.ContainsFunc(all[1:], func(at []tir.Expr) bool {
		return !slices.EqualFunc(all[0], at, func(a, b tir.Expr) bool { return a == b || tir.Equal(a, b) })
	})
}

// find notes what makes threads wait in n and in all nodes below it.
func (k *kernel) find(n ir.Node) waits {
	if w, ok := k.waits[n]; ok {
		return w
	}
	var w waits
	switch n := n.(type) {
	case *tir.BufferStore:
		w.step = k.steps[n.Buffer.Data]
	case *tir.BufferLoad:
		w.step = k.steps[n.Buffer.Data]
	case *tir.Call:
		w.op = ofThreads[n.Op.CalleeName()]
		for _, v := range moved(n) {
			w.step = w.step || k.steps[v]
		}
	}
	n.EachChild(func(x ir.Node) {
		if x != nil {
			o := k.find(x)
			w.op, w.step = w.op || o.op, w.step || o.step
		}
	})
	k.waits[n] = w
	return w
}

// waitsIn returns what makes threads wait in s: nothing outside of kernels.
func (c *compiler) waitsIn(s tir.Stmt) waits {
	if c.kernel == nil || s == nil {
		return waits{}
	}
	return c.kernel.find(s)
}

func (w waits) any() bool { return w.op || w.step }
