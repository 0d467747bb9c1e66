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

func TestStructFields(t *testing.T) {
	for f := KArrData; f < KArrKindBound; f++ {
		off, size, ok := f.Offset()
		if !ok || off%size != 0 || off+size > DLTensorSize || f.StructSize() != DLTensorSize {
			t.Errorf("%v: offset %d size %d ok %v", f, off, size, ok)
		}
	}
	for f := KTVMValueContent; f < KTVMValueKindBound; f++ {
		off, size, ok := f.Offset()
		if !ok || off+size > CellSize || f.StructSize() != CellSize {
			t.Errorf("%v: offset %d size %d ok %v", f, off, size, ok)
		}
	}
	for _, f := range []StructField{-1, KArrAddr, KArrKindBound, KTVMValueKindBound, 99} {
		if _, _, ok := f.Offset(); ok {
			t.Errorf("%v (%d) has an offset", f, int(f))
		}
	}
	if KTVMFFIAnyUnionValue.String() != "kTVMFFIAnyUnionValue" || KArrDeviceType.String() != "kArrDeviceType" {
		t.Error("names are out of step with the numbers")
	}
}

func TestImports(t *testing.T) {
	for _, n := range append(MathNames(), ImportStopped, ImportRaise, ImportPoll, ImportAllocWorkspace, ImportFreeWorkspace, ImportSetError) {
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
		t.Error("f is no function")
	}
}
