package wasmbin

import (
	"encoding/binary"
	"fmt"
)

// Encode returns the binary module. It fails where a function is incomplete or was built with a
// error, and where two exports share a name.
func (m *Module) Encode() ([]byte, error) {
	seen := map[string]bool{}
	for _, e := range m.exports {
		if seen[e.name] {
			return nil, fmt.Errorf("two exports are named %q", e.name)
		}
		seen[e.name] = true
	}
	b := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	// Function bodies come first: they may register no types, but errors are cheapest here.
	var code []byte
	code = appendU(code, uint64(len(m.funcs)))
	for _, f := range m.funcs {
		body, err := f.encode()
		if err != nil {
			return nil, err
		}
		code = append(appendU(code, uint64(len(body))), body...)
	}
	decls := appendU(nil, uint64(len(m.funcs)))
	for _, f := range m.funcs {
		decls = appendU(decls, uint64(m.typeID(f.Type)))
	}
	b = appendSection(b, 1, m.typeSection())
	b = appendSection(b, 2, m.importSection())
	b = appendSection(b, 3, decls)
	if m.memory != nil {
		b = appendSection(b, 5, appendLimits([]byte{1}, *m.memory))
	}
	b = appendSection(b, 6, m.globalSection())
	b = appendSection(b, 7, m.exportSection())
	b = appendSection(b, 10, code)
	b = appendSection(b, 11, m.dataSection())
	for _, c := range m.custom {
		b = appendSection(b, 0, append(appendName(nil, c.name), c.body...))
	}
	return appendSection(b, 0, m.nameSection()), nil
}

func (m *Module) typeSection() []byte {
	b := appendU(nil, uint64(len(m.types)))
	for _, t := range m.types {
		b = appendTypes(append(b, 0x60), t.Params)
		b = appendTypes(b, t.Results)
	}
	return b
}

func appendTypes(b []byte, ts []ValType) []byte {
	b = appendU(b, uint64(len(ts)))
	for _, t := range ts {
		b = append(b, byte(t))
	}
	return b
}

func appendLimits(b []byte, l Limits) []byte {
	var flags byte
	if l.Max != 0 {
		flags |= 1
	}
	if l.Shared {
		flags |= 2
	}
	b = appendU(append(b, flags), uint64(l.Min))
	if l.Max != 0 {
		b = appendU(b, uint64(l.Max))
	}
	return b
}

func (m *Module) importSection() []byte {
	if len(m.imports) == 0 {
		return nil
	}
	b := appendU(nil, uint64(len(m.imports)))
	for _, e := range m.imports {
		b = append(appendName(appendName(b, e.module), e.name), e.kind)
		switch e.kind {
		case 0:
			b = appendU(b, uint64(e.typeID))
		case 2:
			b = appendLimits(b, e.limits)
		case 3:
			b = append(b, byte(e.global.typ), boolByte(e.global.mutable))
		}
	}
	return b
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (m *Module) globalSection() []byte {
	if len(m.globals) == 0 {
		return nil
	}
	b := appendU(nil, uint64(len(m.globals)))
	for _, g := range m.globals {
		b = append(b, byte(g.typ), boolByte(g.mutable))
		op := OpI32Const
		if g.typ == I64 {
			op = OpI64Const
		}
		b = append(appendS(append(b, byte(op)), g.init), byte(OpEnd))
	}
	return b
}

func (m *Module) exportSection() []byte {
	if len(m.exports) == 0 {
		return nil
	}
	b := appendU(nil, uint64(len(m.exports)))
	for _, e := range m.exports {
		idx := 0 // the one memory
		switch e.kind {
		case 0:
			idx = m.funcIndex(e.fn)
		case 3:
			idx = m.globalIndex(e.glob)
		}
		b = appendU(append(appendName(b, e.name), e.kind), uint64(idx))
	}
	return b
}

func (m *Module) dataSection() []byte {
	if len(m.data) == 0 {
		return nil
	}
	b := appendU(nil, uint64(len(m.data)))
	for _, s := range m.data {
		b = append(b, 0)
		if s.based {
			b = appendU(append(b, byte(OpGlobalGet)), uint64(m.globalIndex(s.base)))
		} else {
			b = appendS(append(b, byte(OpI32Const)), int64(int32(s.off)))
		}
		b = append(appendU(append(b, byte(OpEnd)), uint64(len(s.bytes))), s.bytes...)
	}
	return b
}

// nameSection holds the names of functions, imported ones first, as stack traces want them.
func (m *Module) nameSection() []byte {
	total := len(m.impFuncs) + len(m.funcs)
	if total == 0 {
		return nil
	}
	sub := appendU(nil, uint64(total))
	for i, f := range m.impFuncs {
		sub = appendName(appendU(sub, uint64(i)), f.name)
	}
	for i, f := range m.funcs {
		sub = appendName(appendU(sub, uint64(len(m.impFuncs)+i)), f.Name)
	}
	return appendSection(appendName(nil, "name"), 1, sub)
}

func appendLE(b []byte, imm uint64, n int) []byte {
	b = binary.LittleEndian.AppendUint64(b, imm)
	return b[:len(b)-8+n]
}
