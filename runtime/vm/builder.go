package vm

import (
	"fmt"
	"hash/maphash"
	"slices"
)

// Builder makes an Executable; it is TVM's ExecBuilder. Functions are emitted one after
// the other: EmitFunction, instructions, EndFunction. The first error is kept and
// returned by Build, so that callers need not check every step.
type Builder struct {
	exec    Executable
	index   map[string]int64
	open    int64 // the function being emitted, -1 between functions
	emitted map[int64]bool
	seed    maphash.Seed
	consts  map[uint64][]int64 // hash of a constant to the indices of those that have it
	err     error
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{index: map[string]int64{}, open: -1, emitted: map[int64]bool{}, seed: maphash.MakeSeed(), consts: map[uint64][]int64{}}
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// DeclareFunction makes sure that the table has a function of that name and kind, and
// returns the argument that refers to it. A function may be declared many times.
func (b *Builder) DeclareFunction(name string, kind FuncKind) Arg {
	i, ok := b.index[name]
	if !ok {
		i = int64(len(b.exec.Funcs))
		b.index[name] = i
		b.exec.Funcs = append(b.exec.Funcs, FuncInfo{Kind: kind, Name: name})
	} else if have := b.exec.Funcs[i].Kind; have != kind {
		b.fail("function %s was declared as %v, now as %v", name, have, kind)
	}
	return makeArg(ArgFunc, i)
}

// Function returns the argument that refers to a function declared before.
func (b *Builder) Function(name string) Arg {
	i, ok := b.index[name]
	if !ok {
		b.fail("function %s was not declared", name)
	}
	return makeArg(ArgFunc, i)
}

// EmitFunction begins a function with numInputs arguments in registers 0 and up.
// paramNames has a name for each, or is nil.
func (b *Builder) EmitFunction(name string, numInputs int, paramNames []string) {
	if b.open >= 0 {
		b.fail("function %s begins before the end of %s", name, b.exec.Funcs[b.open].Name)
	}
	b.DeclareFunction(name, VMFunc)
	i := b.index[name]
	if b.emitted[i] {
		b.fail("function %s is defined twice", name)
	}
	b.emitted[i] = true
	b.open = i
	f := &b.exec.Funcs[i]
	f.Start, f.NumArgs, f.ParamNames = b.NumInstr(), int64(numInputs), slices.Clone(paramNames)
}

// RunOnce says that the function being emitted, which has no arguments, runs once: when the program is loaded.
func (b *Builder) RunOnce() {
	if b.open < 0 {
		b.fail("no function is being emitted that could run once")
		return
	}
	b.exec.Funcs[b.open].Once = true
}

// EndFunction ends the function that was begun last.
func (b *Builder) EndFunction(name string) {
	if b.open < 0 || b.exec.Funcs[b.open].Name != name {
		b.fail("end of function %s, which is not the one being emitted", name)
		return
	}
	b.exec.Funcs[b.open].End = b.NumInstr()
	b.open = -1
}

// NumInstr is the number of instructions emitted so far: the index of the next one.
func (b *Builder) NumInstr() int64 { return int64(len(b.exec.InstrOffset)) }

func (b *Builder) emit(words ...int64) int64 {
	if b.open < 0 {
		b.fail("an instruction outside of a function")
	}
	at := b.NumInstr()
	b.exec.InstrOffset = append(b.exec.InstrOffset, int64(len(b.exec.InstrData)))
	b.exec.InstrData = append(b.exec.InstrData, words...)
	return at
}

// EmitCall calls the function called name, which is declared as packed if it was not
// declared, and writes the result to dst. It returns the index of the instruction, as all
// Emit methods for instructions do.
func (b *Builder) EmitCall(name string, args []Arg, dst Reg) int64 {
	i, ok := b.index[name]
	if !ok {
		return b.EmitCallArg(b.DeclareFunction(name, PackedFunc), args, dst)
	}
	return b.EmitCallArg(makeArg(ArgFunc, i), args, dst)
}

// EmitCallArg is EmitCall for a function given as argument.
func (b *Builder) EmitCallArg(fn Arg, args []Arg, dst Reg) int64 {
	if fn.Kind() != ArgFunc {
		b.fail("the callee is not in the function table: call vm.builtin.invoke_closure")
	}
	words := []int64{int64(OpCall), dst, fn.Value(), int64(len(args))}
	for _, a := range args {
		words = append(words, int64(a))
	}
	return b.emit(words...)
}

// EmitRet returns the register result.
func (b *Builder) EmitRet(result Arg) int64 {
	if result.Kind() != ArgReg {
		b.fail("ret needs a register: copy the constant with vm.builtin.copy first")
	}
	return b.emit(int64(OpRet), result.Value())
}

// EmitGoto jumps offset instructions ahead.
func (b *Builder) EmitGoto(offset int64) int64 { return b.emit(int64(OpGoto), offset) }

// EmitIf goes on with the next instruction if register cond is not zero, and falseOffset
// instructions ahead otherwise.
func (b *Builder) EmitIf(cond Arg, falseOffset int64) int64 {
	if cond.Kind() != ArgReg {
		b.fail("if needs a register as its condition")
	}
	return b.emit(int64(OpIf), cond.Value(), falseOffset)
}

// SetOffset replaces the offset of the Goto or If with index at, once the place to jump
// to is known.
func (b *Builder) SetOffset(at, offset int64) {
	in, err := b.exec.Instr(at)
	switch {
	case err != nil:
		b.fail("setting a jump: %w", err)
	case in.Op == OpGoto:
		b.exec.InstrData[b.exec.InstrOffset[at]+1] = offset
	case in.Op == OpIf:
		b.exec.InstrData[b.exec.InstrOffset[at]+2] = offset
	default:
		b.fail("setting a jump: instruction %d is not a goto or if", at)
	}
}

// Build numbers the registers of each function anew in the order of their definition,
// checks the result and returns it. The builder must not be used afterwards.
func (b *Builder) Build() (*Executable, error) {
	if b.open >= 0 {
		b.fail("function %s was not ended", b.exec.Funcs[b.open].Name)
	}
	for i := range b.exec.Funcs {
		if b.err != nil {
			break
		}
		f := &b.exec.Funcs[i]
		if f.Kind != VMFunc {
			continue
		}
		if !b.emitted[int64(i)] {
			b.fail("function %s was declared but not emitted", f.Name)
			break
		}
		if err := b.formalize(f); err != nil {
			b.fail("function %s: %w", f.Name, err)
		}
	}
	if b.err == nil {
		b.err = b.exec.Validate()
	}
	if b.err != nil {
		return nil, fmt.Errorf("building a VM executable: %w", b.err)
	}
	e := b.exec
	return &e, nil
}

// formalize renumbers registers and reports those that are read but never written.
func (b *Builder) formalize(f *FuncInfo) error {
	regs := map[Reg]Reg{}
	next := f.NumArgs
	use := func(w *int64) error {
		r := Arg(*w).Value()
		if r >= beginSpecial || r < f.NumArgs {
			return nil
		}
		n, ok := regs[r]
		if !ok {
			return fmt.Errorf("register %s is read but never written", regName(r))
		}
		*w = n
		return nil
	}
	for pc := f.Start; pc < f.End; pc++ {
		w := b.exec.InstrData[b.exec.InstrOffset[pc]:]
		switch Opcode(w[0]) {
		case OpCall:
			for i := range w[3] {
				if Arg(w[4+i]).Kind() != ArgReg {
					continue
				}
				if err := use(&w[4+i]); err != nil {
					return err
				}
			}
			if w[1] >= f.NumArgs && w[1] < beginSpecial {
				if _, ok := regs[w[1]]; !ok {
					regs[w[1]] = next
					next++
				}
				w[1] = regs[w[1]]
			}
		case OpRet, OpIf:
			if err := use(&w[1]); err != nil {
				return err
			}
		}
	}
	f.RegisterFileSize = next
	return nil
}
