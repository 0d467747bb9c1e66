// Package npy reads and writes tensors in NumPy's .npy format, versions 1 to 3
// (numpy.lib.format). Arrays in Fortran order and of foreign byte order are brought into
// the order that tensor.Tensor has.
//
// The command line and tests import it. It knows nothing of models or devices.
package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10
	chunk     = 1 << 20
)

// descr pairs NumPy's type strings, byte order aside, with element types.
var descr = []struct {
	name string
	dt   dtype.DType
}{
	{"b1", dtype.BoolT},
	{"i1", dtype.Int8T},
	{"i2", dtype.Int16T},
	{"i4", dtype.Int32T},
	{"i8", dtype.Int64T},
	{"u1", dtype.UInt8T},
	{"u2", dtype.UInt16T},
	{"u4", dtype.UInt32T},
	{"u8", dtype.UInt64T},
	{"f2", dtype.Float16T},
	{"f4", dtype.Float32T},
	{"f8", dtype.Float64T},
}

// Write writes t in format version 1. Types that NumPy lacks (bfloat16, int4, the 8-bit
// floats, vectors) are refused by name: convert them first.
func Write(w io.Writer, t *tensor.Tensor) error {
	i := slices.IndexFunc(descr, func(d struct {
		name string
		dt   dtype.DType
	},
	) bool {
		return d.dt == t.DType
	})
	if i < 0 {
		return fmt.Errorf("writing .npy: NumPy has no element type %v; convert the tensor to float32 or int64 first", t.DType)
	}
	order := "<"
	if t.DType.Bytes() == 1 {
		order = "|"
	}
	var shape strings.Builder
	for _, d := range t.Shape {
		fmt.Fprintf(&shape, "%d, ", d)
	}
	dims := strings.TrimSuffix(shape.String(), " ")
	if len(t.Shape) > 1 {
		dims = strings.TrimSuffix(dims, ",")
	}
	head := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, descr[i].name, dims)
	const fixed = len(magic) + 4
	pad := 63 - (fixed+len(head))%64
	head += strings.Repeat(" ", pad) + "\n"
	if len(head) > 0xffff {
		return fmt.Errorf("writing .npy: a shape of %d dimensions does not fit the header", len(t.Shape))
	}
	buf := append([]byte(magic), 1, 0)
	buf = binary.LittleEndian.AppendUint16(buf, uint16(len(head)))
	if _, err := w.Write(append(buf, head...)); err != nil {
		return fmt.Errorf("writing .npy header: %w", err)
	}
	if _, err := w.Write(t.Data); err != nil {
		return fmt.Errorf("writing .npy data: %w", err)
	}
	return nil
}

// Read is ReadMax without a bound.
func Read(r io.Reader) (*tensor.Tensor, error) { return ReadMax(r, math.MaxInt64) }

// ReadMax reads one array of at most maxBytes bytes of data. It takes memory only as data arrives, so a header that promises
// more than the file holds costs nothing.
func ReadMax(r io.Reader, maxBytes int64) (*tensor.Tensor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("reading .npy: %w", err)
	}
	size, err := tensor.ByteSize(h.dt, h.shape)
	if err != nil {
		return nil, fmt.Errorf("reading .npy: %w", err)
	}
	if size > maxBytes {
		return nil, fmt.Errorf("reading .npy: shape %s of %v takes %d bytes; the limit is %d", tensor.ShapeString(h.shape), h.dt, size, maxBytes)
	}
	var data bytes.Buffer
	data.Grow(int(min(size, chunk)))
	n, err := io.CopyN(&data, r, size)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading .npy data: %w", err)
	}
	if n < size {
		return nil, fmt.Errorf("reading .npy: shape %s of %v takes %d bytes, the file ends after %d", tensor.ShapeString(h.shape), h.dt, size, n)
	}
	raw := data.Bytes()
	if h.big {
		swap(raw, h.dt.Bytes())
	}
	if h.fortran && len(h.shape) > 1 {
		raw = rowMajor(raw, h.shape, h.dt.Bytes())
	}
	t, err := tensor.FromBytes(h.dt, h.shape, raw)
	if err != nil {
		return nil, fmt.Errorf("reading .npy: %w", err)
	}
	return t, nil
}

