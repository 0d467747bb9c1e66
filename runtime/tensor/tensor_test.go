package tensor

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		n     int64
	}{{nil, 1}, {[]int64{0, 1 << 62, 1 << 62}, 0}, {[]int64{2, 3}, 6}, {[]int64{1 << 40}, 1 << 40}} {
		if n, err := NumElements(c.shape); n != c.n || err != nil {
			t.Errorf("NumElements(%v) = %d, %v", c.shape, n, err)
		}
	}
	for _, shape := range [][]int64{{1 << 40}, {1 << 62, 1 << 62}, {1 << 32, 1 << 32}} {
		if _, err := New(dtype.Float32T, shape); !errors.Is(err, ErrTooLarge) {
			t.Errorf("New(%v): %v", shape, err)
		}
	}
	if _, err := New(dtype.Float32T, []int64{2, -1}); err == nil || !strings.Contains(err.Error(), "dimension 1 is -1") {
		t.Errorf("negative dimension: %v", err)
	}
	if _, err := New(dtype.Void, nil); err == nil {
		t.Error("a void tensor was made")
	}
	if _, err := FromBytes(dtype.Float32T, []int64{2}, make([]byte, 7)); err == nil {
		t.Error("seven bytes were taken for two floats")
	}
}

func TestViews(t *testing.T) {
	vals := []float32{1, 2, 3, 4, 5, 6}
	a := MustOf([]int64{2, 3}, vals)
	v, err := View[float32](a)
	if err != nil || !slices.Equal(v, vals) {
		t.Fatalf("View = %v, %v", v, err)
	}
	if _, err := View[int32](a); err == nil {
		t.Error("float32 viewed as int32")
	}
	raw := make([]byte, 9)
	u, err := FromBytes(dtype.Float64T, []int64{1}, raw[1:])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := View[float64](u); err != nil {
		t.Errorf("FromBytes kept unaligned data: %v", err)
	}
	r, err := a.Reshape([]int64{3, 2})
	if err != nil || r.Float(5) != 6 {
		t.Errorf("Reshape: %v", err)
	}
	if _, err := a.Reshape([]int64{4}); err == nil {
		t.Error("six elements reshaped to four")
	}
	if a.String() != "float32[2, 3]" {
		t.Errorf("String = %s", a)
	}
}

var numeric = []string{
	"bool", "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64",
	"float16", "float32", "float64", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
	"float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn",
}

// TestEveryCodeRoundTrips decodes each bit pattern of the small types and encodes it again.
func TestEveryCodeRoundTrips(t *testing.T) {
	for _, name := range numeric {
		dt := dtype.MustParse(name)
		codes := 1 << min(16, dt.Bits)
		if dt.IsBool() {
			codes = 2
		}
		x, y := MustNew(dt, 1), MustNew(dt, 1)
		for c := range codes {
			x.Data[0] = byte(c)
			if len(x.Data) > 1 {
				x.Data[1] = byte(c >> 8)
			}
			f := x.Float(0)
			y.SetFloat(0, f)
			if f != f {
				if g := y.Float(0); g == g && name != "float4_e2m1fn" {
					t.Errorf("%s: NaN %#x encodes to %v", name, c, g)
				}
				continue
			}
			if dt.Bits <= 16 && !slices.Equal(x.Data, y.Data) {
				t.Errorf("%s: %#x decodes to %v, which encodes to %#x", name, c, f, y.Data)
			}
		}
	}
}

func TestSmallFloats(t *testing.T) {
	for _, c := range []struct {
		typ       string
		in        float64
		want      float64
		wantIsNaN bool
	}{
		{"float8_e4m3fn", 448, 448, false},
		{"float8_e4m3fn", 463, 448, false},
		{"float8_e4m3fn", 1e6, 0, true},
		{"float8_e4m3fn", 0x1p-9, 0x1p-9, false},
		{"float8_e5m2", 1e9, math.Inf(1), false},
		{"float8_e5m2", 57344, 57344, false},
		{"float8_e4m3fnuz", 240, 240, false},
		{"float8_e4m3fnuz", math.Copysign(0, -1), 0, false},
		{"float8_e8m0fnu", 5, 4, false},
		{"float8_e8m0fnu", 7, 8, false},
		{"float4_e2m1fn", 100, 6, false},
		{"float4_e2m1fn", -2.5, -2, false},
		{"bfloat16", 1 + 0x1p-8, 1, false},
		{"bfloat16", 1 + 3*0x1p-8, 1 + 0x1p-6, false},
		{"float16", 65504, 65504, false},
		{"int4", -8, -8, false},
		{"int4", 8, -8, false},
		{"uint8", 257, 1, false},
		{"uint64", 1 << 63, 1 << 63, false},
	} {
		x := MustNew(dtype.MustParse(c.typ))
		x.SetFloat(0, c.in)
		got := x.Float(0)
		if c.wantIsNaN != (got != got) || !c.wantIsNaN && got != c.want {
			t.Errorf("%s: %v became %v, want %v", c.typ, c.in, got, c.want)
		}
	}
}

