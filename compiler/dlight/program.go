package dlight

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tensorintrin"
	"github.com/irscope/irscope/compiler/tir"
)

// mainFunc is the name of the function in the module that a program schedules.
const mainFunc = "main"

// program is the schedule of one function while a rule is at work. Its methods are primitives; one that fails ends the rule, unless
// it is called in try.
type program struct {
	s     *sch.Schedule
	note  func(schedule string, why error)
	parts []*sch.Block // what computes the parts of sums
}

// stop is what ends a rule: the reason why it does not apply.
type stop struct{ err error }

// decline ends the rule with a reason.
func decline(format string, args ...any) {
	panic(stop{fmt.Errorf(format, args...)})
}

// declineIf ends the rule if a condition holds.
func declineIf(cond bool, format string, args ...any) {
	if cond {
		decline(format, args...)
	}
}

// try calls f and returns why it ended, nil if it did not. What was done before stays.
func try(f func()) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case stop:
			err = x.err
		default:
			panic(x)
		}
	}()
	f()
	return nil
}

// newProgram returns the schedule of a function of a module over a table of origins.
func newProgram(f *tir.PrimFunc, origins *ir.Origins) *program {
	s, err := sch.NewSchedule(ir.NewModuleWithOrigins(origins).With(mainFunc, f), 0)
	declineIf(err != nil, "it cannot be scheduled: %w", err)
	s.UseIntrinsics(tensorintrin.Lookup)
	if !sumsUnderConditions(f) {
		s.ForRules()
	}
	return &program{s: s}
}

// sumsUnderConditions reports whether a function comes with reductions that run under conditions.
func sumsUnderConditions(f *tir.PrimFunc) bool {
	found := false
	ir.Walk(f.Body, func(n ir.Node) bool {
		r, ok := n.(*tir.BlockRealize)
		found = found || ok && r.Block.Init != nil && !tir.IsTrue(r.Predicate)
		return !found
	})
	return found
}

// fn returns the function as it stands.
func (p *program) fn() *tir.PrimFunc { return p.s.Module().Lookup(mainFunc).(*tir.PrimFunc) }

// do calls a primitive by the name of its method, with defaults for the arguments that are not given.
func (p *program) do(method string, args ...any) []any {
	k := sch.KindOf(method)
	if k == nil {
		panic("dlight: unknown primitive " + method)
	}
	for _, param := range k.Params[min(len(args), len(k.Params)):] {
		args = append(args, param.Default)
	}
	out, err := p.s.Do(k, args...)
	if err != nil {
		var e *sch.Error
		if errors.As(err, &e) {
			decline("%s: %s", e.Primitive, e.Short())
		}
		panic(stop{err})
	}
	return out
}

func one[T any](list []any) T { return list[0].(T) }

func all[T any](list []any) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = x.(T)
	}
	return out
}

// block returns the block that a reference refers to, loop the loop.
func (p *program) block(b *sch.Block) *tir.Block { return p.stmt(b).(*tir.Block) }

func (p *program) loop(l *sch.Loop) *tir.For { return p.stmt(l).(*tir.For) }

func (p *program) stmt(r any) tir.Stmt {
	x, err := p.s.Get(r)
	if err != nil {
		panic(stop{err})
	}
	return x
}

// root returns the root block.
func (p *program) root() *sch.Block {
	realize, ok := p.fn().Body.(*tir.BlockRealize)
	declineIf(!ok, "its body is no root block")
	return one[*sch.Block](p.do("get_block", realize.Block.Name))
}

func (p *program) loops(b *sch.Block) []*sch.Loop { return all[*sch.Loop](p.do("get_loops", b)) }

// nest returns the loops around a block, of which there must be n.
func (p *program) nest(b *sch.Block, n int) []*sch.Loop {
	out := p.loops(b)
	declineIf(len(out) != n, "block %s has %d loops, expected %d", p.block(b).Name, len(out), n)
	return out
}

// nestOver returns the loops around a block, of which there must be n or more.
func (p *program) nestOver(b *sch.Block, n int) []*sch.Loop {
	out := p.loops(b)
	declineIf(len(out) < n, "block %s has %d loops, expected %d or more", p.block(b).Name, len(out), n)
	return out
}

func (p *program) children(r any) []*sch.Block { return all[*sch.Block](p.do("get_child_blocks", r)) }

func (p *program) producers(b *sch.Block) []*sch.Block {
	return all[*sch.Block](p.do("get_producers", b))
}

func (p *program) consumers(b *sch.Block) []*sch.Block {
	return all[*sch.Block](p.do("get_consumers", b))
}

// rest stands for the one factor of a split that follows from the others.
const rest = 0

