package abi

// MaxExtent is the largest extent of a tensor that the virtual machine takes where an extent
// is symbolic. So shapes can be computed in int32 and int64 alike, as models do that cast
// them to and fro.
const MaxExtent = 1<<31 - 1

// The type indices of packed values, as TVM FFI numbers them.
const (
	TypeNone            = 0
	TypeInt             = 1
	TypeBool            = 2
	TypeFloat           = 3
	TypeOpaquePtr       = 4
	TypeDataType        = 5
	TypeDevice          = 6
	TypeDLTensorPtr     = 7
	TypeRawStr          = 8
	TypeByteArrayPtr    = 9
	TypeObjectRValueRef = 10
	TypeSmallStr        = 11
	TypeSmallBytes      = 12

	TypeStaticObjectBegin = 64
	TypeObject            = 64
	TypeStr               = 65
	TypeBytes             = 66
	TypeError             = 67
	TypeFunction          = 68
	TypeShape             = 69
	TypeTensor            = 70
	TypeArray             = 71
	TypeMap               = 72
	TypeModule            = 73
)

// StructField is the third argument of tvm_struct_get and tvm_struct_set: which field
// of which struct is meant (TVMStructFieldKind of TVM v0.23).
type StructField int

// The fields. Those of an array element (kArr...) read the DLTensor at handle[index];
// the others read cell number index of an array of cells.
const (
	KArrAddr       StructField = 0
	KArrData       StructField = 1
	KArrShape      StructField = 2
	KArrStrides    StructField = 3
	KArrNDim       StructField = 4
	KArrTypeCode   StructField = 5
	KArrTypeBits   StructField = 6
	KArrTypeLanes  StructField = 7
	KArrByteOffset StructField = 8
	KArrDeviceID   StructField = 9
	KArrDeviceType StructField = 10
	KArrKindBound  StructField = 11

	KTVMValueContent      StructField = 12
	KTVMFFIAnyTypeIndex   StructField = 13
	KTVMFFIAnyZeroPadding StructField = 14
	KTVMFFIAnyUnionValue  StructField = 15
	KTVMValueKindBound    StructField = 16
)

// String spells f as TVM's source does.
func (f StructField) String() string {
	names := [...]string{
		"kArrAddr", "kArrData", "kArrShape", "kArrStrides", "kArrNDim", "kArrTypeCode", "kArrTypeBits",
		"kArrTypeLanes", "kArrByteOffset", "kArrDeviceId", "kArrDeviceType", "kArrKindBound_",
		"kTVMValueContent", "kTVMFFIAnyTypeIndex", "kTVMFFIAnyZeroPadding", "kTVMFFIAnyUnionValue", "kTVMValueKindBound_",
	}
	if f < 0 || int(f) >= len(names) {
		return "unknown struct field"
	}
	return names[f]
}

// Offset is where f lies in its struct and size how many bytes it has there, where pointers have ptrBits: 32
// in descriptors on a device, 64 in those of C on a machine of 64 bits. ok is false for the bounds, for
// kArrAddr (the address of the struct itself, nothing is loaded), for unknown fields and other widths. A cell's
// value has 8 bytes, of which a pointer of 32 bits uses the first 4.
func (f StructField) Offset(ptrBits int) (offset, size int, ok bool) {
	switch f {
	case KTVMFFIAnyTypeIndex:
		return CellTypeIndex, 4, true
	case KTVMFFIAnyZeroPadding:
		return CellZeroPadding, 4, true
	case KTVMValueContent, KTVMFFIAnyUnionValue:
		return CellValue, 8, true
	}
	if f <= KArrAddr || f >= KArrKindBound || ptrBits != 32 && ptrBits != 64 {
		return 0, 0, false
	}
	// The fields in the order of DLPack's struct; each lies at a multiple of its size.
	ptr := ptrBits / 8
	for _, x := range []struct {
		field StructField
		size  int
	}{
		{KArrData, ptr},
		{KArrDeviceType, 4},
		{KArrDeviceID, 4},
		{KArrNDim, 4},
		{KArrTypeCode, 1},
		{KArrTypeBits, 1},
		{KArrTypeLanes, 2},
		{KArrShape, ptr},
		{KArrStrides, ptr},
		{KArrByteOffset, 8},
	} {
		offset = (offset + x.size - 1) / x.size * x.size
		if x.field == f {
			return offset, x.size, true
		}
		offset += x.size
	}
	return 0, 0, false
}

// StructSize is the distance from element index to index+1 for f, a DLTensor's or a cell's.
func (f StructField) StructSize(ptrBits int) int {
	if f >= KArrKindBound {
		return CellSize
	}
	end, size, _ := KArrByteOffset.Offset(ptrBits)
	return end + size
}