// TestRoundsToNearest checks every small float against a search through all of its numbers.
func TestRoundsToNearest(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"float8_e3m4", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float4_e2m1fn"}).Draw(t, "type")
		x := MustNew(dtype.MustParse(name))
		v := rapid.Float64Range(-6, 6).Draw(t, "v")
		x.SetFloat(0, v)
		got := math.Abs(x.Float(0) - v)
		for c := range 1 << x.DType.Bits {
			y := MustNew(x.DType)
			y.Data[0] = byte(c)
			if d := math.Abs(y.Float(0) - v); d < got {
				t.Fatalf("%s: %v became %v, but %v is nearer", name, v, x.Float(0), y.Float(0))
			}
		}
	})
}

func TestConvert(t *testing.T) {
	a := MustOf([]int64{3}, []int64{-1, 1 << 62, 7})
	b, err := a.Convert(dtype.Int32T)
	if err != nil || !slices.Equal(b.Ints(), []int64{-1, 0, 7}) {
		t.Errorf("Convert = %v, %v", b.Ints(), err)
	}
	if _, err := a.Convert(dtype.HandleT); err == nil {
		t.Error("converted to handles")
	}
	f, _ := MustOf([]int64{2}, []float32{1.75, -2.5}).Convert(dtype.Int64T)
	if !slices.Equal(f.Ints(), []int64{1, -2}) {
		t.Errorf("floats became %v", f.Ints())
	}
}

func TestCompare(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	want := MustOf([]int64{5}, []float32{1, 100, nan, inf, 0})
	tol := Tolerance{RTol: 1e-3, ATol: 1e-3}
	d, err := Compare(MustOf([]int64{5}, []float32{1.001, 100.05, nan, inf, 0}), want, tol)
	if err != nil || !d.OK() || d.MaxAbsIndex != 1 || d.MaxRelIndex != 0 {
		t.Errorf("%+v %v", d, err)
	}
	d, _ = Compare(MustOf([]int64{5}, []float32{1, 101, nan, -inf, 1}), want, tol)
	if d.OK() || d.Mismatches != 3 || d.First != 1 || !math.IsInf(d.MaxAbs, 1) || d.MaxAbsIndex != 3 {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(d.String(), "3 of 5 elements differ, first at 1") {
		t.Error(d)
	}
	if d, _ := Compare(MustOf([]int64{1}, []float32{5}), MustOf([]int64{1}, []float32{nan}), Tolerance{ATol: math.Inf(1)}); d.OK() {
		t.Error("5 equals NaN")
	}
	big := MustOf([]int64{1}, []int64{1<<62 + 1})
	if d, _ := Compare(big, MustOf([]int64{1}, []int64{1 << 62}), Tolerance{}); d.OK() || d.MaxAbs != 1 {
		t.Errorf("integers were rounded: %+v", d)
	}
	if d, _ := Compare(MustOf([]int64{1}, []uint64{1 << 63}), MustOf([]int64{1}, []uint64{1}), Tolerance{}); d.MaxAbs != 1<<63-1 {
		t.Errorf("unsigned difference is %v", d.MaxAbs)
	}
	if _, err := Compare(big, want, tol); err == nil {
		t.Error("types differ without an error")
	}
	if _, err := Compare(want, MustNew(dtype.Float32T, 5, 1), tol); err == nil {
		t.Error("shapes differ without an error")
	}
}

func TestFillIsSeeded(t *testing.T) {
	for _, name := range numeric {
		dt := dtype.MustParse(name)
		a, b, c := MustNew(dt, 64), MustNew(dt, 64), MustNew(dt, 64)
		a.Random(1)
		b.Random(1)
		c.Random(2)
		if !slices.Equal(a.Data, b.Data) {
			t.Errorf("%s: one seed, two results", name)
		}
		if slices.Equal(a.Data, c.Data) {
			t.Errorf("%s: two seeds, one result", name)
		}
		if s := a.Summarize(0); s.NaNs+s.Infs > 0 || s.Max > 9 {
			t.Errorf("%s: %v", name, s)
		}
	}
}

func TestSummary(t *testing.T) {
	s := MustOf([]int64{4}, []float32{1, float32(math.NaN()), 3, float32(math.Inf(1))}).Summarize(2)
	if s.Min != 1 || s.Max != 3 || s.Mean != 2 || s.NaNs != 1 || s.Infs != 1 {
		t.Errorf("%+v", s)
	}
	if got := s.String(); got != "min 1 max 3 mean 2 nan 1 inf 1 [1, NaN, ...]" {
		t.Error(got)
	}
	if s := MustNew(dtype.BoolT, 2).Summarize(8); s.First[0] != "false" {
		t.Errorf("%+v", s)
	}
}

func BenchmarkCompare(b *testing.B) {
	x := MustNew(dtype.Float32T, 1<<20)
	x.Random(1)
	b.SetBytes(int64(len(x.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(x, x, Tolerance{}); err != nil {
			b.Fatal(err)
		}
	}
}
