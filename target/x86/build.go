package x86

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// kind is the name of the targets that the generator serves, and language that of the text of its kernels.
const (
	kind     = "x86"
	language = "asm"
)

// Machine is what code is generated for.
type Machine struct {
	// Features are the extensions that code may use: AVX2, with AVX512 vectors of 512 bits and 32 registers, with VNNI dot products of bytes, and with
	// AMX those of matrices of bytes.
	Features asm.Features
	// Width is that of the widest vectors in bytes: 32, or 64 with AVX-512.
	Width asm.Width
	// Regs is the number of vector registers to use: 16, or 32 with AVX-512.
	Regs int
	// LeastFork is how many simple operations a loop has at least whose turns are run by several threads; 0 means so many that it pays.
	LeastFork float64
}

// MachineOf returns the machine of a target of kind x86.
func MachineOf(t target.Target) (Machine, error) {
	if t.IsZero() || t.Kind().Name != kind {
		return Machine{}, fmt.Errorf("code generator x86 cannot generate code for target %q", t)
	}
	m := NewMachine(t.Feature("avx512f"), t.IntAttr("max-simd-width", 0))
	m.Features.VNNI = m.Features.AVX512 && t.Feature("avx512vnni")
	m.Features.AMX = m.Features.VNNI && t.Feature("amx-int8")
	return m, nil
}

// NewMachine returns the machine with AVX2 or AVX-512. bits limits the width of vectors; 0 does not.
func NewMachine(avx512 bool, bits int64) Machine {
	m := Machine{Features: asm.Features{AVX2: true}, Width: asm.Y, Regs: 16}
	if avx512 {
		m.Features.AVX512, m.Regs = true, 32
		if bits == 0 || bits >= 512 {
			m.Width = asm.Z
		}
	}
	return m
}

// Build is the codegen.Build of machine code. It takes kernels of the packed convention that ask nothing of the host but workspaces and polls; others it refuses.
func Build(ctx context.Context, funcs []codegen.Func, t target.Target) (*codegen.Library, error) {
	m, err := MachineOf(t)
	if err != nil {
		return nil, err
	}
	return BuildFor(ctx, funcs, m)
}

// BuildFor is Build for a machine.
func BuildFor(ctx context.Context, funcs []codegen.Func, machine Machine) (*codegen.Library, error) {
	m := newModule(machine)
	lib := &codegen.Library{Format: native.Format}
	obj := &native.Object{}
	var ranges [][2]int
	for _, f := range funcs {
		name := ir.GlobalSymbol(f.Prim)
		entry := len(m.entries)
		from := m.code.Len()
		err := m.generate(ctx, f)
		var refused *lower.Error
		if errors.As(err, &refused) {
			lib.Refused = append(lib.Refused, codegen.Refusal{Name: f.Name, Reason: refused.Reason()})
			continue
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(obj.Symbols, func(s native.Symbol) bool { return s.Name == name }) {
			return nil, fmt.Errorf("target x86: two functions are named %q", name)
		}
		obj.Symbols = append(obj.Symbols, native.Symbol{Name: name, Entry: entry})
		ranges = append(ranges, [2]int{from, m.code.Len()})
		lib.Kernels = append(lib.Kernels, codegen.Kernel{Name: f.Name, Symbol: name, Language: language, Bytes: m.code.Len() - from})
	}
	if len(obj.Symbols) == 0 {
		return lib, nil // all is left to others
	}
	blob, err := m.code.Link(m.entries...)
	if err != nil {
		return nil, fmt.Errorf("target x86: %w", err)
	}
	obj.Blob, obj.Messages, obj.Data = *blob, m.messages, m.data.bytes
	slices.SortFunc(obj.Symbols, func(a, b native.Symbol) int { return strings.Compare(a.Name, b.Name) })
	m.insts, m.types, m.graphs, m.weaver = nil, nil, lower.Memory{}, weaver{} // listings hold on to the module
	for i := range lib.Kernels {
		l := &listing{blob: blob, from: ranges[i][0], to: ranges[i][1], marks: m.marks, origins: &m.origins}
		lib.Kernels[i].Text, lib.Kernels[i].Lines = l.text, l.print
	}
	if lib.Bytes, err = obj.Encode(); err != nil {
		return nil, fmt.Errorf("target x86: %w", err)
	}
	return lib, nil
}

// module is the code under construction.
type module struct {
	machine    Machine
	code       asm.Code
	entries    []asm.Label
	messages   []abi.Message
	messageIDs map[abi.Message]int
	data       data
	marks      []mark
	insts      []inst       // room for those of a function
	types      []lower.Type // the same
	origins    codegen.Origins
	graphs     lower.Memory // of one function after the other
	weaver     weaver
}

func newModule(m Machine) *module {
	return &module{machine: m, messageIDs: map[abi.Message]int{}, data: data{blobs: map[*ir.Blob]int{}}}
}

// message is the number of an error.
func (m *module) message(msg abi.Message) int {
	id, ok := m.messageIDs[msg]
	if !ok {
		id = len(m.messages)
		m.messageIDs[msg] = id
		m.messages = append(m.messages, msg)
	}
	return id
}

// data holds the constants of kernels, each once, as they lie in the memory of a device.
type data struct {
	bytes []byte
	blobs map[*ir.Blob]int
}

// add returns the offset of the elements of b, aligned as tensors are.
func (d *data) add(b *ir.Blob) int {
	at, ok := d.blobs[b]
	if !ok {
		for len(d.bytes)%abi.DataAlign != 0 {
			d.bytes = append(d.bytes, 0)
		}
		at = len(d.bytes)
		d.bytes = append(d.bytes, b.Bytes()...)
		d.blobs[b] = at
	}
	return at
}

// generate writes the code of a function. It writes nothing if it refuses the function, which is a *lower.Error.
func (m *module) generate(ctx context.Context, f codegen.Func) error {
	l, err := m.linear(ctx, f)
	if err != nil {
		return err
	}
	a, err := l.allocate(m.machine.Regs)
	if err != nil {
		return err
	}
	e := &emitter{c: &m.code, l: l, a: a, mod: m, evex: m.machine.Features.AVX512, vectors: m.machine.Regs}
	e.function()
	m.insts, m.types = l.code[:0], l.g.types[:0]
	return nil
}

// linear selects the instructions of a function.
func (m *module) linear(ctx context.Context, f codegen.Func) (l *linear, err error) {
	defer lower.Recover(&err)
	g := &gen{mod: m, wide: m.machine.Width, types: m.types, poolIDs: map[string]uint64{}}
	g.Walker = lower.NewWalker(ctx, kind, f.Name, machineOf(g), g, g.newReg, func(r lower.Reg) lower.Type { return g.types[r] })
	g.In(&m.graphs)
	p := f.Prim
	if reason := takes(p); reason != nil {
		g.Fail(reason.Node, "%s", reason.Msg)
	}
	g.area = &area{start: func() *node { return g.word(native.StackAt, "stack") }, size: abi.StackBytes - native.LocalBytes}
	body := g.Cur
	for i, at := range []uint64{0, native.ArgsAt, native.CountAt, native.ResultAt} {
		n := g.i32(0) // of the handle of the function itself nothing is said
		if at > 0 {
			n = g.word(at, p.Params[i].Name)
		}
		g.Vars[p.Params[i]] = one(p.Params[i].DType(), n)
	}
	g.Function(p, func(*tir.Call) bool { return false })
	return linearise(g, body), nil
}
