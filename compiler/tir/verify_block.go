package tir

func (v *verifier) loop(s *For) {
	v.expr(s.Min)
	v.expr(s.Extent)
	d := s.LoopVar.DType()
	if !d.IsInteger() || !d.IsScalar() {
		v.report(s, "loop variable %s has type %s, expected an integer", s.LoopVar.Name, d)
	}
	for _, e := range [...]Expr{s.Min, s.Extent, s.Step} {
		if e != nil && e.DType() != d {
			v.report(s, "loop variable %s has type %s, but its bounds have %s", s.LoopVar.Name, d, e.DType())
			break
		}
	}
	if s.Step != nil {
		v.expr(s.Step)
	}
	if s.Kind == ThreadBinding && s.Thread == nil {
		v.report(s, "loop %s is bound to a thread but names none", s.LoopVar.Name)
	}
	mark := v.enter()
	v.define(s, s.LoopVar)
	v.setLoop(s.LoopVar, true)
	v.stmt(s.Body)
	v.setLoop(s.LoopVar, false)
	v.leave(mark)
}

// setLoop notes whether x is the variable of a loop in scope.
func (v *verifier) setLoop(x *Var, loop bool) {
	st := v.state(x)
	st.loop, st.depth = loop, int32(v.inner)
	v.vars.Put(x, st)
}

func (v *verifier) realize(s *BlockRealize) {
	b := s.Block
	if b == nil {
		v.report(s, "realizes no block")
		return
	}
	for _, e := range s.Values {
		v.expr(e)
	}
	if s.Predicate != nil {
		v.expr(s.Predicate)
		if d := s.Predicate.DType(); !d.IsBool() {
			v.report(s, "the predicate of block %s has type %s, expected bool", b.Name, d)
		}
	}
	if len(s.Values) != len(b.IterVars) {
		v.report(s, "block %s has %d iteration variables and %d bindings", b.Name, len(b.IterVars), len(s.Values))
		return
	}
	for k, iv := range b.IterVars {
		if got, want := s.Values[k].DType(), iv.Var.DType(); got != want {
			v.report(s, "block %s binds %s of type %s to a value of type %s", b.Name, iv.Var.Name, want, got)
		}
	}
	v.block(b)
}

func (v *verifier) block(b *Block) {
	v.blocks = append(v.blocks, b.Name)
	mark := v.enter()
	for _, iv := range b.IterVars {
		v.expr(iv.Dom.Min)
		v.expr(iv.Dom.Extent)
		if iv.Dom.Min.DType() != iv.Var.DType() || iv.Dom.Extent.DType() != iv.Var.DType() {
			v.report(iv, "iteration variable %s has type %s, its domain %s and %s", iv.Var.Name, iv.Var.DType(), iv.Dom.Min.DType(), iv.Dom.Extent.DType())
		}
	}
	if len(b.IterVars) > 0 {
		v.inner++
		v.scope++ // loop variables outside may not be used from here on
	}
	for _, iv := range b.IterVars {
		v.define(iv, iv.Var)
	}
	for _, x := range b.AllocBuffers {
		v.declare(b, x, true)
	}
	for _, m := range b.MatchBuffers {
		v.region(m.Source)
		v.implicit(m, m.Buffer)
		v.bufferExprs(m, m.Buffer)
	}
	for _, r := range b.Reads {
		v.region(r)
	}
	for _, r := range b.Writes {
		v.region(r)
	}
	if b.Init != nil {
		v.stmt(b.Init)
	}
	if b.Body == nil {
		v.report(b, "has no body")
	} else {
		v.stmt(b.Body)
	}
	v.leave(mark)
	if len(b.IterVars) > 0 {
		v.inner--
		v.scope++
	}
	v.blocks = v.blocks[:len(v.blocks)-1]
}

func (v *verifier) region(r *BufferRegion) {
	v.use(r, r.Buffer)
	if len(r.Region) != len(r.Buffer.Shape) {
		v.report(r, "region of buffer %s has %d ranges, the buffer %d dimensions", r.Buffer.Name, len(r.Region), len(r.Buffer.Shape))
	}
	for k, x := range r.Region {
		v.expr(x.Min)
		v.expr(x.Extent)
		if d := x.Min.DType(); !d.IsInteger() {
			v.report(r, "range %d of the region of buffer %s has type %s, expected an integer", k, r.Buffer.Name, d)
		}
	}
}
