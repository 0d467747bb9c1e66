// Package dtype holds the element types that the compiler and the runtime share:
// a code, a width in bits and a number of vector lanes, spelled as TVM spells them
// ("float32", "int8", "bool", "float32x4", "handle").
//
// Everything may import it; it imports nothing of ours.
package dtype

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Code says how the bits of an element are read.
type Code uint8

// The codes; Int, UInt, Float, Handle and BFloat carry DLPack's numbers.
const (
	Int    Code = 0
	UInt   Code = 1
	Float  Code = 2
	Handle Code = 3
	BFloat Code = 4
	Bool   Code = 6

	Float8E3M4     Code = 7
	Float8E4M3     Code = 8
	Float8E4M3B11  Code = 9
	Float8E4M3FN   Code = 10
	Float8E4M3FNUZ Code = 11
	Float8E5M2     Code = 12
	Float8E5M2FNUZ Code = 13
	Float8E8M0FNU  Code = 14
	Float6E2M3FN   Code = 15
	Float6E3M2FN   Code = 16
	Float4E2M1FN   Code = 17
)

// DType is an element type. The zero value is Void: no type at all. A Scalable vector has a multiple of
// Lanes lanes, by a factor (vscale) that only the machine knows; it is 1 on all that have no such vectors.
type DType struct {
	Code     Code
	Bits     uint8
	Lanes    uint16
	Scalable bool
}

// The types that code names most often.
var (
	Void      = DType{}
	Int4T     = DType{Code: Int, Bits: 4, Lanes: 1}
	Int8T     = DType{Code: Int, Bits: 8, Lanes: 1}
	Int16T    = DType{Code: Int, Bits: 16, Lanes: 1}
	Int32T    = DType{Code: Int, Bits: 32, Lanes: 1}
	Int64T    = DType{Code: Int, Bits: 64, Lanes: 1}
	UInt8T    = DType{Code: UInt, Bits: 8, Lanes: 1}
	UInt16T   = DType{Code: UInt, Bits: 16, Lanes: 1}
	UInt32T   = DType{Code: UInt, Bits: 32, Lanes: 1}
	UInt64T   = DType{Code: UInt, Bits: 64, Lanes: 1}
	Float16T  = DType{Code: Float, Bits: 16, Lanes: 1}
	Float32T  = DType{Code: Float, Bits: 32, Lanes: 1}
	Float64T  = DType{Code: Float, Bits: 64, Lanes: 1}
	BFloat16T = DType{Code: BFloat, Bits: 16, Lanes: 1}
	BoolT     = DType{Code: Bool, Bits: 8, Lanes: 1}
	HandleT   = DType{Code: Handle, Bits: 64, Lanes: 1}
)

var codeNames = [...]struct {
	name  string
	code  Code
	fixed uint8 // bits that the name implies; 0 where a number follows it
}{
	{"float8_e3m4", Float8E3M4, 8},
	{"float8_e4m3b11fnuz", Float8E4M3B11, 8},
	{"float8_e4m3fnuz", Float8E4M3FNUZ, 8},
	{"float8_e4m3fn", Float8E4M3FN, 8},
	{"float8_e4m3", Float8E4M3, 8},
	{"float8_e5m2fnuz", Float8E5M2FNUZ, 8},
	{"float8_e5m2", Float8E5M2, 8},
	{"float8_e8m0fnu", Float8E8M0FNU, 8},
	{"float6_e2m3fn", Float6E2M3FN, 6},
	{"float6_e3m2fn", Float6E3M2FN, 6},
	{"float4_e2m1fn", Float4E2M1FN, 4},
	{"bool", Bool, 8},
	{"handle", Handle, 64},
	{"bfloat", BFloat, 0},
	{"float", Float, 0},
	{"uint", UInt, 0},
	{"int", Int, 0},
}

// Parse reads a type as TVM writes it. The empty string and "void" give Void, and uint1, the older name of bool, gives that.
func Parse(s string) (DType, error) {
	if s == "" || s == "void" {
		return Void, nil
	}
	for _, c := range codeNames {
		rest, ok := strings.CutPrefix(s, c.name)
		if !ok {
			continue
		}
		d := DType{Code: c.code, Bits: c.fixed, Lanes: 1}
		if c.fixed == 0 {
			n := 0
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			bits, err := strconv.ParseUint(rest[:n], 10, 8)
			if err != nil || !validBits(c.code, uint8(bits)) {
				break
			}
			d.Bits, rest = uint8(bits), rest[n:]
			if c.code == UInt && bits == 1 {
				d.Code, d.Bits = Bool, BoolT.Bits
			}
		}
		if rest != "" {
			lanes, ok := strings.CutPrefix(rest, "x")
			lanes, d.Scalable = strings.CutPrefix(lanes, "vscalex")
			n, err := strconv.ParseUint(lanes, 10, 16)
			if !ok || err != nil || n == 0 {
				break
			}
			d.Lanes = uint16(n)
		}
		return d, nil
	}
	return Void, fmt.Errorf("unknown element type %q: expected one like float32, int64, uint8, bool, bfloat16, float8_e4m3fn or float32x4", s)
}

