package wasmbin

// Comment puts a line into the printed text, if no expression is unfinished.
func (f *Func) Comment(text string) {
	if len(f.frames) > 0 && len(f.stack) == f.frames[len(f.frames)-1].height {
		f.body = append(f.body, Instr{Op: opComment, Imm: uint64(len(f.comments))})
		f.comments = append(f.comments, text)
	}
}

// Block opens a block; a branch to its label leaves it.
func (f *Func) Block(name string) Label { return f.open(OpBlock, name, None) }

// Loop opens a loop; a branch to its label starts the next turn.
func (f *Func) Loop(name string) Label { return f.open(OpLoop, name, None) }

// If pops a condition and opens a conditional that leaves a value of type t (None: no value).
func (f *Func) If(name string, t ValType) Label { return f.open(OpIf, name, t) }

func (f *Func) open(op Op, name string, t ValType) Label {
	l := Label(len(f.labels))
	f.labels = append(f.labels, name)
	f.apply(Instr{Op: op, Type: t, Imm: uint64(l)})
	f.frames = append(f.frames, frame{op: op, label: l, result: t, height: len(f.stack)})
	return l
}

// Else begins the alternative of the innermost if.
func (f *Func) Else() {
	fr := &f.frames[len(f.frames)-1]
	if fr.op != OpIf {
		f.fail("else without if")
		return
	}
	f.settle(OpElse, fr)
	fr.op, fr.dead = OpElse, false
	f.body = append(f.body, Instr{Op: OpElse})
}

// settle checks that a block leaves exactly its result.
func (f *Func) settle(op Op, fr *frame) {
	if fr.result != None {
		f.pop(op, fr.result)
	}
	if len(f.stack) != fr.height {
		f.fail("%s leaves %d values too many on the stack", op, len(f.stack)-fr.height)
		f.stack = f.stack[:fr.height]
	}
}

// End closes the innermost block, loop or if; at the outermost level it completes the function.
func (f *Func) End() {
	if f.closed {
		f.fail("end: %w", errClosed)
		return
	}
	fr := f.frames[len(f.frames)-1]
	if fr.op == OpIf && fr.result != None {
		f.fail("an if with a result needs an else")
	}
	f.settle(OpEnd, &fr)
	f.body = append(f.body, Instr{Op: OpEnd})
	f.frames = f.frames[:len(f.frames)-1]
	if len(f.frames) == 0 {
		f.closed = true
		return
	}
	if fr.result != None {
		f.push(fr.result)
	}
}

// Br branches to an open label.
func (f *Func) Br(l Label) {
	f.branch(OpBr, l)
	f.kill()
}

// BrIf pops a condition and branches where it is not 0.
func (f *Func) BrIf(l Label) { f.branch(OpBrIf, l) }

func (f *Func) branch(op Op, l Label) {
	for _, fr := range f.frames {
		if fr.label == l && l != 0 {
			if fr.op != OpLoop && fr.result != None {
				f.fail("%s to a block with a result is not supported", op)
			}
			f.apply(Instr{Op: op, Imm: uint64(l)})
			return
		}
	}
	f.fail("%s to a label that is not open", op)
}

// Return leaves the function with the result that is on the stack.
func (f *Func) Return() {
	for i := len(f.Type.Results) - 1; i >= 0; i-- {
		f.pop(OpReturn, f.Type.Results[i])
	}
	f.body = append(f.body, Instr{Op: OpReturn})
	f.kill()
}
