package irjson

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// setValue reads a field that holds no node.
func (l *loader) setValue(f *field, dst reflect.Value, what string) error {
	switch f.Kind {
	case ir.FieldInt:
		x, err := l.number(what, math.MinInt64, math.MaxInt64)
		if err == nil && dst.OverflowInt(x) {
			err = l.fail("%s is %d, which does not fit", what, x)
		}
		dst.SetInt(x)
		return err
	case ir.FieldUint:
		name, err := l.string(what)
		i := slices.Index(f.enum, name)
		if err == nil && i < 0 {
			err = l.fail("%s is %q, expected one of: %s", what, name, strings.Join(f.enum, ", "))
		}
		dst.SetUint(uint64(max(i, 0)))
		return err
	case ir.FieldFloat:
		v, err := l.value(&record{}, 0)
		if err != nil {
			return err
		}
		switch x := v.(type) {
		case float64:
			dst.SetFloat(x)
		case int64:
			dst.SetFloat(float64(x))
		default:
			return l.fail("expected a number for %s", what)
		}
		return nil
	case ir.FieldBool:
		b, err := l.bool(what)
		dst.SetBool(b)
		return err
	case ir.FieldString:
		s, err := l.string(what)
		dst.SetString(s)
		return err
	case ir.FieldInts:
		xs, err := l.ints(what, math.MinInt64, math.MaxInt64)
		out := reflect.MakeSlice(dst.Type(), len(xs), len(xs))
		for i, x := range xs {
			out.Index(i).SetInt(x)
		}
		dst.Set(out)
		return err
	case ir.FieldValue:
		d, err := l.dtype(what)
		dst.Set(reflect.ValueOf(d))
		return err
	}
	panic(fmt.Sprintf("irjson: unknown field kind %d", f.Kind))
}

func (r *reader) string(what string) (string, error) {
	tok, err := r.token()
	if err != nil {
		return "", err
	}
	switch t := tok.(type) {
	case string:
		return t, nil
	case json.Delim:
		if t == '{' {
			return r.rawString(what)
		}
	}
	return "", r.fail("expected a string for %s, found %s", what, show(tok))
}

// rawString reads the rest of an object that stands for a string which is not UTF-8.
func (r *reader) rawString(what string) (string, error) {
	var out string
	n := 0
	err := r.keys(func(key string) error {
		n++
		if key != tagBytes || n > 1 {
			return r.fail("expected a string for %s, or an object with the one key %s, found the key %q", what, tagBytes, key)
		}
		var err error
		out, err = r.base64()
		return err
	})
	if err == nil && n == 0 {
		err = r.fail("expected a string for %s, found an empty object", what)
	}
	return out, err
}

func (r *reader) base64() (string, error) {
	tok, err := r.token()
	if err != nil {
		return "", err
	}
	s, ok := tok.(string)
	b, err := base64.StdEncoding.DecodeString(s)
	if !ok || err != nil {
		return "", r.fail("expected base64 for %s, found %s", tagBytes, show(tok))
	}
	return string(b), nil
}

func (r *reader) dtype(what string) (dtype.DType, error) {
	s, err := r.string(what)
	if err != nil {
		return dtype.Void, err
	}
	d, err := dtype.Parse(s)
	if err != nil {
		return d, r.fail("%s: %v", what, err)
	}
	return d, nil
}

func (l *loader) attrs(rec *record, what string, depth int) (*ir.Attrs, error) {
	var keys []string
	var vals []ir.Value
	seen := map[string]struct{}{}
	err := l.object(what, func(key string) error {
		if hasKey(seen, key) {
			return l.fail("the key %q of %s occurs twice", key, what)
		}
		seen[key] = struct{}{}
		v, err := l.value(rec, depth+1)
		keys, vals = append(keys, key), append(vals, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sorted(keys, vals), nil
}

// value reads the value of an attribute that stands below depth others.
func (l *loader) value(rec *record, depth int) (ir.Value, error) {
	if depth > l.lim.Depth {
		return nil, l.fail("more than %d nested dictionaries or lists (Limits.Depth)", l.lim.Depth)
	}
	tok, err := l.token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case nil, bool, string:
		return t, nil
	case json.Number:
		if !strings.ContainsAny(t.String(), ".eE") {
			return l.toInt(t, "an attribute", math.MinInt64, math.MaxInt64)
		}
		x, err := strconv.ParseFloat(t.String(), 64)
		if err != nil {
			return nil, l.fail("the number %.40s does not fit a float64", t)
		}
		return x, nil
	case json.Delim:
		if t == '[' {
			out := []ir.Value{}
			err := l.entries(func(int) error {
				v, err := l.value(rec, depth+1)
				out = append(out, v)
				return err
			})
			return out, err
		}
		return l.tagged(rec, depth)
	}
	return nil, l.fail("expected a value, found %s", show(tok))
}

// tagged reads the rest of an object that stands for a value which JSON does not have.
func (l *loader) tagged(rec *record, depth int) (ir.Value, error) {
	var out ir.Value
	n := 0
	err := l.keys(func(tag string) (err error) {
		if n++; n > 1 {
			return l.fail("an object with more than one key where a value is expected")
		}
		switch tag {
		case tagNode:
			var node ir.Node
			err = l.setNode(rec, reflect.ValueOf(&node).Elem(), "an attribute", false)
			out = node
		case tagDict:
			out, err = l.attrs(rec, "a dictionary", depth)
		case tagDType:
			out, err = l.dtype("an attribute")
		case tagBytes:
			out, err = l.base64()
		case tagFloat:
			var s string
			if s, err = l.string("the bits of a number"); err != nil {
				return err
			}
			bits, perr := strconv.ParseUint(s, 16, 64)
			if perr != nil {
				return l.fail("%s is %.40q, expected 16 hexadecimal digits", tagFloat, s)
			}
			out = math.Float64frombits(bits)
		default:
			err = l.fail("unknown tag %q, expected %s, %s, %s, %s or %s", tag, tagNode, tagDict, tagDType, tagFloat, tagBytes)
		}
		return err
	})
	if err == nil && n == 0 {
		err = l.fail("an empty object where a value is expected; write a dictionary as {%q: {}}", tagDict)
	}
	return out, err
}

// sorted returns the dictionary of the pairs, whose keys are in any order.
func sorted(keys []string, vals []ir.Value) *ir.Attrs {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	ks, vs := make([]string, len(keys)), make([]ir.Value, len(keys))
	for to, from := range order {
		ks[to], vs[to] = keys[from], vals[from]
	}
	return ir.SortedAttrs(ks, vs)
}
