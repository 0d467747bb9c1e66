package wasmbin

import (
	"errors"
	"fmt"
)

// Local is a parameter or local variable of a function.
type Local int

// Label is the target of a branch: a block, loop or if that is open.
type Label int

// Instr is one instruction of a body, in the order of execution.
type Instr struct {
	Op    Op
	Type  ValType // result of a block, loop or if
	Align uint8   // log2 of the alignment of a memory instruction
	Lane  uint8
	Imm   uint64 // constant, offset, local, global, label or callee
	Hi    uint64 // upper half of a v128 constant or of shuffle lanes
}

type localDecl struct {
	name string
	typ  ValType
}

// frame is an open block; height is the operand stack below it.
type frame struct {
	op     Op
	label  Label
	result ValType
	height int
	dead   bool // after an unconditional branch: operands may be conjured
}

// Func is a function under construction. Instructions are appended in order; each is checked
// against the operand stack, and the first error is kept and reported by Err and by
// Module.Encode.
type Func struct {
	Name string
	Type FuncType

	mod      *Module
	ref      FuncRef
	locals   []localDecl // parameters first
	body     []Instr
	labels   []string
	comments []string
	stack    []ValType
	frames   []frame
	err      error
	closed   bool
	size     int // bytes of the encoded body
}

func newFunc(m *Module, name string, t FuncType, ref FuncRef) *Func {
	f := &Func{Name: name, Type: t, mod: m, ref: ref}
	for i, p := range t.Params {
		f.locals = append(f.locals, localDecl{fmt.Sprintf("p%d", i), p})
	}
	result := None
	if len(t.Results) > 0 {
		result = t.Results[0]
	}
	if len(t.Results) > 1 {
		f.fail("functions with more than one result are not supported")
	}
	f.labels = append(f.labels, "")
	f.frames = append(f.frames, frame{op: OpBlock, result: result})
	return f
}

// Ref is the reference by which others call or export f.
func (f *Func) Ref() FuncRef { return f.ref }

// Err is the first error that was made in building f.
func (f *Func) Err() error { return f.err }

// Len is the number of instructions so far.
func (f *Func) Len() int { return len(f.body) }

// Size is the number of bytes of the code of f. It is 0 until the module is encoded.
func (f *Func) Size() int { return f.size }

// Param is the i-th parameter.
func (f *Func) Param(i int) Local { return Local(i) }

// NameParam names a parameter for the printed text.
func (f *Func) NameParam(i int, name string) { f.locals[i].name = name }

// NewLocal adds a local variable, zero at the start.
func (f *Func) NewLocal(name string, t ValType) Local {
	f.locals = append(f.locals, localDecl{name, t})
	return Local(len(f.locals) - 1)
}

// LocalType is the type of a local variable.
func (f *Func) LocalType(l Local) ValType { return f.locals[l].typ }

func (f *Func) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("function %s, instruction %d: %w", f.Name, len(f.body), fmt.Errorf(format, args...))
	}
}

var errClosed = errors.New("the function is complete")

// pop takes an operand of type t (None: any) from the stack and returns its type.
func (f *Func) pop(op Op, t ValType) ValType {
	fr := &f.frames[len(f.frames)-1]
	if len(f.stack) == fr.height {
		if !fr.dead {
			f.fail("%s needs an operand of type %s, the stack is empty", op, t)
		}
		return t
	}
	got := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	if t != None && got != None && got != t {
		f.fail("%s needs an operand of type %s, got %s", op, t, got)
	}
	return got
}

func (f *Func) push(t ValType) { f.stack = append(f.stack, t) }

// apply checks the fixed operands of in and appends it.
func (f *Func) apply(in Instr) {
	info := in.Op.info()
	if info.name == "" {
		f.fail("0x%x is not an instruction", uint16(in.Op))
		return
	}
	if f.closed {
		f.fail("%s: %w", in.Op, errClosed)
		return
	}
	for i := len(info.pops) - 1; i >= 0; i-- {
		f.pop(in.Op, valTypeOf(info.pops[i]))
	}
	if info.push != "" {
		f.push(valTypeOf(info.push[0]))
	}
	f.body = append(f.body, in)
}

// kill marks the rest of the current block as unreachable.
func (f *Func) kill() {
	fr := &f.frames[len(f.frames)-1]
	f.stack = f.stack[:fr.height]
	fr.dead = true
}

// Dead reports whether the current point cannot be reached.
func (f *Func) Dead() bool { return f.frames[len(f.frames)-1].dead }
