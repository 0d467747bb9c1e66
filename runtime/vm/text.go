package vm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/runtime/tensor"
)

// AsText disassembles the executable in the layout of TVM's VMExecutable.as_text.
func (e *Executable) AsText() string {
	var b strings.Builder
	for _, f := range e.Funcs {
		if f.Kind != VMFunc {
			fmt.Fprintf(&b, "@%s %v;\n\n", f.Name, f.Kind)
			continue
		}
		fmt.Fprintf(&b, "@%s:", f.Name)
		if f.Once {
			b.WriteString(" // runs once, when the program is loaded")
		}
		b.WriteByte('\n')
		for pc := f.Start; pc < f.End; pc++ {
			in, err := e.Instr(pc)
			if err != nil {
				fmt.Fprintf(&b, "  <%v>\n", err)
				break
			}
			e.writeInstr(&b, in)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *Executable) writeInstr(b *strings.Builder, in Instr) {
	switch in.Op {
	case OpCall:
		args := make([]string, len(in.Args))
		for i, a := range in.Args {
			args[i] = e.argText(a)
		}
		fmt.Fprintf(b, "  call  %-16s in: %-12s dst: %s\n", e.funcName(in.Func), strings.Join(args, ", "), regName(in.Dst))
	case OpRet:
		fmt.Fprintf(b, "  ret   %s\n", regName(in.Reg))
	case OpGoto:
		fmt.Fprintf(b, "  goto  %d\n", in.Offset)
	case OpIf:
		fmt.Fprintf(b, "  If    %s, %d\n", regName(in.Reg), in.Offset)
	}
}

func (e *Executable) argText(a Arg) string {
	v := a.Value()
	switch a.Kind() {
	case ArgReg:
		return regName(v)
	case ArgImm:
		return "i" + strconv.FormatInt(v, 10)
	case ArgConst:
		return "c[" + strconv.FormatInt(v, 10) + "]"
	case ArgFunc:
		return "f[" + e.funcName(v) + "]"
	}
	return fmt.Sprintf("unknown_arg(%d)", int64(a))
}

func (e *Executable) funcName(i int64) string {
	if i >= 0 && i < int64(len(e.Funcs)) {
		return e.Funcs[i].Name
	}
	return fmt.Sprintf("unknown_func_index(%d)", i)
}

// Stats describes the constant pool and the function table in the words of TVM's
// VMExecutable.stats.
func (e *Executable) Stats() string {
	var consts, funcs []string
	for _, c := range e.Consts {
		consts = append(consts, c.String())
	}
	for _, f := range e.Funcs {
		funcs = append(funcs, f.Name)
	}
	return fmt.Sprintf("Relax VM executable statistics:\n  Constant pool (# %d): [%s]\n  Globals (#%d): [%s]\n",
		len(consts), strings.Join(consts, ", "), len(funcs), strings.Join(funcs, ", "))
}

// String describes a constant: the shape of a tensor, the value of anything else.
func (c Const) String() string {
	switch c.Kind {
	case ConstTensor, ConstSplat:
		if len(c.Tensor.Shape) == 0 {
			return "scalar"
		}
		return tensor.ShapeString(c.Tensor.Shape)
	case ConstShape:
		return "shapetuple" + tensor.ShapeString(c.Shape)
	case ConstString:
		return strconv.Quote(c.Str)
	case ConstInt:
		return strconv.FormatInt(c.Int, 10)
	case ConstFloat:
		return strconv.FormatFloat(c.Float, 'g', -1, 64)
	}
	return c.DType.String()
}
