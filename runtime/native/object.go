package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native/asm"
)

// Format names the format of objects, as artifacts do.
const Format = "x86_64"

// Object is a module of kernels in machine code, as a code generator writes it and the loader takes it.
type Object struct {
	// Blob is the code of all kernels. Its entries are the starts of kernels and the places where they go on after requests.
	Blob asm.Blob
	// Symbols are the kernels, sorted by name.
	Symbols []Symbol
	// Messages are the errors that kernels raise by number.
	Messages []abi.Message
	// Data is copied to the memory of a device when the object is loaded there; kernels find it at the address in DataAt.
	Data []byte
}

// Symbol is a kernel of an object.
type Symbol struct {
	Name  string
	Entry int // number of the entry of the blob at which it begins
}

// magic begins an encoded object; its last byte is the version of the encoding.
const magic = "irscX86\x01"

// Encode writes an object: the magic, then, as unsigned varints and byte strings with their lengths, the number of bytes of instructions, the code, the
// entries, the symbols, the messages and the data, and at last the CRC-32C of all this in four bytes. Equal objects give equal bytes.
func (o *Object) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("encoding machine code: %w", err)
	}
	messages, err := abi.EncodeMessages(o.Messages)
	if err != nil {
		return nil, err
	}
	u := binary.AppendUvarint
	str := func(b, s []byte) []byte { return append(u(b, uint64(len(s))), s...) }
	const number = binary.MaxVarintLen64
	b := make([]byte, 0, len(magic)+len(o.Blob.Bytes)+len(o.Data)+len(messages)+number*(len(o.Blob.Entries)+6)+64*len(o.Symbols)+4)
	b = append(b, magic...)
	b = u(b, uint64(o.Blob.Text))
	b = str(b, o.Blob.Bytes)
	b = u(b, uint64(len(o.Blob.Entries)))
	for _, e := range o.Blob.Entries {
		b = u(b, uint64(e))
	}
	b = u(b, uint64(len(o.Symbols)))
	for _, s := range o.Symbols {
		b = u(str(b, []byte(s.Name)), uint64(s.Entry))
	}
	b = str(b, messages)
	b = str(b, o.Data)
	return binary.LittleEndian.AppendUint32(b, sum(b)), nil
}

// Decode reads what Encode wrote. Whatever the input, it takes memory in proportion to it, and what it returns is consistent; the code is not verified. The
// object shares memory with the input.
func Decode(b []byte) (*Object, error) {
	o, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("decoding machine code: %w", err)
	}
	return o, nil
}

func decode(b []byte) (*Object, error) {
	last := len(magic) - 1
	switch {
	case len(b) < len(magic) || string(b[:last]) != magic[:last]:
		return nil, fmt.Errorf("it does not begin with %s", magic[:last])
	case b[last] != magic[last]:
		return nil, fmt.Errorf("encoding version %d, but this program reads %d", b[last], magic[last])
	case len(b) < len(magic)+4:
		return nil, errShort
	}
	body, want := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if got := sum(body); got != want {
		return nil, fmt.Errorf("it is damaged: its checksum is %08x, but it says %08x", got, want)
	}
	r := &reader{b: body[len(magic):]}
	o := &Object{}
	o.Blob.Text = r.int()
	o.Blob.Bytes = r.bytes()
	for range r.count(1) {
		o.Blob.Entries = append(o.Blob.Entries, r.int())
	}
	for range r.count(2) {
		o.Symbols = append(o.Symbols, Symbol{string(r.bytes()), r.int()})
	}
	messages := r.bytes()
	o.Data = r.bytes()
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d extra bytes at the end", len(r.b))
	}
	if r.err != nil {
		return nil, r.err
	}
	var err error
	if o.Messages, err = abi.DecodeMessages(messages); err != nil {
		return nil, err
	}
	return o, o.check()
}

// check reports what is inconsistent.
func (o *Object) check() error {
	b := &o.Blob
	if b.Text < 0 || b.Text > len(b.Bytes) {
		return fmt.Errorf("%d bytes are said to be instructions, of %d", b.Text, len(b.Bytes))
	}
	for i, e := range b.Entries {
		if e < 0 || e >= b.Text {
			return fmt.Errorf("entry %d is at %#x, but the instructions are [0, %#x)", i, e, b.Text)
		}
	}
	for _, s := range o.Symbols {
		if s.Name == "" {
			return errors.New("a kernel has no name")
		}
		if s.Entry < 0 || s.Entry >= len(b.Entries) {
			return fmt.Errorf("kernel %s begins at entry %d, but there are %d", s.Name, s.Entry, len(b.Entries))
		}
	}
	byName := func(s, t Symbol) int { return strings.Compare(s.Name, t.Name) }
	if !slices.IsSortedFunc(o.Symbols, byName) {
		return errors.New("kernels are not sorted by name")
	}
	for i := 1; i < len(o.Symbols); i++ {
		if o.Symbols[i].Name == o.Symbols[i-1].Name {
			return fmt.Errorf("two kernels have the name %s", o.Symbols[i].Name)
		}
	}
	return nil
}

// sum is the checksum of an encoded object: it finds damage, and is no defense; that is asm.Verify.
func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

var errShort = errors.New("it ends too early")

// reader reads the encoding; after the first error it yields zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail(errShort)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// fail records the first error, behind which there is nothing to read.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *reader) int() int {
	v := r.uint()
	if v > 1<<31-1 {
		r.fail(fmt.Errorf("the number %d is out of range", v))
		return 0
	}
	return int(v)
}

// count reads the length of a list whose elements take at least size bytes each.
func (r *reader) count(size int) int {
	n := r.int()
	if n > len(r.b)/size {
		r.fail(errShort)
		return 0
	}
	return n
}

// bytes reads a byte string; it is nil where empty.
func (r *reader) bytes() []byte {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}
