package vm

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime/tensor"
)

// validateLayout checks that the instructions follow each other without gap or overlap,
// and that functions do not share them, which bounds the work that an executable asks for.
func (e *Executable) validateLayout() error {
	at := int64(0)
	for i, off := range e.InstrOffset {
		if off != at {
			return fmt.Errorf("instruction %d starts at word %d, expected %d", i, off, at)
		}
		n, err := e.words(int64(i))
		if err != nil {
			return err
		}
		at += n
	}
	if at != int64(len(e.InstrData)) {
		return fmt.Errorf("%d words of code, of which instructions use %d", len(e.InstrData), at)
	}
	free := int64(len(e.InstrOffset))
	for _, f := range e.Funcs {
		if f.Kind != VMFunc || f.Start < 0 || f.End < f.Start {
			continue // reported with its name later
		}
		if free -= f.End - f.Start; free < 0 {
			return fmt.Errorf("function %s has more instructions than there are left", f.Name)
		}
	}
	return nil
}

// Validate checks everything that the machine relies on, so that an executable that was
// read from a file cannot make it fail other than with an error: indices, register
// numbers, jumps (forward, within the function) and constants. The first error is
// reported with its place.
func (e *Executable) Validate() error {
	if err := e.validateLayout(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(e.Funcs))
	for i, f := range e.Funcs {
		if f.Name == "" {
			return fmt.Errorf("function %d has no name", i)
		}
		if seen[f.Name] {
			return fmt.Errorf("function %s is in the table twice", f.Name)
		}
		seen[f.Name] = true
		if f.Once && (f.Kind != VMFunc || f.NumArgs != 0) {
			return fmt.Errorf("function %s runs once, so it must be bytecode without arguments, but it is a %v with %d", f.Name, f.Kind, f.NumArgs)
		}
		switch f.Kind {
		case PackedFunc:
		case VMFunc:
			if err := e.validateFunc(f); err != nil {
				return fmt.Errorf("function %s: %w", f.Name, err)
			}
		default:
			return fmt.Errorf("function %s has the unknown kind %d", f.Name, f.Kind)
		}
	}
	for i, c := range e.Consts {
		if err := c.validate(); err != nil {
			return fmt.Errorf("constant %d: %w", i, err)
		}
	}
	return nil
}

func (c Const) validate() error {
	switch c.Kind {
	case ConstTensor, ConstSplat:
		if c.Tensor == nil {
			return errors.New("a tensor is missing")
		}
		want, err := tensor.ByteSize(c.Tensor.DType, c.Tensor.Shape)
		if err != nil {
			return err
		}
		if c.Kind == ConstSplat {
			want = int64(c.Tensor.DType.Bytes())
		}
		if int64(len(c.Tensor.Data)) != want {
			return fmt.Errorf("%v holds %d bytes, expected %d", c.Tensor, len(c.Tensor.Data), want)
		}
	case ConstShape:
		for _, d := range c.Shape {
			if d < 0 {
				return fmt.Errorf("shape %s has a negative dimension", tensor.ShapeString(c.Shape))
			}
		}
	case ConstString, ConstInt, ConstFloat, ConstDType:
	default:
		return fmt.Errorf("unknown kind %d", c.Kind)
	}
	return nil
}

func (e *Executable) validateFunc(f FuncInfo) error {
	if f.Start < 0 || f.Start >= f.End || f.End > int64(len(e.InstrOffset)) {
		return fmt.Errorf("instructions [%d, %d) of %d: was EndFunction called?", f.Start, f.End, len(e.InstrOffset))
	}
	if f.NumArgs < 0 || f.NumArgs > f.RegisterFileSize || f.RegisterFileSize > maxRegisters {
		return fmt.Errorf("%d arguments with %d registers: expected at least as many registers, and at most %d", f.NumArgs, f.RegisterFileSize, maxRegisters)
	}
	if n := len(f.ParamNames); n != 0 && int64(n) != f.NumArgs {
		return fmt.Errorf("%d parameter names for %d arguments", n, f.NumArgs)
	}
	for pc := f.Start; pc < f.End; pc++ {
		in, err := e.Instr(pc)
		if err == nil {
			err = e.validateInstr(f, pc, in)
		}
		if err != nil {
			return fmt.Errorf("instruction %d: %w", pc-f.Start, err)
		}
		if pc == f.End-1 && in.Op != OpRet {
			return errors.New("the last instruction is not a ret")
		}
	}
	return nil
}

func (e *Executable) validateInstr(f FuncInfo, pc int64, in Instr) error {
	reg := func(r Reg) error {
		if r < 0 || r >= f.RegisterFileSize {
			return fmt.Errorf("register %s is out of range: there are %d", regName(r), f.RegisterFileSize)
		}
		return nil
	}
	jump := func(least int64) error {
		if in.Offset < least || in.Offset >= f.End-pc {
			return fmt.Errorf("a jump by %d leaves the function or goes backward", in.Offset)
		}
		return nil
	}
	switch in.Op {
	case OpCall:
		if in.Func < 0 || in.Func >= int64(len(e.Funcs)) {
			return fmt.Errorf("call of function %d, but there are %d", in.Func, len(e.Funcs))
		}
		if in.Dst != VoidReg {
			if err := reg(in.Dst); err != nil {
				return err
			}
		}
		for i, a := range in.Args {
			v, n := a.Value(), int64(0)
			switch a.Kind() {
			case ArgImm:
				continue
			case ArgReg:
				n = f.RegisterFileSize
				if v == VoidReg || v == VMReg {
					continue
				}
			case ArgConst:
				n = int64(len(e.Consts))
			case ArgFunc:
				n = int64(len(e.Funcs))
			default:
				return fmt.Errorf("argument %d has the unknown kind %d", i, a.Kind())
			}
			if v < 0 || v >= n {
				return fmt.Errorf("argument %d is register, constant or function %d, but there are %d", i, v, n)
			}
		}
	case OpRet:
		if in.Reg != VoidReg {
			return reg(in.Reg)
		}
	case OpGoto:
		return jump(1)
	case OpIf:
		if err := jump(2); err != nil {
			return err
		}
		return reg(in.Reg)
	}
	return nil
}
