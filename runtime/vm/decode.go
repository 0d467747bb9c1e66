package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Decode reads what Encode wrote; blob is its chunks joined. Tensors share blob's memory.
// Whatever the input, Decode takes memory in proportion to it, and what it returns has
// passed Validate.
func Decode(code, blob []byte) (*Executable, error) {
	if len(code) < len(codeMagic) || string(code[:len(codeMagic)-1]) != codeMagic[:len(codeMagic)-1] {
		return nil, errors.New("decoding a VM executable: it does not begin with irscVM")
	}
	if v := code[len(codeMagic)-1]; v != codeMagic[len(codeMagic)-1] {
		return nil, fmt.Errorf("decoding a VM executable: encoding version %d, but this program reads %d", v, codeMagic[len(codeMagic)-1])
	}
	r := &decoder{b: code[len(codeMagic):], size: len(code)}
	e := &Executable{}
	for range r.count(7) {
		kind := r.uint()
		f := FuncInfo{Kind: FuncKind(min(kind&^onceBit, math.MaxInt32)), Name: r.str(), Once: kind&onceBit != 0}
		f.Start, f.End, f.NumArgs, f.RegisterFileSize = r.int(), r.int(), r.int(), r.int()
		for range r.count(1) {
			f.ParamNames = append(f.ParamNames, r.str())
		}
		e.Funcs = append(e.Funcs, f)
	}
	for range r.count(2) {
		c, err := r.constant(blob)
		if err != nil {
			return nil, fmt.Errorf("decoding constant %d of a VM executable: %w", len(e.Consts), err)
		}
		e.Consts = append(e.Consts, c)
	}
	e.InstrOffset, e.InstrData = r.ints(), r.ints()
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d extra bytes at the end", len(r.b))
	}
	if r.err != nil {
		return nil, fmt.Errorf("decoding a VM executable: %w", r.err)
	}
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("decoding a VM executable: %w", err)
	}
	return e, nil
}

// decoder reads the encoding; after the first error it yields zeros.
type decoder struct {
	b    []byte
	size int
	err  error
}

func (r *decoder) constant(blob []byte) (Const, error) {
	c := Const{Kind: ConstKind(r.byte())}
	switch c.Kind {
	case ConstTensor:
		dt, shape, at, n := r.dtype(), r.ints(), r.uint(), r.uint()
		if r.err != nil {
			return c, r.err
		}
		if at > uint64(len(blob)) || n > uint64(len(blob))-at {
			return c, fmt.Errorf("its data at byte %d, of %d bytes, ends beyond the %d bytes of data", at, n, len(blob))
		}
		t, err := tensor.FromBytes(dt, shape, blob[at:at+n:at+n])
		if err != nil {
			return c, err
		}
		c.Tensor = t
	case ConstSplat:
		c.Tensor = &tensor.Tensor{DType: r.dtype(), Shape: r.ints(), Data: []byte(r.str())}
	case ConstShape:
		c.Shape = r.ints()
	case ConstString:
		c.Str = r.str()
	case ConstInt:
		c.Int = r.int()
	case ConstFloat:
		c.Float = math.Float64frombits(r.uint())
	case ConstDType:
		c.DType = r.dtype()
	}
	return c, r.err
}

func (r *decoder) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("it is truncated or damaged near byte %d", r.size-len(r.b))
	}
	r.b = nil
}

func (r *decoder) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *decoder) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *decoder) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads a number of items that take at least size bytes each.
func (r *decoder) count(size uint64) uint64 {
	n := r.uint()
	if n > uint64(len(r.b))/size {
		r.fail()
		return 0
	}
	return n
}

func (r *decoder) str() string {
	n := r.count(1)
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *decoder) ints() []int64 {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	vs := make([]int64, n)
	for i := range vs {
		vs[i] = r.int()
	}
	return vs
}

func (r *decoder) dtype() dtype.DType {
	d := dtype.DType{Code: dtype.Code(r.byte()), Bits: r.byte()}
	lo, hi := r.byte(), r.byte()
	d.Lanes = uint16(lo) | uint16(hi)<<8
	return d
}
