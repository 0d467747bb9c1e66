package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RemoveWeightLayoutRewriteBlock takes the blocks that write weights in another layout out of kernels, which take them in that layout then.
//
// A block with the annotation meta_schedule.layout_rewrite_preproc copies a weight to a buffer in another layout. Where the weight is a
// parameter, that buffer becomes the parameter: whoever calls the function has to pass the weight in the new layout. Where it is a constant, its
// elements are moved here. The block stays, and does nothing.
var RemoveWeightLayoutRewriteBlock = &pass.Pass{
	Name: "tir.RemoveWeightLayoutRewriteBlock", Kind: pass.PrimFunc,
	Doc: "Empties the blocks marked meta_schedule.layout_rewrite_preproc, which write weights in another layout: a weight that is a parameter has to be passed in that layout then, and one that is a constant is written in it here. So what is measured is the rest.",
	Options: []pass.Option{{
		Name: "skip_tensor_rewrite", Default: false,
		Doc: "only the shape of constants changes, not the order of their elements: enough to measure, but what is computed is wrong",
	}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		w := &weightLayout{c: c, f: f, skip: c.Arg("skip_tensor_rewrite").(bool), of: map[*tir.Buffer]*weightCopy{}, constants: map[*tir.Var]*weightCopy{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
		if err := w.find(); err != nil || len(w.of) == 0 {
			return f, err
		}
		return w.rewrite()
	}),
}

const keyLayoutRewrite = "meta_schedule.layout_rewrite_preproc"

// ruleWeightLayout is the name of the rule.
const ruleWeightLayout = "take a weight in the layout that it is used in"

// weightCopy is a block that copies a weight to a buffer in another layout.
type weightCopy struct {
	block *tir.Block
	from  *tir.Buffer
	to    *tir.Buffer
	index *tir.IndexMap
}

type weightLayout struct {
	c         *pass.Context
	f         *tir.PrimFunc
	skip      bool
	list      []*weightCopy
	of        map[*tir.Buffer]*weightCopy // by the buffer that is copied
	constants map[*tir.Var]*weightCopy    // by the pointer to the constant that is copied
	buffers   map[*tir.Buffer]*tir.Buffer // what takes the place of buffers
	err       error
}

// find collects the copies, and refuses those that are not the only use of a parameter or a constant.
func (w *weightLayout) find() error {
	var err error
	constants, allocated := map[*tir.Var]bool{}, map[*tir.Buffer]bool{}
	ir.Walk(w.f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AllocateConst:
			constants[n.Var] = true
		case *tir.BlockRealize:
			for _, b := range n.Block.AllocBuffers {
				allocated[b] = true
			}
			if n.Block.Annotations.Int(keyLayoutRewrite, 0) == 1 && !tir.IsNoOp(n.Block.Body) { // one without effect was emptied before
				err = w.add(n)
			}
		}
		return err == nil
	})
	for _, x := range w.list {
		if err != nil {
			return err
		}
		place := fmt.Sprintf("block %s: %s", x.block.Name, x.from.Name)
		isParam := w.f.BufferOf(w.paramOf(x.from)) == x.from
		switch {
		case !isParam && !constants[x.from.Data]:
			err = fmt.Errorf("%s is neither a parameter nor a constant, so nobody else can write it in another layout", place)
		case !allocated[x.to]:
			err = fmt.Errorf("block %s writes to %s: expected a buffer that a block allocates", x.block.Name, x.to.Name)
		case isParam && x.to.Scope() != x.from.Scope():
			err = fmt.Errorf("block %s copies from %s to %s memory: what a caller passes stays in %[2]s memory", x.block.Name, x.from.Scope(), x.to.Scope())
		case w.usesElsewhere(x):
			err = fmt.Errorf("%s is also used outside of this block, where its layout would be wrong", place)
		}
		if constants[x.from.Data] {
			w.constants[x.from.Data] = x
		}
	}
	return err
}

// paramOf returns the parameter that is matched to b, nil if there is none.
func (w *weightLayout) paramOf(b *tir.Buffer) *tir.Var {
	for i, x := range w.f.Buffers {
		if x == b {
			return w.f.Params[i]
		}
	}
	return nil
}

// add notes the copy that a block makes.
func (w *weightLayout) add(realize *tir.BlockRealize) error {
	b := realize.Block
	fail := func(format string, args ...any) error {
		return fmt.Errorf("block %s, marked %s: %s", b.Name, keyLayoutRewrite, fmt.Sprintf(format, args...))
	}
	s, ok := b.Body.(*tir.BufferStore)
	if !ok || len(b.AllocBuffers)+len(b.MatchBuffers) > 0 || b.Init != nil {
		return fail("expected one store as its body, and no buffers of its own")
	}
	if !tir.IsTrue(realize.Predicate) {
		return fail("it does not run for all of its domain, so parts of the weight are not copied")
	}
	l, ok := s.Value.(*tir.BufferLoad)
	if !ok || l.Predicate != nil || s.Predicate != nil {
		return fail("expected it to store an element of another buffer as it is")
	}
	x := &weightCopy{block: b, from: l.Buffer, to: s.Buffer, index: &tir.IndexMap{Final: s.Indices}}
	iters := map[*tir.Var]bool{}
	for _, iv := range b.IterVars {
		iters[iv.Var] = true
	}
	for i, e := range l.Indices {
		v, ok := e.(*tir.Var)
		if !ok || !iters[v] {
			return fail("expected variables of the block as indices of %s, each once", l.Buffer.Name)
		}
		delete(iters, v)
		if !coversAxis(b, v, l.Buffer.Shape[i]) {
			return fail("%s does not go over all of axis %d of %s", v.Name, i, l.Buffer.Name)
		}
		x.index.Initial = append(x.index.Initial, v)
	}
	if l.Buffer.DType != s.Buffer.DType || len(l.Buffer.Strides)+len(s.Buffer.Strides) > 0 || l.Buffer.ElemOffset != nil && !tir.IsConst(l.Buffer.ElemOffset, 0) {
		return fail("expected compact buffers of one type")
	}
	if old := w.of[x.from]; old != nil {
		return fail("block %s writes %s in another layout already", old.block.Name, x.from.Name)
	}
	w.list = append(w.list, x)
	w.of[x.from] = x
	return nil
}

