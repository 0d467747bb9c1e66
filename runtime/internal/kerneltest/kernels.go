package kerneltest

import "github.com/irscope/irscope/runtime/abi"

// value loads the low word of argument i: a tensor's descriptor or a number.
func value(i uint32) Code {
	return Seq(Get(1), I32Load(i*abi.CellSize+abi.CellValue))
}

// dim0 loads the first dimension of the tensor whose descriptor is in local d, as i32.
func dim0(d uint32) Code {
	return Seq(Get(d), I32Load(abi.DLTensorShape), I32Load(0))
}

// Add is add(a, b, out): out[i] = a[i] + b[i] over the first dimension of float32 vectors.
var Add = Kernel{Name: "add", I32s: 5, Body: Seq(
	// locals: 4 a, 5 b, 6 out, 7 count in bytes, 8 position
	value(2), Set(7), dim0(7), I32(2), I32Shl, Set(7),
	value(0), I32Load(abi.DLTensorData), Set(4),
	value(1), I32Load(abi.DLTensorData), Set(5),
	value(2), I32Load(abi.DLTensorData), Set(6),
	Block, Loop,
	Get(8), Get(7), I32GeU, BrIf(1),
	Get(6), Get(8), I32Add,
	Get(4), Get(8), I32Add, F32Load(0),
	Get(5), Get(8), I32Add, F32Load(0),
	F32Add, F32Store(0),
	Get(8), I32(4), I32Add, Set(8), Br(0),
	End, End, I32(abi.ErrNone),
)}

// Nop is nop(...): returns at once.
var Nop = Kernel{Name: "nop", Body: I32(abi.ErrNone)}

// Spin is spin(): loops until it is told to stop. Import 0 must be abi.ImportStopped.
var Spin = Kernel{Name: "spin", Body: Seq(
	Loop,
	GlobalGet(1), I32(-1), I32Add, GlobalSet(1),
	GlobalGet(1), I32(0), I32GeS, BrIf(0),
	I32(abi.PollBudget), GlobalSet(1),
	Call(0), I32Eqz, BrIf(0),
	End, I32(abi.ErrStopped),
)}

// Vandal is vandal(): fills the whole reserved part of memory with ones, and spins as Spin does.
var Vandal = Kernel{Name: "vandal", I32s: 1, Body: Seq(
	Loop,
	Get(4), I32(-1), I32Store(0),
	Get(4), I32(4), I32Add, Set(4),
	I32(abi.ReservedBytes-1), Get(4), I32GeS, BrIf(0),
	End,
	Spin.Body,
)}

// Trap is trap(): executes unreachable.
var Trap = Kernel{Name: "trap", Body: Unreachable}

// Wild is wild(): stores at the end of the address space.
var Wild = Kernel{Name: "wild", Body: Seq(I32(-64), I32(1), I32Store(0), I32(0))}

// Next is next(n): returns n+1 in the result cell.
var Next = Kernel{Name: "next", Body: Seq(
	Get(3), I32(abi.TypeInt), I32Store(abi.CellTypeIndex),
	Get(3), Get(1), I64Load(abi.CellValue), I64(1), I64Add, I64Store(abi.CellValue),
	I32(abi.ErrNone),
)}

// Twice is twice(heap): a shape function, heap[1] = heap[0] * 2 over int64.
var Twice = Kernel{Name: "twice", I32s: 1, Body: Seq(
	value(0), I32Load(abi.DLTensorData), Set(4),
	Get(4), Get(4), I64Load(0), I64(2), I64Mul, I64Store(8),
	I32(abi.ErrNone),
)}

// Fill is fill(x, n): writes n as an int32 to the first element of x.
var Fill = Kernel{Name: "fill", Body: Seq(
	value(0), I32Load(abi.DLTensorData), value(1), I32Store(0), I32(abi.ErrNone),
)}

// Basic is a module of the kernels above.
func Basic() []byte {
	return Assemble([]string{abi.ImportStopped}, nil, Add, Nop, Spin, Vandal, Trap, Wild, Next, Twice, Fill)
}

// Services is a module that uses the host functions:
// raise() sets the error TypeError "bad argument" from its data segment;
// work(n, free) allocates n bytes of workspace, writes to them and frees them if free is
// not zero, and reports -1 where there is none;
// hoard() allocates workspaces of one byte for ever;
// raiseid(id, x) raises the message of that number with the numbers x and 4;
// code(n) returns n as its error code;
// exp1(out) writes expf(1) to out[0].
func Services() []byte {
	return withMessages(Assemble(
		[]string{abi.ImportSetError, abi.ImportAllocWorkspace, abi.ImportFreeWorkspace, "expf", abi.ImportRaise},
		[]byte("TypeError\x00bad argument\x00"),
		Kernel{Name: "raise", Body: Seq(
			GlobalGet(0), GlobalGet(0), I32(10), I32Add, Call(0), I32(abi.ErrRaised))},
		Kernel{Name: "hoard", Body: Seq(Loop,
			I32(1), I32(0), I64(1), I32(2), I32(32), Call(1), BrIf(0),
			End, I32(abi.ErrRaised))},
		Kernel{Name: "raiseid", Body: Seq(
			Get(1), I32Load(abi.CellValue), Get(1), I64Load(abi.CellSize+abi.CellValue), I64(4), Call(4), I32(abi.ErrRaised))},
		Kernel{Name: "code", Body: Seq(Get(1), I32Load(abi.CellValue))},
		Kernel{Name: "work", I32s: 1, Body: Seq(
			I32(1), I32(0), Get(1), I64Load(abi.CellValue), I32(2), I32(32), Call(1), Set(4),
			Get(4), I32Eqz, If, I32(abi.ErrRaised), Return, End,
			Get(4), I32(7), I32Store(0),
			value(1), If, I32(1), I32(0), Get(4), Call(2), Drop, End,
			I32(abi.ErrNone))},
		Kernel{Name: "exp1", Body: Seq(
			value(0), I32Load(abi.DLTensorData), F32(1), Call(3), F32Store(0), I32(abi.ErrNone))},
	), abi.Message{Kind: "ValueError", Text: "too large"}, abi.Message{Kind: "IndexError", Text: "out", Fact: "$0 < $1"})
}
