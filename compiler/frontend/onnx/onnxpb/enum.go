package onnxpb

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/runtime/dtype"
)

// DataType is TensorProto.DataType.
type DataType int32

// The element types of ONNX.
const (
	Undefined      DataType = 0
	Float          DataType = 1
	Uint8          DataType = 2
	Int8           DataType = 3
	Uint16         DataType = 4
	Int16          DataType = 5
	Int32          DataType = 6
	Int64          DataType = 7
	String         DataType = 8
	Bool           DataType = 9
	Float16        DataType = 10
	Double         DataType = 11
	Uint32         DataType = 12
	Uint64         DataType = 13
	Complex64      DataType = 14
	Complex128     DataType = 15
	Bfloat16       DataType = 16
	Float8E4M3FN   DataType = 17
	Float8E4M3FNUZ DataType = 18
	Float8E5M2     DataType = 19
	Float8E5M2FNUZ DataType = 20
	Uint4          DataType = 21
	Int4           DataType = 22
	Float4E2M1     DataType = 23
	Float8E8M0     DataType = 24
	Uint2          DataType = 25
	Int2           DataType = 26
)

// typedField is the TensorProto field that holds elements of a type where raw_data does not.
type typedField uint8

const (
	noField typedField = iota
	floatData
	int32Data
	int64Data
	doubleData
	uint64Data
	stringData
)

func (f typedField) String() string {
	return [...]string{"no field", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data"}[f]
}

var dataTypes = [...]struct {
	name  string
	bits  int // 0 for strings
	field typedField
}{
	Undefined:      {"undefined", 0, noField},
	Float:          {"float32", 32, floatData},
	Uint8:          {"uint8", 8, int32Data},
	Int8:           {"int8", 8, int32Data},
	Uint16:         {"uint16", 16, int32Data},
	Int16:          {"int16", 16, int32Data},
	Int32:          {"int32", 32, int32Data},
	Int64:          {"int64", 64, int64Data},
	String:         {"string", 0, stringData},
	Bool:           {"bool", 8, int32Data},
	Float16:        {"float16", 16, int32Data},
	Double:         {"float64", 64, doubleData},
	Uint32:         {"uint32", 32, uint64Data},
	Uint64:         {"uint64", 64, uint64Data},
	Complex64:      {"complex64", 64, floatData},
	Complex128:     {"complex128", 128, doubleData},
	Bfloat16:       {"bfloat16", 16, int32Data},
	Float8E4M3FN:   {"float8_e4m3fn", 8, int32Data},
	Float8E4M3FNUZ: {"float8_e4m3fnuz", 8, int32Data},
	Float8E5M2:     {"float8_e5m2", 8, int32Data},
	Float8E5M2FNUZ: {"float8_e5m2fnuz", 8, int32Data},
	Uint4:          {"uint4", 4, int32Data},
	Int4:           {"int4", 4, int32Data},
	Float4E2M1:     {"float4_e2m1fn", 4, int32Data},
	Float8E8M0:     {"float8_e8m0fnu", 8, int32Data},
	Uint2:          {"uint2", 2, int32Data},
	Int2:           {"int2", 2, int32Data},
}

// Valid reports whether t is a type that the format defines, Undefined excluded.
func (t DataType) Valid() bool { return t > Undefined && int(t) < len(dataTypes) }

// String spells t as dtype does where both know it ("float32", "int64", "string").
func (t DataType) String() string {
	if t >= 0 && int(t) < len(dataTypes) {
		return dataTypes[t].name
	}
	return "data type " + strconv.Itoa(int(t))
}

// Bits is the width of one element in raw_data; 0 for strings.
func (t DataType) Bits() int {
	if !t.Valid() {
		return 0
	}
	return dataTypes[t].bits
}

func (t DataType) field() typedField {
	if !t.Valid() {
		return noField
	}
	return dataTypes[t].field
}

// DType returns the compiler's element type for t; strings and complex numbers have none.
func (t DataType) DType() (dtype.DType, error) {
	switch {
	case !t.Valid() || t == String || t == Complex64 || t == Complex128:
		return dtype.Void, fmt.Errorf("element type %v has no counterpart in the compiler", t)
	}
	return dtype.Parse(dataTypes[t].name)
}

// FromDType is the inverse of DataType.DType; it returns Undefined for what ONNX lacks.
func FromDType(d dtype.DType) DataType {
	name := d.String()
	for t := range dataTypes {
		if t != int(Undefined) && dataTypes[t].name == name {
			return DataType(t)
		}
	}
	return Undefined
}

// AttrType is AttributeProto.AttributeType.
type AttrType int32

// The kinds of attribute value.
const (
	AttrUndefined     AttrType = 0
	AttrFloat         AttrType = 1
	AttrInt           AttrType = 2
	AttrString        AttrType = 3
	AttrTensor        AttrType = 4
	AttrGraph         AttrType = 5
	AttrFloats        AttrType = 6
	AttrInts          AttrType = 7
	AttrStrings       AttrType = 8
	AttrTensors       AttrType = 9
	AttrGraphs        AttrType = 10
	AttrSparseTensor  AttrType = 11
	AttrSparseTensors AttrType = 12
	AttrTypeProto     AttrType = 13
	AttrTypeProtos    AttrType = 14
)

var attrNames = [...]string{
	"undefined", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors",
	"graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos",
}

// String spells t in lower case: "ints", "type_proto".
func (t AttrType) String() string {
	if t >= 0 && int(t) < len(attrNames) {
		return attrNames[t]
	}
	return "attribute type " + strconv.Itoa(int(t))
}

// String spells d: "3", "batch" or "?".
func (d Dim) String() string {
	switch {
	case d.HasValue:
		return strconv.FormatInt(d.Value, 10)
	case d.Param != "":
		return d.Param
	}
	return "?"
}
