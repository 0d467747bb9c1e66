package abi

import "testing"

func TestLayoutDoesNotOverlap(t *testing.T) {
	areas := []struct {
		name       string
		start, end int
	}{
		{"null", 0, 64},
		{"old budget", OldBudgetAddr, OldBudgetAddr + 4},
		{"result", ResultAddr, ResultAddr + CellSize},
		{"args", ArgsAddr, ArgsAddr + MaxArgs*CellSize},
		{"stack", StackAddr, StackAddr + StackBytes},
		{"heap", ReservedBytes, ReservedBytes + 1},
	}
	for i := 1; i < len(areas); i++ {
		if areas[i].start < areas[i-1].end {
			t.Errorf("%s starts at %d, before the end of %s at %d", areas[i].name, areas[i].start, areas[i-1].name, areas[i-1].end)
		}
	}
	if ReservedBytes%PageSize != 0 || ReservedBytes%DataAlign != 0 {
		t.Error("the heap does not start at a page")
	}
}

// TestStructFields compares the fields of a DLTensor with the offsets that a C compiler gives them for 32 and
// 64 bits, and with the constants for descriptors on a device.
func TestStructFields(t *testing.T) {
	for f, want := range map[StructField][3]int{
		KArrData: {DLTensorData, 0, 8}, KArrDeviceType: {DLTensorDeviceType, 8, 4}, KArrDeviceID: {DLTensorDeviceID, 12, 4},
		KArrNDim: {DLTensorNDim, 16, 4}, KArrTypeCode: {DLTensorTypeCode, 20, 1}, KArrTypeBits: {DLTensorTypeBits, 21, 1},
		KArrTypeLanes: {DLTensorTypeLanes, 22, 2}, KArrShape: {DLTensorShape, 24, 8}, KArrStrides: {DLTensorStrides, 32, 8},
		KArrByteOffset: {DLTensorByteOffset, 40, 8},
	} {
		narrow, size, ok := f.Offset(PtrBits)
		if !ok || narrow != want[0] || narrow+size > DLTensorSize || narrow%size != 0 {
			t.Errorf("%v with pointers of 32 bits: offset %d size %d ok %v", f, narrow, size, ok)
		}
		if off, size, ok := f.Offset(64); !ok || off != want[1] || size != want[2] {
			t.Errorf("%v with pointers of 64 bits: offset %d size %d ok %v", f, off, size, ok)
		}
		if _, _, ok := f.Offset(16); ok || f.StructSize(32) != DLTensorSize || f.StructSize(64) != 48 {
			t.Errorf("%v: sizes %d and %d, or pointers of 16 bits", f, f.StructSize(32), f.StructSize(64))
		}
	}
	for f := KTVMValueContent; f < KTVMValueKindBound; f++ {
		off, size, ok := f.Offset(64)
		if !ok || off+size > CellSize || f.StructSize(64) != CellSize {
			t.Errorf("%v: offset %d size %d ok %v", f, off, size, ok)
		}
	}
	for _, f := range []StructField{-1, KArrAddr, KArrKindBound, KTVMValueKindBound, 99} {
		if _, _, ok := f.Offset(PtrBits); ok {
			t.Errorf("%v (%d) has an offset", f, int(f))
		}
	}
	if KTVMFFIAnyUnionValue.String() != "kTVMFFIAnyUnionValue" || KArrDeviceType.String() != "kArrDeviceType" {
		t.Error("names are out of step with the numbers")
	}
}

func TestImports(t *testing.T) {
	for _, n := range append(MathNames(), ImportBudget, ImportStopped, ImportRaise, ImportPoll, ImportAllocWorkspace, ImportFreeWorkspace, ImportSetError) {
		if s, ok := Import(n); !ok || len(s.Params)+len(s.Results) == 0 {
			t.Errorf("Import(%q) = %v, %v", n, s, ok)
		}
	}
	if s, _ := Math("expf"); s.Params[0] != F32 || s.Results[0] != F32 {
		t.Errorf("expf is %v", s)
	}
	if s, _ := Math("erf"); s.Params[0] != F64 {
		t.Errorf("erf is %v, want float64", s)
	}
	if s, _ := Math("ldexpf"); s.Params[0] != F32 || s.Params[1] != I32 {
		t.Errorf("ldexpf is %v", s)
	}
	if _, ok := Math("f"); ok {
		t.Error("f is not a function")
	}
}