func validBits(c Code, bits uint8) bool {
	switch c {
	case Float:
		return bits == 8 || bits == 16 || bits == 32 || bits == 64
	case BFloat:
		return bits == 16
	}
	return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64
}

// MustParse is Parse for types written in source code; it panics on a bad one.
func MustParse(s string) DType {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// String spells d as TVM does; Void is "void".
func (d DType) String() string {
	if d.Scalable {
		return d.Elem().elem() + "xvscalex" + strconv.Itoa(int(d.Lanes))
	}
	s := d.elem()
	if d.Lanes > 1 {
		return s + "x" + strconv.Itoa(int(d.Lanes))
	}
	return s
}

func (d DType) elem() string {
	switch d {
	case Void:
		return "void"
	case Float32T:
		return "float32"
	case Int64T:
		return "int64"
	case Int32T:
		return "int32"
	}
	for _, c := range codeNames {
		if c.code == d.Code {
			if c.fixed != 0 {
				return c.name
			}
			return c.name + strconv.Itoa(int(d.Bits))
		}
	}
	return fmt.Sprintf("dtype(%d,%d)", d.Code, d.Bits)
}

// Bytes is the storage of one element of all lanes; types below a byte are padded
// to whole bytes for each vector.
func (d DType) Bytes() int { return (int(d.Bits)*int(d.Lanes) + 7) / 8 }

// WithLanes returns d with n lanes.
func (d DType) WithLanes(n int) DType { d.Lanes, d.Scalable = uint16(n), false; return d }

// LikeVector returns d with as many lanes as v has.
func (d DType) LikeVector(v DType) DType { d.Lanes, d.Scalable = v.Lanes, v.Scalable; return d }

// Elem returns d with one lane.
func (d DType) Elem() DType { return d.WithLanes(1) }

// IsVoid reports whether d is no type.
func (d DType) IsVoid() bool { return d == Void }

// IsInt reports whether d is a signed integer.
func (d DType) IsInt() bool { return d.Code == Int && d.Bits != 0 }

// IsUInt reports whether d is an unsigned integer, bool excluded.
func (d DType) IsUInt() bool { return d.Code == UInt }

// IsBool reports whether d is bool, with any number of lanes.
func (d DType) IsBool() bool { return d.Code == Bool }

// IsHandle reports whether d is a pointer.
func (d DType) IsHandle() bool { return d.Code == Handle }

// IsFloat reports whether d is any floating-point type, bfloat16 and the 8-bit kinds included.
func (d DType) IsFloat() bool {
	return d.Code == Float || d.Code == BFloat || (d.Code >= Float8E3M4 && d.Code != Bool)
}

// IsInteger reports whether d is a signed or unsigned integer; bool is not one.
func (d DType) IsInteger() bool { return d.IsInt() || d.IsUInt() }

// IntLimits returns the least and the greatest value of an integer type or bool, 0 and 0 for other types. Those of unsigned types of 64 bits end
// at the greatest int64.
func (d DType) IntLimits() (lo, hi int64) {
	switch {
	case d.IsInt():
		return math.MinInt64 >> (64 - d.Bits), math.MaxInt64 >> (64 - d.Bits)
	case d.IsUInt() && d.Bits == 64:
		return 0, math.MaxInt64
	case d.IsUInt():
		return 0, 1<<d.Bits - 1
	case d.IsBool():
		return 0, 1
	}
	return 0, 0
}

// Accumulator is the element type in which sums and products of many elements of type d are
// computed, to be rounded once at the end: float32 for narrower floating-point types, d itself
// for all others.
func (d DType) Accumulator() DType {
	if d.IsFloat() && d.Bits < 32 {
		return Float32T.LikeVector(d)
	}
	return d
}

// IsScalar reports whether d has one lane.
func (d DType) IsScalar() bool { return d.Lanes == 1 && !d.Scalable }
