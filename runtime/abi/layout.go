package abi

// The reserved part of linear memory, in bytes from address 0. Address 0 is the null
// pointer and nothing ever lies in the first 64 bytes.
const (
	// OldBudgetAddr is the address of an i32 in which kernels of artifacts made before
	// ImportStopped count down their work. ImportPoll, which they call, renews it. A store
	// of such a kernel can reach it; code that is generated now uses a global.
	OldBudgetAddr = 72

	// ResultAddr is the address of the cell that the runtime passes as result.
	ResultAddr = 128

	// ArgsAddr is the address of the array of cells that the runtime passes as args;
	// it has room for MaxArgs of them.
	ArgsAddr = 256

	// MaxArgs is the largest number of arguments of a kernel.
	MaxArgs = 1024

	// StackAddr is the start of the area for the local arrays of kernels (what
	// tvm_stack_alloca and small constant allocations become) and StackBytes its size.
	// A kernel called by the runtime owns all of it from StackAddr up; a kernel that
	// calls a subroutine hands on what lies beyond its own frame. Contents are
	// undefined at entry.
	StackAddr  = ArgsAddr + MaxArgs*CellSize
	StackBytes = 256<<10 - StackAddr

	// ReservedBytes is the end of the reserved part: tensors, workspaces and data
	// segments lie at or above it.
	ReservedBytes = 256 << 10

	// PageSize is the size of a page of WebAssembly memory.
	PageSize = 64 << 10

	// MemoryMinPages is the minimum that a kernel module declares for its memory import.
	MemoryMinPages = ReservedBytes / PageSize

	// DataAlign is the alignment of the data segments of a kernel module, of tensors
	// and of workspaces.
	DataAlign = 64
)

// A cell is a TVMFFIAny: what one packed argument or result occupies.
const (
	CellSize        = 16
	CellTypeIndex   = 0 // i32, one of the Type constants
	CellZeroPadding = 4 // i32, always zero
	CellValue       = 8 // i64, f64, or an i32 pointer zero-extended to 8 bytes
)

// A DLTensor describes a tensor in linear memory (DLPack's struct as wasm32 lays it out).
const (
	DLTensorSize  = 40
	DLTensorAlign = 8

	DLTensorData       = 0  // i32, address of the first byte
	DLTensorDeviceType = 4  // i32
	DLTensorDeviceID   = 8  // i32
	DLTensorNDim       = 12 // i32
	DLTensorTypeCode   = 16 // u8, a dtype.Code
	DLTensorTypeBits   = 17 // u8
	DLTensorTypeLanes  = 18 // u16
	DLTensorShape      = 20 // i32, address of NDim i64s
	DLTensorStrides    = 24 // i32, address of NDim i64s in elements, or 0 for a compact tensor
	DLTensorByteOffset = 32 // u64
)

// TensorObjectHeader is the number of bytes that stand before the DLTensor when an
// argument is a tensor object (TypeTensor) and not a plain DLTensor pointer: the object
// header of TVM FFI. The runtime passes TypeDLTensorPtr only.
const TensorObjectHeader = 24

// DLDeviceCPU is the DLPack device type of the linear memory, and DLDeviceID its index.
const (
	DLDeviceCPU = 1
	DLDeviceID  = 0
)

// PtrBits is the width of the pointers in descriptors of tensors: addresses of a device.
const PtrBits = 32
