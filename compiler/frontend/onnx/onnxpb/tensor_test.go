package onnxpb

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// typed encodes a tensor whose elements are varints in field num, packed or one by one.
func typed(t DataType, dims []int64, num protowire.Number, packed bool, vs ...int64) []byte {
	b := putInt(putInts(nil, 1, dims), 2, int64(t))
	if packed {
		return putInts(b, num, vs)
	}
	for _, v := range vs {
		b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
	}
	return b
}

func TestTypedIntegers(t *testing.T) {
	for _, tc := range []struct {
		typ    DataType
		num    protowire.Number
		dims   []int64
		values []int64
		want   []int64
	}{
		{Int8, 5, []int64{3}, []int64{-128, -1, 127}, []int64{-128, -1, 127}},
		{Uint8, 5, []int64{2}, []int64{0, 255}, []int64{0, 255}},
		{Bool, 5, []int64{2}, []int64{0, 1}, []int64{0, 1}},
		{Int16, 5, []int64{2}, []int64{-32768, 5}, []int64{-32768, 5}},
		{Uint16, 5, []int64{1}, []int64{65535}, []int64{65535}},
		{Int32, 5, []int64{2, 1}, []int64{-1, 1 << 30}, []int64{-1, 1 << 30}},
		{Int64, 7, []int64{2}, []int64{-1, 1 << 62}, []int64{-1, 1 << 62}},
		{Uint32, 11, []int64{1}, []int64{1<<32 - 1}, []int64{1<<32 - 1}},
		{Uint64, 11, []int64{1}, []int64{7}, []int64{7}},
		{Int4, 5, []int64{3}, []int64{0x7f, 0x08}, []int64{-1, 7, -8}},
		{Uint4, 5, []int64{3}, []int64{0x7f, 0x08}, []int64{15, 7, 8}},
		{Int2, 5, []int64{5}, []int64{0b11_10_01_00, 0b11}, []int64{0, 1, -2, -1, -1}},
		{Int64, 7, nil, []int64{9}, []int64{9}},
		{Int64, 7, []int64{0}, nil, []int64{}},
	} {
		for _, packed := range []bool{true, false} {
			x, err := ReadTensor(typed(tc.typ, tc.dims, tc.num, packed, tc.values...), Options{})
			if err != nil {
				t.Errorf("%v: %v", tc.typ, err)
				continue
			}
			got, err := x.Ints()
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%v: got %v, %v, want %v", tc.typ, got, err, tc.want)
			}
		}
	}
}

func TestTypedFloats(t *testing.T) {
	floats := func(packed bool, vs ...float32) []byte {
		b := putInt(putInts(nil, 1, []int64{int64(len(vs))}), 2, int64(Float))
		var p []byte
		for _, v := range vs {
			if packed {
				p = protowire.AppendFixed32(p, math.Float32bits(v))
				continue
			}
			b = protowire.AppendFixed32(protowire.AppendTag(b, 4, protowire.Fixed32Type), math.Float32bits(v))
		}
		return putPacked(b, 4, p)
	}
	for _, packed := range []bool{true, false} {
		x, err := ReadTensor(floats(packed, 1.5, -2), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := x.Floats(); err != nil || !reflect.DeepEqual(got, []float64{1.5, -2}) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	// float16 travels as bit patterns in int32_data.
	x, err := ReadTensor(typed(Float16, []int64{2}, 5, true, 0x3c00, 0xc000), Options{})
	if err != nil || !reflect.DeepEqual(x.Data, []byte{0, 0x3c, 0, 0xc0}) {
		t.Errorf("float16: %v, %v", x, err)
	}
}

func TestTensorErrors(t *testing.T) {
	for want, data := range map[string][]byte{
		"but the data is in int64_data":                          typed(Int8, []int64{1}, 7, true, 1),
		"value 300 does not fit int8":                            typed(Int8, []int64{1}, 5, true, 300),
		"need 2 values in int32_data, but it holds 1":            typed(Int8, []int64{2}, 5, true, 3),
		"data_type: unknown data type 99":                        typed(99, []int64{1}, 5, true, 3),
		"data_type: unknown undefined":                           {8, 1},
		"has data in both int32_data and int64_data":             putInts(typed(Int32, []int64{1}, 5, true, 3), 7, []int64{1}),
		"has data in both raw_data and int32_data":               putMessage(typed(Int32, []int64{1}, 5, true, 3), 9, make([]byte, 4)),
		"dims [3] make 3 strings, but string_data holds 0":       typed(String, []int64{3}, 7, true),
		"dims [4] of int32 make 16 bytes, but raw_data holds 15": putMessage(typed(Int32, []int64{4}, 5, true), 9, make([]byte, 15)),
	} {
		if _, err := ReadTensor(data, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func externalTensor(location string, length int) []byte {
	b := putInt(putInts(nil, 1, []int64{2}), 2, int64(Float))
	return putInt(putEntries(b, 13, []Entry{
		{"location", location}, {"offset", "4"}, {"length", strconv.Itoa(length)}, {"checksum", "ignored"},
	}), 14, 1)
}

func TestExternalData(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.bin")
	write := func(path string, n int) {
		if err := os.WriteFile(path, make([]byte, n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, 12)
	write(filepath.Join(dir, "w.bin"), 12)
	write(filepath.Join(dir, "short.bin"), 11)
	write(filepath.Join(dir, "linked.bin"), 12)
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "sub"), 0o755),
		os.Symlink(outside, filepath.Join(dir, "sym.bin")),
		os.Symlink("w.bin", filepath.Join(dir, "inner.bin")),
		os.Symlink("sub", filepath.Join(dir, "symdir")),
		os.Link(filepath.Join(dir, "linked.bin"), filepath.Join(dir, "second.bin")),
	} {
		if err != nil {
			t.Skipf("the file system lacks links: %v", err)
		}
	}
	write(filepath.Join(dir, "sub", "w.bin"), 12)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tc := range []struct {
		location string
		length   int
		want     string // of the error; empty for none
	}{
		{"w.bin", 8, ""},
		{"sub/w.bin", 8, ""},
		{"./w.bin", 8, ""},
		{"w.bin", 7, "make 8 bytes, but external_data says length 7"},
		{"short.bin", 8, "beyond its end at 11"},
		{"sym.bin", 8, "symbolic link"},
		{"inner.bin", 8, "symbolic link"},
		{"symdir/w.bin", 8, "symbolic link"},
		{"linked.bin", 8, "hard link"},
		{"sub", 8, "not a regular file"},
		{"absent.bin", 8, "no such file"},
		{"../" + filepath.Base(filepath.Dir(outside)) + "/outside.bin", 8, "without .."},
		{"sub/../../x", 8, "without .."},
		{outside, 8, "relative path"},
		{"", 8, "no location"},
	} {
		x, err := ReadTensor(externalTensor(tc.location, tc.length), Options{External: root})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.location, err)
		case tc.want == "" && len(x.Data) != 8:
			t.Errorf("%s: read %d bytes", tc.location, len(x.Data))
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want %q", tc.location, err, tc.want)
		}
	}
}
