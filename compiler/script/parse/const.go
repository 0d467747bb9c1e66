package parse

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// metadataKey returns the key of metadata["type"][key].
func (b *builder) metadataKey(n *syntax.Node) (string, bool) {
	if n.Kind != syntax.Index || n.Kids[0].Kind != syntax.Index || len(n.Kids) != 2 {
		return "", false
	}
	if path, ok := b.path(n.Kids[0].Kids[0]); !ok || path != "metadata" {
		return "", false
	}
	switch v := b.eval(n.Kids[1]).(type) {
	case string:
		return v, true
	case int64:
		key := strconv.FormatInt(v, 10)
		if kind := n.Kids[0].Kids[1]; kind.Kind == syntax.String && b.metadata[kind.Text+"/"+key] != nil {
			key = kind.Text + "/" + key
		}
		return key, true
	}
	return "", false
}

// constantRef is a metadata entry whose type is known from the annotation only.
type constantRef struct {
	key string
	at  *syntax.Node
}

// constant evaluates a metadata entry.
func (b *builder) constant(n *syntax.Node) any {
	key, ok := b.metadataKey(n)
	if !ok {
		b.fail(n, "", `expected metadata["relax.expr.Constant"][key]`)
	}
	if d := b.knownBlob(key); d != nil {
		return &relax.Constant{Base: b.span(n), Data: d}
	}
	return constantRef{key, n}
}

func (b *builder) knownBlob(key string) *ir.Blob {
	if d := b.opts.Constants[key]; d != nil {
		return d
	}
	return b.metadata[key]
}

// blob returns the tensor of a metadata entry, which must have that type and shape.
func (b *builder) blob(key string, d dtype.DType, shape []int64, n *syntax.Node) *ir.Blob {
	if x := b.knownBlob(key); x != nil {
		return x
	}
	if !b.opts.AllowMissingConstants {
		b.fail(n, "print the module with show_meta=True: its text then holds the constants", "the value of the constant %q is not part of the text", key)
	}
	out, err := ir.NewSplat(d, shape, make([]byte, d.Bytes()))
	if err != nil {
		b.fail(n, "", "%v", err)
	}
	return out
}

// missing returns a constant of the annotated type for an entry without a value. The
// printer notes type and shape in a comment behind the line as well.
func (b *builder) missing(r constantRef, ann relax.StructInfo) relax.Expr {
	t, ok := ann.(*relax.TensorStructInfo)
	if !ok {
		t, ok = b.noted(r)
	}
	if ok && !t.DType.IsVoid() {
		if shape, static := t.StaticDims(); static {
			return &relax.Constant{Base: b.span(r.at), Data: b.blob(r.key, t.DType, shape, r.at)}
		}
	}
	if !b.opts.AllowMissingConstants {
		b.blob(r.key, dtype.Void, nil, r.at)
	}
	b.fail(r.at, "annotate the variable with the type and shape of the constant", "the type of the constant %q is not known", r.key)
	return nil
}

// denseData writes nested lists of numbers as the bytes of a tensor and returns its shape.
func denseData(v any, d dtype.DType) ([]byte, []int64, error) {
	if l, ok := v.(*list); ok {
		var out []byte
		var shape []int64
		for i, it := range l.items {
			data, s, err := denseData(it, d)
			if err != nil {
				return nil, nil, err
			}
			if i > 0 && fmt.Sprint(s) != fmt.Sprint(shape) {
				return nil, nil, fmt.Errorf("the rows of the constant differ in length")
			}
			shape = s
			out = append(out, data...)
		}
		return out, append([]int64{int64(len(l.items))}, shape...), nil
	}
	f, isFloat := 0.0, false
	var n int64
	switch x := v.(type) {
	case float64:
		f, isFloat, n = x, true, int64(x)
	case int64:
		f, n = float64(x), x
	case uint64:
		f, n = float64(x), int64(x)
	case bool:
		if x {
			f, n = 1, 1
		}
	case string:
		var ok bool
		if f, ok = namedFloat(x); !ok {
			return nil, nil, fmt.Errorf("%q is not a number", x)
		}
		isFloat = true
	case *tir.FloatImm:
		f, isFloat, n = x.Value, true, int64(x.Value)
	case *tir.IntImm:
		f, n = x.Float(), x.Value
	default:
		return nil, nil, fmt.Errorf("expected a number or nested lists of numbers, got %s", describe(v))
	}
	if d.Lanes != 1 {
		return nil, nil, fmt.Errorf("constants of type %s cannot be written out", d)
	}
	if isFloat && !d.IsFloat() && f != math.Trunc(f) {
		return nil, nil, fmt.Errorf("%v is not a value of type %s", f, d)
	}
	if d.IsInteger() || d.IsBool() {
		if d.IsBool() && n != 0 {
			n = 1
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(n))[:d.Bytes()], nil, nil
	}
	out, err := ir.EncodeFloat(d, f)
	return out, nil, err
}

// denseConstant returns numbers or nested lists of them as a constant; at is where they stand.
func (b *builder) denseConstant(v any, d dtype.DType, n, at *syntax.Node) relax.Expr {
	data, shape, err := denseData(v, d)
	if shape == nil {
		shape = []int64{}
	}
	var blob *ir.Blob
	if err == nil {
		blob, err = ir.NewBlob(d, shape, data)
	}
	if err != nil {
		b.fail(at, "", "%v", err)
	}
	return &relax.Constant{Base: b.span(n), Data: blob}
}

// numberConst is the constant that a number of Python stands for.
func (b *builder) numberConst(v any, n *syntax.Node) relax.Expr {
	return b.denseConstant(v, usualType(v), n, n)
}

// usualType is the type of a constant that is written without one.
func usualType(v any) dtype.DType {
	if _, ok := v.(bool); ok {
		return dtype.BoolT
	} else if hasFloat(v) {
		return dtype.Float32T
	}
	return dtype.Int32T
}

func hasFloat(v any) bool {
	switch x := v.(type) {
	case float64, *tir.FloatImm:
		return true
	case *list:
		return slices.ContainsFunc(x.items, hasFloat)
	}
	return false
}

// noteEntry is the type and shape of one constant in such a comment.
var noteEntry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w+)\[([0-9, ]*)\]`) })

// noted returns the type and shape that the comment at the end of the line of a constant
// gives, as in "# float32[64], float32[3, 3]": one entry for each constant on the line.
func (b *builder) noted(r constantRef) (*relax.TensorStructInfo, bool) {
	text := b.d.Text
	if int(r.at.End) > len(text) {
		return nil, false
	}
	end := len(text)
	if i := strings.IndexByte(text[r.at.End:], '\n'); i >= 0 {
		end = int(r.at.End) + i
	}
	start := strings.LastIndexByte(text[:r.at.At], '\n') + 1
	at := strings.LastIndex(text[r.at.End:end], "# ")
	if at < 0 {
		return nil, false
	}
	entries := noteEntry().FindAllStringSubmatch(text[int(r.at.End)+at+2:end], -1)
	before := strings.Count(text[start:r.at.At], `metadata["relax.expr.Constant"]`)
	if before >= len(entries) {
		return nil, false
	}
	d, err := dtype.Parse(entries[before][1])
	if err != nil || d.IsVoid() {
		return nil, false
	}
	var shape []int64
	for _, s := range strings.Fields(strings.ReplaceAll(entries[before][2], ",", " ")) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, false
		}
		shape = append(shape, v)
	}
	return relax.StaticTensor(d, shape...), true
}