func (p *program) split(l *sch.Loop, factors ...int64) []*sch.Loop {
	list := make([]tir.Expr, len(factors))
	for i, n := range factors {
		if n != rest {
			list[i] = tir.Int32(n)
		}
	}
	return all[*sch.Loop](p.do("split", l, list))
}

func (p *program) fuse(loops ...*sch.Loop) *sch.Loop { return one[*sch.Loop](p.do("fuse", loops)) }

func (p *program) reorder(loops ...*sch.Loop) { p.do("reorder", loops) }

func (p *program) bind(l *sch.Loop, thread string) { p.do("bind", l, thread) }

func (p *program) vectorize(l *sch.Loop) { p.do("vectorize", l) }

func (p *program) unroll(l *sch.Loop) { p.do("unroll", l) }

func (p *program) addUnitLoop(r any) *sch.Loop { return one[*sch.Loop](p.do("add_unit_loop", r)) }

// unrollInside asks for loops inside of one to be written out up to a number of steps.
func (p *program) unrollInside(l *sch.Loop, steps int64) {
	p.annotate(l, "pragma_auto_unroll_max_step", steps)
	p.annotate(l, "pragma_unroll_explicit", int64(1))
}

func (p *program) annotate(r any, key string, v ir.Value) { p.do("annotate", r, key, v) }

func (p *program) computeInline(b *sch.Block) { p.do("compute_inline", b) }

func (p *program) reverseComputeInline(b *sch.Block) { p.do("reverse_compute_inline", b) }

func (p *program) computeAt(b *sch.Block, l *sch.Loop, preserveUnitLoops bool) {
	p.do("compute_at", b, l, preserveUnitLoops)
}

func (p *program) reverseComputeAt(b *sch.Block, l *sch.Loop, preserveUnitLoops bool) {
	p.do("reverse_compute_at", b, l, preserveUnitLoops)
}

func (p *program) cacheRead(b *sch.Block, buffer any, scope string) *sch.Block {
	return one[*sch.Block](p.do("cache_read", b, buffer, scope))
}

func (p *program) cacheWrite(b *sch.Block, index int64, scope string) *sch.Block {
	return one[*sch.Block](p.do("cache_write", b, index, scope))
}

func (p *program) reindex(b *sch.Block, side string, index int64) *sch.Block {
	return one[*sch.Block](p.do("reindex", b, []any{side, index}))
}

func (p *program) rfactor(l *sch.Loop) *sch.Block {
	b := one[*sch.Block](p.do("rfactor", l, int64(0)))
	p.parts = append(p.parts, b)
	return b
}

// checkParts declines a schedule in which a part of a sum may have no first step: its init, which such a part does not reach, must have been taken out.
func (p *program) checkParts() {
	for _, b := range p.parts {
		r := p.realize(b)
		declineIf(r.Block.Init != nil && !tir.IsTrue(r.Predicate), "the init of block %s runs under a condition", r.Block.Name)
	}
}

func (p *program) decomposeReduction(b *sch.Block, l *sch.Loop) *sch.Block {
	return one[*sch.Block](p.do("decompose_reduction", b, l))
}

func (p *program) setScope(b *sch.Block, index int64, scope string) {
	p.do("set_scope", b, index, scope)
}

func (p *program) storageAlign(b *sch.Block, axis, factor, offset int64) {
	p.do("storage_align", b, int64(0), axis, factor, offset)
}

func (p *program) transformLayout(b *sch.Block, side string, m *tir.IndexMap) {
	p.do("transform_layout", b, []any{side, int64(0)}, m)
}

func (p *program) transformBlockLayout(b *sch.Block, m *tir.IndexMap) {
	p.do("transform_block_layout", b, m)
}

func (p *program) padEinsum(b *sch.Block, padding ...int64) { p.do("pad_einsum", b, padding) }

func (p *program) blockize(l *sch.Loop) *sch.Block { return one[*sch.Block](p.do("blockize", l)) }

func (p *program) tensorize(l *sch.Loop, intrin string) { p.do("tensorize", l, intrin) }

// autoVectorize runs the iterations of a loop, or blocks of most of them, as lanes; a loop of unknown extent stays.
func (p *program) autoVectorize(l *sch.Loop, most int64) {
	n, ok := p.extent(l)
	if !ok {
		return
	}
	if n > most {
		l = p.split(l, rest, most)[1]
	}
	p.vectorize(l)
}

// extent returns the extent of a loop if it is a number.
func (p *program) extent(l *sch.Loop) (int64, bool) { return tir.AsInt(p.loop(l).Extent) }

// last returns the n last loops of a list.
func last(loops []*sch.Loop, n int) []*sch.Loop { return loops[max(len(loops)-n, 0):] }