// coversAxis reports whether the domain of the variable v of block b is from 0 to extent.
func coversAxis(b *tir.Block, v *tir.Var, extent tir.Expr) bool {
	for _, iv := range b.IterVars {
		if iv.Var == v {
			return tir.IsConst(iv.Dom.Min, 0) && tir.Equal(iv.Dom.Extent, extent)
		}
	}
	return false
}

// usesElsewhere reports whether the weight of x is used, or its copy stored to, outside of the block.
func (w *weightLayout) usesElsewhere(x *weightCopy) bool {
	found, pointers := false, 0
	ir.Walk(w.f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			return n != x.block && !found
		case *tir.Var:
			if n == x.from.Data {
				pointers++
			}
		case *tir.BufferLoad:
			found = found || n.Buffer.Data == x.from.Data
		case *tir.BufferStore:
			found = found || n.Buffer.Data == x.from.Data || n.Buffer == x.to
		case *tir.MatchBufferRegion:
			found = found || n.Source.Buffer.Data == x.from.Data || n.Source.Buffer == x.to
		case *tir.AllocateConst:
			if n.Var == x.from.Data { // the definition is a child, too
				pointers--
			}
		}
		return !found
	})
	return found || pointers > 0
}

// rewrite empties the blocks.
func (w *weightLayout) rewrite() (*tir.PrimFunc, error) {
	for _, x := range w.list {
		to := x.to
		if w.constants[x.from.Data] != nil {
			now := *x.to
			now.Data, now.Name = x.from.Data, x.from.Name
			to = &now
			w.buffers[x.from] = to
		}
		w.buffers[x.to] = to
	}
	m := &tir.Mapper{}
	m.Stmt = func(s tir.Stmt) tir.Stmt { return w.stmt(m, s) }
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if to := w.buffers[b]; to != nil {
			return to
		}
		return b
	}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			for _, x := range w.list {
				if v == x.to.Data {
					return w.buffers[x.to].Data
				}
			}
		}
		return m.MapExpr(e)
	})
	out := w.f.WithBody(m.Stmt(w.f.Body))
	if w.err != nil {
		return nil, w.err
	}
	buffers := append([]*tir.Buffer(nil), w.f.Buffers...)
	for i, b := range buffers {
		if x := w.of[b]; b != nil && x != nil {
			buffers[i] = x.to
			w.c.Rewrite(ruleWeightLayout, b, x.to)
		}
	}
	return out.WithBuffers(buffers), nil
}

func (w *weightLayout) stmt(m *tir.Mapper, s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Block:
		for _, x := range w.list {
			if s == x.block {
				out := s.WithBody(tir.NoOp()).WithReads(nil).WithWrites(nil)
				w.c.Rewrite("empty a block that writes a weight in another layout", s, out)
				return out
			}
		}
		var keep []*tir.Buffer
		for _, b := range s.AllocBuffers {
			if w.buffers[b] == nil {
				keep = append(keep, b)
			}
		}
		if len(keep) < len(s.AllocBuffers) {
			s = s.WithAllocBuffers(keep)
		}
		return m.MapStmt(s.WithReads(w.reads(s.Reads)).WithWrites(w.writes(s.Writes)))
	case *tir.AllocateConst:
		x := w.constants[s.Var]
		if x == nil {
			break
		}
		data, err := inLayout(s.Data, x, w.skip)
		if err != nil {
			w.err = fmt.Errorf("block %s: %w", x.block.Name, err)
			return s
		}
		out := s.WithData(data).WithExtents(x.to.Shape).WithBody(m.Stmt(s.Body))
		w.c.Rewrite(ruleWeightLayout, s, out)
		return out
	}
	return m.MapStmt(s)
}

// reads returns what a block around a copy reads now: a weight in its other layout, where the region that was read may be anywhere.
func (w *weightLayout) reads(list []*tir.BufferRegion) []*tir.BufferRegion {
	return ir.MapSame(list, func(r *tir.BufferRegion) *tir.BufferRegion {
		if x := w.of[r.Buffer]; x != nil {
			return tir.FullRegion(w.buffers[x.to])
		}
		return r
	})
}

// writes returns what a block around a copy writes now: no weight.
func (w *weightLayout) writes(list []*tir.BufferRegion) []*tir.BufferRegion {
	for i, r := range list {
		if w.buffers[r.Buffer] == nil {
			continue
		}
		out := append([]*tir.BufferRegion(nil), list[:i]...)
		for _, r := range list[i+1:] {
			if w.buffers[r.Buffer] == nil {
				out = append(out, r)
			}
		}
		return out
	}
	return list
}
