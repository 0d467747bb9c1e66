package dtype

import "testing"

func TestRoundTrip(t *testing.T) {
	for _, s := range []string{
		"float32", "float16", "float64", "bfloat16", "int4", "int8", "int32", "int64", "uint8", "uint64", "bool", "handle",
		"float32x4", "int8x16", "boolx4", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8",
		"float32xvscalex4", "boolxvscalex16", "int8xvscalex1", "void",
	} {
		d, err := Parse(s)
		if err != nil {
			t.Fatalf("Parse(%q): %v", s, err)
		}
		if got := d.String(); got != s {
			t.Errorf("Parse(%q).String() = %q", s, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"float", "float33", "int", "int3", "bfloat32", "float32x", "float32x0", "float32xvscale", "float32xvscalex0", "float32xvscalexvscalex2", "float6", "float32y4", "foo", "int99999"} {
		if d, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, d)
		}
	}
}

func TestKinds(t *testing.T) {
	if !BFloat16T.IsFloat() || !MustParse("float8_e5m2").IsFloat() || BoolT.IsFloat() || BoolT.IsInteger() || Void.IsInt() {
		t.Error("kind predicates disagree with the codes")
	}
	if got := Float32T.WithLanes(4).Bytes(); got != 16 {
		t.Errorf("float32x4 has %d bytes", got)
	}
	v := MustParse("float32xvscalex4")
	if v == Float32T.WithLanes(4) || v.Elem() != Float32T || BoolT.LikeVector(v).String() != "boolxvscalex4" || v.WithLanes(2).String() != "float32x2" || v.IsScalar() {
		t.Errorf("%s is not told from vectors of fixed length", v)
	}
	if got := Int4T.Bytes(); got != 1 {
		t.Errorf("int4 has %d bytes", got)
	}
}

func TestIntLimits(t *testing.T) {
	for name, want := range map[string][2]int64{
		"bool": {0, 1}, "int1": {-1, 0}, "int4": {-8, 7}, "uint4": {0, 15}, "int8": {-128, 127}, "uint32": {0, 1<<32 - 1}, "int64": {-1 << 63, 1<<63 - 1},
		"uint64": {0, 1<<63 - 1}, "int32x4": {-1 << 31, 1<<31 - 1}, "float32": {}, "void": {},
	} {
		if lo, hi := MustParse(name).IntLimits(); lo != want[0] || hi != want[1] {
			t.Errorf("%s holds %d to %d, want %d", name, lo, hi, want)
		}
	}
}

func TestTheOlderNameOfBool(t *testing.T) {
	for name, want := range map[string]string{"uint1": "bool", "uint1x4": "boolx4", "int1": "int1"} {
		if d, err := Parse(name); err != nil || d.String() != want {
			t.Errorf("%s reads as %s (%v), want %s", name, d, err, want)
		}
	}
}