type header struct {
	dt           dtype.DType
	big, fortran bool
	shape        []int64
}

func readHeader(r io.Reader) (header, error) {
	var fixed [len(magic) + 2]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil || string(fixed[:len(magic)]) != magic {
		return header{}, fmt.Errorf("this is not an .npy file: it does not begin with \\x93NUMPY")
	}
	length := make([]byte, 2)
	switch v := fixed[len(magic)]; v {
	case 1:
	case 2, 3:
		length = make([]byte, 4)
	default:
		return header{}, fmt.Errorf("format version %d, expected 1, 2 or 3", v)
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return header{}, fmt.Errorf("header length: %w", err)
	}
	n := uint64(binary.LittleEndian.Uint16(length))
	if len(length) == 4 {
		n = uint64(binary.LittleEndian.Uint32(length))
	}
	if n > maxHeader {
		return header{}, fmt.Errorf("header of %d bytes, at most %d are allowed", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, fmt.Errorf("header: %w", err)
	}
	return parseHeader(string(text))
}

// parseHeader reads the dict literal that numpy writes: three keys in any order.
func parseHeader(s string) (header, error) {
	var h header
	typ, err := field(s, "descr")
	if err != nil {
		return h, err
	}
	typ = strings.Trim(typ, `'"`)
	if typ == "" || !strings.ContainsRune("<>|=", rune(typ[0])) {
		return h, fmt.Errorf("header: descr %q is not a plain element type", typ)
	}
	h.big = typ[0] == '>'
	for _, d := range descr {
		if d.name == typ[1:] {
			h.dt = d.dt
		}
	}
	if h.dt.IsVoid() {
		return h, fmt.Errorf("header: element type %q is not supported; expected bool, int, uint or float of 1 to 8 bytes", typ)
	}
	order, err := field(s, "fortran_order")
	if err != nil {
		return h, err
	}
	if order != "True" && order != "False" {
		return h, fmt.Errorf("header: fortran_order is %q, expected True or False", order)
	}
	h.fortran = order == "True"
	dims, err := field(s, "shape")
	if err != nil {
		return h, err
	}
	if !strings.HasPrefix(dims, "(") {
		return h, fmt.Errorf("header: shape %q is not a tuple", dims)
	}
	for _, d := range strings.Split(strings.Trim(dims, "()"), ",") {
		d = strings.TrimSpace(d)
		if d == "" {
			continue
		}
		v, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			return h, fmt.Errorf("header: dimension %q in shape %q is not a number", d, dims)
		}
		h.shape = append(h.shape, v)
	}
	return h, nil
}

// field cuts the value of key out of the dict literal s.
func field(s, key string) (string, error) {
	for _, q := range []string{"'" + key + "'", `"` + key + `"`} {
		_, rest, ok := strings.Cut(s, q)
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ":")
		if !ok {
			continue
		}
		rest = strings.TrimSpace(rest)
		end := strings.IndexAny(rest, ",}")
		if strings.HasPrefix(rest, "(") {
			end = strings.IndexByte(rest, ')') + 1
		}
		if end <= 0 {
			break
		}
		return strings.TrimSpace(rest[:end]), nil
	}
	return "", fmt.Errorf("header: no value for %s", key)
}

func swap(data []byte, size int) {
	for i := 0; size > 1 && i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// rowMajor reorders column-major data. One odometer walks the output.
func rowMajor(data []byte, shape []int64, size int) []byte {
	out := make([]byte, len(data))
	stride := make([]int, len(shape))
	step := size
	for i, d := range shape {
		stride[i] = step
		step *= int(d)
	}
	index := make([]int64, len(shape))
	src := 0
	for dst := 0; dst < len(out); dst += size {
		copy(out[dst:dst+size], data[src:])
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			src += stride[k]
			if index[k] < shape[k] {
				break
			}
			src -= stride[k] * int(shape[k])
			index[k] = 0
		}
	}
	return out
}
