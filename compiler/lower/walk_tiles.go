package lower

import "github.com/irscope/irscope/compiler/tir"

// tileProducts translates a loop that is the outermost of a nest of products of matrices, where registers of the target do them; false where they do not. before is the statement in front of
// it that is to be translated too, nil for none: it must start the sums from zero.
//
//	load the sums, or start from zero
//	for steps...: load the rows of x and y; add their products
//	store the sums
func (w *Walker) tileProducts(nest, before tir.Stmt) bool {
	t := w.Machine.Tiles
	s, ok := nest.(*tir.For)
	if t == nil || !ok || s.Annotations.Int(tir.AttrTileProducts, 0) == 0 {
		return false
	}
	n := tileNestOf(s, t)
	if n == nil || before != nil && !n.startsFrom(before) || !w.apartFromSums(n) || w.promotedAny(n.x.buf.Data, n.y.buf.Data, n.sums.buf.Data) || !t.Shape(n.shapes(t)) {
		return false
	}
	outer := w.At
	w.At = w.memory.from.of(n.store)
	defer func() { w.At = outer }()
	polls := false
	for _, l := range n.steps {
		e := w.Effects.Loops[l]
		polls = polls || e.Polls || e.After > 0
	}
	w.KillEffects(w.Effects.Loops[s])
	first := w.tilesOf(&n.sums)
	for k, p := range n.sumPlaces() {
		if before != nil {
			t.Zero(k)
		} else {
			t.Load(k, first(p.sums), n.sums.distance*wordBytes)
		}
	}
	w.tileSteps(n, t, 0)
	for k, p := range n.sumPlaces() {
		t.Store(k, first(p.sums), n.sums.distance*wordBytes)
	}
	w.KillEffects(w.Effects.Loops[s])
	if polls {
		w.gen.Poll(float64(n.work()))
	}
	return true
}

const wordBytes = 4

// tileSteps writes the loops over steps from one on, and in the last one the products.
func (w *Walker) tileSteps(n *tileNest, t *Tiles, k int) {
	if k == len(n.steps) {
		w.tileStep(n, t)
		return
	}
	s, step := n.steps[k], int64(1)
	if k == n.inner {
		step = int64(n.words)
	}
	extent, _ := tir.AsInt(s.Extent)
	d := s.LoopVar.DType()
	if extent == step {
		w.Vars[s.LoopVar] = One(d, w.IntConst(d, 0, ""))
		w.tileSteps(n, t, k+1)
		return
	}
	e := *w.Effects.Loops[s]
	e.Polls, e.Strip, e.After = false, 0, 0
	w.Loop(Loop{Name: s.LoopVar.Name, Effects: &e, Lo: w.Int(32, 0), End: w.Int(32, extent), Step: w.Int(32, step), Body: func(i *Node, _ *Region) *Region {
		w.bindLoop(s, i)
		w.tileSteps(n, t, k+1)
		return nil
	}})
	delete(w.Linear, s.LoopVar)
}

// tileStep adds the products of one step: all registers of the factor that has fewer are loaded, and those of the other one into what is left of them, one after the other.
func (w *Walker) tileStep(n *tileNest, t *Tiles) {
	x, y := w.tilesOf(&n.x), w.tilesOf(&n.y)
	loadX := func(reg, i int) { t.Load(reg, x(n.down[i].factor), n.x.distance*wordBytes) }
	loadY := func(reg, j int) { t.Load(reg, y(n.across[j].factor), n.y.distance*wordBytes) }
	regs := n.registers(t)
	held, others, loadHeld, loadOther := len(n.down), len(n.across), loadX, loadY
	if regs.heldIsY {
		held, others, loadHeld, loadOther = others, held, loadY, loadX
	}
	for i := range held {
		loadHeld(regs.held+i, i)
	}
	for j := range others {
		reg := regs.other + j%regs.others
		loadOther(reg, j)
		for i := range held {
			if regs.heldIsY {
				t.Add(n.sum(j, i), reg, regs.held+i, n.x.signed, n.y.signed)
			} else {
				t.Add(n.sum(i, j), regs.held+i, reg, n.x.signed, n.y.signed)
			}
		}
	}
}

// tileRegisters says which registers hold the factors; the sums come first.
type tileRegisters struct {
	heldIsY             bool
	held, other, others int
}

func (n *tileNest) registers(t *Tiles) tileRegisters {
	r := tileRegisters{held: len(n.down) * len(n.across), heldIsY: len(n.across) < len(n.down)}
	r.other = r.held + min(len(n.down), len(n.across))
	r.others = min(t.Registers-r.other, max(len(n.down), len(n.across)))
	return r
}

// shapes are those of all registers.
func (n *tileNest) shapes(t *Tiles) []TileShape {
	out := make([]TileShape, t.Registers)
	r := n.registers(t)
	x, y := TileShape{n.rows, n.words}, TileShape{n.words, n.lanes}
	for k := range out {
		switch {
		case k < r.held:
			out[k] = TileShape{n.rows, n.lanes}
		case k < r.other == r.heldIsY:
			out[k] = y
		default:
			out[k] = x
		}
	}
	for k := r.other + r.others; k < len(out); k++ {
		out[k] = TileShape{}
	}
	return out
}

// sum is the register of the sums of rows i and columns j.
func (n *tileNest) sum(i, j int) int { return i*len(n.across) + j }

// sumPlaces are where the registers of the sums lie, in their order.
func (n *tileNest) sumPlaces() (out []tilePlace) {
	for _, d := range n.down {
		for _, a := range n.across {
			out = append(out, tilePlace{sums: d.sums + a.sums})
		}
	}
	return out
}

// work is how many simple operations the nest takes about as long as.
func (n *tileNest) work() int64 {
	work := int64(n.rows * len(n.down) * len(n.across))
	for k, l := range n.steps {
		m, _ := tir.AsInt(l.Extent)
		if k == n.inner {
			m /= int64(n.words)
		}
		work *= m
	}
	return work
}

// tilesOf returns the access to a register that begins so many words behind the first one, where the loops are now.
func (w *Walker) tilesOf(a *tileAccess) func(words int64) Access {
	what := "T.dp4a"
	p := w.Place(a.buf, []tir.Expr{a.base}, what)
	base := w.pointer(a.buf.Data, what)
	return func(words int64) Access {
		l := p.At
		l.C += words
		n, off := w.Address(base, l.Scale(wordBytes), a.buf.Data.Name)
		return Access{Address: n, Offset: off, Through: a.buf.Data}
	}
}

// apartFromSums reports whether the factors surely lie in other memory than the sums.
func (w *Walker) apartFromSums(n *tileNest) bool {
	c := w.Class(n.sums.buf.Data)
	return c != w.Class(n.x.buf.Data) && c != w.Class(n.y.buf.Data)
}

// promotedAny reports whether one of some pointers is to sums that are kept in variables.
func (w *Walker) promotedAny(ptrs ...*tir.Var) bool {
	for _, v := range ptrs {
		if _, ok := w.promoted[v]; ok || w.slots[v] != nil {
			return true
		}
	}
	return false
}
