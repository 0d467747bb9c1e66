package irjson

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
)

// magic starts a file with raw constants. It is followed by the number of constants, each
// constant with its length before it (numbers are 64 bits, little-endian), and the JSON.
const magic = "irscope\x00"

// Save writes root, an *ir.Module or an ir.Node, to w. Equal graphs give equal bytes. The
// constants are written from where they are, without a copy of them in memory. Origins are
// kept with a module; a node alone has no table that they could refer to, so it loses them.
func Save(w io.Writer, root any, o Options) error {
	t, err := collect(root)
	if err != nil {
		return err
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	s := &saver{tables: t, w: bw, raw: o.Blobs == Raw}
	if s.raw {
		s.writeRaw()
	}
	if err := s.file(root); err != nil {
		return fmt.Errorf("irjson: %w", err)
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("irjson: write: %w", err)
	}
	return nil
}

// saver writes a file. Errors of w are kept by w and come with Flush.
type saver struct {
	*tables
	w    *bufio.Writer
	raw  bool
	line bytes.Buffer
}

func (s *saver) writeRaw() {
	var n [8]byte
	number := func(x int) {
		binary.LittleEndian.PutUint64(n[:], uint64(x))
		s.w.Write(n[:])
	}
	s.w.WriteString(magic)
	number(len(s.data))
	for _, d := range s.data {
		number(len(d))
		s.w.Write(d)
	}
}

// The keys of a file, in the order in which they must stand.
const (
	keyVersion = "irscope_version"
	keySources = "sources"
	keyData    = "data"
	keyBlobs   = "blobs"
	keyOrigins = "origins"
	keyNodes   = "nodes"
	keyRoot    = "root"
)

func (s *saver) file(root any) error {
	fmt.Fprintf(s.w, "{%q: %d", keyVersion, Version)
	s.table(keySources, len(s.sources), func(i int) error {
		s.object("name", s.sources[i].Name, "text", s.sources[i].Text)
		return nil
	})
	s.constants()
	err := s.table(keyOrigins, len(s.origins), func(i int) error { s.origin(s.origins[i]); return nil })
	if err != nil {
		return err
	}
	n := len(s.nodes)
	m, isModule := root.(*ir.Module)
	if isModule {
		n++
	}
	err = s.table(keyNodes, n, func(i int) error {
		if i == len(s.nodes) {
			return s.module(m)
		}
		return s.node(s.nodes[i])
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.w, ",\n%q: %d}\n", keyRoot, n-1)
	return nil
}

// table writes a list of n entries, one a line; nothing if there are none.
func (s *saver) table(key string, n int, entry func(i int) error) error {
	if n == 0 {
		return nil
	}
	fmt.Fprintf(s.w, ",\n%q: [", key)
	for i := range n {
		if i > 0 {
			s.w.WriteByte(',')
		}
		s.w.WriteByte('\n')
		s.line.Reset()
		if err := entry(i); err != nil {
			return err
		}
		s.w.Write(s.line.Bytes())
	}
	s.w.WriteString("\n]")
	return nil
}

func (s *saver) constants() {
	s.table(keyData, len(s.data), func(i int) error {
		if s.raw {
			s.int(int64(len(s.data[i])))
			return nil
		}
		s.w.WriteByte('"')
		enc := base64.NewEncoder(base64.StdEncoding, s.w)
		enc.Write(s.data[i])
		enc.Close()
		s.w.WriteByte('"')
		return nil
	})
	s.table(keyBlobs, len(s.blobs), func(i int) error {
		b := s.blobs[i]
		s.line.WriteString(`{"dtype":`)
		s.string(b.DType().String())
		s.line.WriteString(`,"shape":`)
		s.ints(reflect.ValueOf(b.Shape()))
		if b.IsSplat() {
			s.line.WriteString(`,"splat":true`)
		}
		fmt.Fprintf(&s.line, `,"data":%d}`, s.datum[keyOf(b.Stored())])
		return nil
	})
}

// object writes an object of strings, from alternating keys and values.
func (s *saver) object(kv ...string) {
	for i := 0; i < len(kv); i += 2 {
		s.line.WriteByte("{,"[min(i, 1)])
		s.string(kv[i])
		s.line.WriteByte(':')
		s.string(kv[i+1])
	}
	s.line.WriteByte('}')
}

func (s *saver) origin(o ir.Origin) {
	sep := byte('{')
	key := func(k string) {
		s.line.WriteByte(sep)
		s.string(k)
		s.line.WriteByte(':')
		sep = ','
	}
	for _, f := range [...][2]string{{"pass", o.Pass}, {"name", o.Name}, {"op", o.Op}} {
		if f[1] != "" {
			key(f[0])
			s.string(f[1])
		}
	}
	if len(o.Parents) > 0 {
		key("parents")
		s.list(len(o.Parents), func(i int) { s.int(int64(o.Parents[i])) })
	}
	if o.Span != nil {
		key("span")
		s.span(o.Span)
	}
	if sep == '{' {
		s.line.WriteByte('{')
	}
	s.line.WriteByte('}')
}

func (s *saver) span(p *ir.Span) {
	src := "null"
	if p.Source != nil {
		src = strconv.Itoa(s.source[p.Source])
	}
	fmt.Fprintf(&s.line, "[%s,%d,%d,%d,%d]", src, p.Line, p.Col, p.EndLine, p.EndCol)
}

func (s *saver) module(m *ir.Module) error {
	fmt.Fprintf(&s.line, `{"type_key":%q,"fields":{"functions":[`, moduleKey)
	first := true
	for gv, f := range m.Funcs() {
		if !first {
			s.line.WriteByte(',')
		}
		first = false
		fmt.Fprintf(&s.line, "[%d,%d]", s.index[gv], s.index[f])
	}
	s.line.WriteByte(']')
	if m.Attrs().Len() > 0 {
		s.line.WriteString(`,"attrs":`)
		if err := s.attrs(m.Attrs()); err != nil {
			return fmt.Errorf("the module's attributes: %w", err)
		}
	}
	if infos := m.GlobalInfos(); len(infos) > 0 {
		s.line.WriteString(`,"global_infos":`)
		sep := byte('{')
		for _, kind := range slices.Sorted(maps.Keys(infos)) {
			s.line.WriteByte(sep)
			sep = ','
			s.string(kind)
			s.line.WriteByte(':')
			s.list(len(infos[kind]), func(i int) { s.ref(infos[kind][i]) })
		}
		s.line.WriteByte('}')
	}
	s.line.WriteString("}}")
	return nil
}
