package parse

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// What newer versions of TVM (v0.24 and later) write in another way than v0.23, but for names (ir.OlderName).

// newerText reports whether the function is of a text of a newer version, in which T.alloc_buffer allocates where it stands and
// T.sblock_alloc_buffer adds a buffer to a block: the text imports tirx, or the decorator has the flag s_tir.
func (b *builder) newerText(s *syntax.Stmt) bool {
	return b.tirx || s.RoleCall != nil && slices.ContainsFunc(s.RoleCall.Keywords(), func(kw syntax.Keyword) bool { return kw.Name == "s_tir" })
}

// newerAlloc allocates a buffer for the statements that follow. Two of its annotations say what the buffer says.
func (c *call) newerAlloc(buf *tir.Buffer, notes *ir.Attrs) *frame {
	if align := notes.Int("buffer_data_alignment", 0); align > 0 {
		buf.DataAlignment = int(align)
	}
	return c.flatBuffer(buf, true, buf.AllocExtents(), notes.Without("buffer_data_alignment").Without("buffer_allocated_addr"))
}

// placeholder returns the value of an attribute of a statement; that of reduce_scope, which nothing reads, is 0 in newer versions
// and the address of nothing in v0.23.
func placeholder(key string, value tir.Expr) tir.Expr {
	if key != "reduce_scope" || !tir.IsConst(value, 0) {
		return value
	}
	base := value.Meta()
	return &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpReinterpret, Args: []tir.Expr{&tir.IntImm{Base: base, Type: dtype.UInt64T}}}
}

// notesAt returns the annotations that an argument gives, under the names of v0.23.
func (c *call) notesAt(i int) *ir.Attrs {
	from := c.attrsAt(i)
	to := from
	for k := range from.Len() {
		key, v := from.At(k)
		older := ir.OlderName(key)
		if older == key {
			continue
		}
		if from.Has(older) {
			c.fail(c.at[i], "leave out one of them", "the annotations %q and %q are the same one", older, key)
		}
		to = to.Without(key).With(older, v)
	}
	return to
}

// numbered returns annotations of a block: the numbers of regions that users gave are plain in newer versions.
func numbered(notes *ir.Attrs) *ir.Attrs {
	for _, key := range []string{"explicit_read_region", "explicit_write_region"} {
		v, _ := notes.Get(key)
		list, _ := v.([]ir.Value)
		if !slices.ContainsFunc(list, func(x ir.Value) bool { _, plain := x.(int64); return plain }) {
			continue
		}
		list = slices.Clone(list)
		for i, x := range list {
			if n, plain := x.(int64); plain {
				list[i] = tir.Const(dtype.Int32T, n)
			}
		}
		notes = notes.With(key, list)
	}
	return notes
}

// deriving are the functions that derive struct info under their newer names.
var deriving = map[string]string{
	"tvm.relax.type.infer_view_ty":    relax.DeriveOfView,
	"tvm.relax.type.infer_by_ty_args": relax.DeriveBySInfoArgs,
}

// derives returns the name of a function that derives struct info as v0.23 spells it.
func derives(name string) string {
	if older, ok := deriving[name]; ok {
		return older
	}
	return name
}
