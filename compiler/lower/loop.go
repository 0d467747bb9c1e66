package lower

// Loop is a loop that counts from Lo to before End and surely runs once: the test is at its end.
type Loop struct {
	Name    string
	Effects *LoopEffects
	Lo, End *Node
	All     *Node // what End is of all turns, where these are a part of them; nil where they are all
	Step    *Node
	// Poll writes a poll that takes a cost off the budget.
	Poll func(cost float64)
	// Body translates the body, given the loop variable and the region of one turn, which is
	// current. It returns the block by which something leaves the loop, nil if nothing does.
	Body func(i *Node, turn *Region) (exit *Region)
}

// Loop writes a loop: in strips of some turns, between which it polls, where one
// turn is too little to hide a poll.
func (b *Builder) Loop(l Loop) {
	e := l.Effects
	b.KillEffects(e)
	typ := l.Lo.Type
	iv := &Variable{Reg: b.newReg(l.Name, typ), Type: typ, Name: l.Name}
	outer := b.Cur
	b.Add(Item{Kind: ItemSet, Reg: iv.Reg, Args: b.Operands(l.Lo)})
	till, around := l.End, outer
	if e.Strip > 0 {
		around = NewRegion(LoopRegion, outer)
		around.Loop = e
		b.Cur = around
		till = b.stripEnd(iv, l.End, e.Strip)
	}
	body := NewRegion(LoopRegion, around)
	body.Loop = e
	b.Cur = body
	i := b.Stable(iv.Reg, body, l.Lo.Nonneg)
	i.counter = &counter{entry: outer, body: body, lo: l.Lo, end: l.End, step: l.Step}
	if l.All != nil {
		i.counter.end = l.All
	}
	exit := l.Body(i, body)
	b.Cur = body
	b.advanceAll(body)
	next := b.unshared(body, b.Machine.Op(Add, b.bitsOf(i)), typ, i, l.Step)
	b.Add(Item{Kind: ItemSet, Reg: iv.Reg, Args: b.Operands(next)})
	if e.Polls && e.Strip == 0 {
		l.Poll(e.Body)
	}
	again := b.before(iv, till)
	b.Cur = around
	b.CloseLoop(Item{Kind: ItemLoop, Body: body, Args: b.Operands(again), Text: l.Name}, exit)
	if around == outer {
		if e.After > 0 {
			l.Poll(e.After)
		}
		return
	}
	b.Branch(b.before(iv, l.End), "strip", func() { l.Poll(e.Body * float64(e.Strip)) }, nil)
	again = b.before(iv, l.End)
	b.Cur = outer
	b.Add(Item{Kind: ItemLoop, Body: around, Args: b.Operands(again), Text: l.Name + "_strip"})
}

// CloseLoop appends a loop, wrapped in a block if something breaks out of it.
func (b *Builder) CloseLoop(it Item, exit *Region) {
	if exit == nil {
		b.Add(it)
		return
	}
	it.At = b.At
	exit.add(it)
	b.Add(Item{Kind: ItemBlock, Body: exit, Text: "exit"})
}

// before compares a loop variable, as it is now, with a bound.
func (b *Builder) before(iv *Variable, end *Node) *Node {
	return b.unshared(b.Cur, b.Machine.Op(LtS, b.bitsOf(end)), b.Machine.Int(32), b.fresh(iv), end)
}

// stripEnd returns where the strip that starts at iv ends: after the given number of turns, or
// at the end of the loop. iv is before end, so that their difference is right without a sign.
func (b *Builder) stripEnd(iv *Variable, end *Node, turns int64) *Node {
	now := b.fresh(iv)
	most := b.IntLike(end, turns)
	rest := b.Fn(Sub, end, now)
	r := b.newReg(iv.Name+"_till", iv.Type)
	b.Add(Item{Kind: ItemSet, Reg: r, Args: b.Operands(b.Fn(Add, now, b.Fn(Select, rest, most, b.Fn(LtU, rest, most))))})
	return b.Stable(r, b.Cur, false)
}

// fresh reads a variable as it is now, not to be shared.
func (b *Builder) fresh(v *Variable) *Node { return b.Stable(v.Reg, b.Cur, false) }
