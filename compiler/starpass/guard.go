package starpass

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxBits bounds the integers that operators make.
const maxBits = 1 << 16

// maxSpread bounds the arguments that *args may stand for.
const maxSpread = 10_000

type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtin returns a function that checks how deep the nodes are which it gets and returns.
func builtin(name string, f builtinFunc) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r := runOf(t)
		for _, x := range args {
			if err := r.checkHeight(name, x); err != nil {
				return nil, err
			}
		}
		for _, kv := range kwargs {
			if err := r.checkHeight(name, kv[1]); err != nil {
				return nil, err
			}
		}
		out, err := f(t, b, args, kwargs)
		if err == nil {
			err = r.checkHeight(name, out)
		}
		return out, err
	})
}

// guards returns what the calls that harden puts in refer to.
func guards() starlark.StringDict {
	d := starlark.StringDict{
		guardAttr:  builtin(guardAttr, attrGuard),
		guardSlice: builtin(guardSlice, sliceGuard),
		guardTuple: builtin("tuple", tupleGuard),
		guardStar:  builtin(guardStar, starGuard),
		guardKey:   builtin(guardKey, keyGuard),
	}
	for _, op := range binaryOps {
		d[op.String()] = builtin(op.String(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return binary(runOf(t), op, args[0], args[1])
		})
	}
	for op := range comparisonTokens {
		d[guardTruth+op.String()] = builtin(op.String(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return compareTruth(runOf(t), op, args[0], args[1])
		})
	}
	for assign, op := range augmented {
		name := assign.String()
		d[name] = builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return inPlace(t, op, args[0], args[1])
		})
		d["."+name] = builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, inPlaceField(t, op, args[0], string(args[1].(starlark.String)), args[2])
		})
		d["[]"+name] = builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, inPlaceAt(t, op, args[0], args[1], args[2])
		})
	}
	return d
}

// binary computes x op y.
func binary(r *run, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		return compareValues(r, op, x, y)
	case syntax.NOT_IN:
		v, err := binary(r, syntax.IN, x, y)
		if err != nil {
			return nil, err
		}
		return !v.(starlark.Bool), nil
	}
	if err := r.before(op, x, y); err != nil {
		return nil, err
	}
	if z, ok, err := r.sequenceBinary(op, x, y); ok {
		return z, err
	}
	z, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	return r.result(z)
}

// compared counts a comparison.
func (m *meter) compared(op syntax.Token, x, y starlark.Value) error {
	switch x.(type) {
	case starlark.Int, starlark.Bool, starlark.NoneType, *Node:
		return nil
	case *starlark.Dict, *starlark.Set: // each key of one is looked up in the other
		if err := m.keysIn(x, false); err != nil {
			return err
		}
	}
	return m.walked(op.String(), x, y)
}

// before bounds the result of an operator where it can be much larger than the operands.
func (m *meter) before(op syntax.Token, x, y starlark.Value) error {
	a, xok := x.(starlark.Int)
	b, yok := y.(starlark.Int)
	switch op {
	case syntax.STAR:
		switch {
		case xok && yok:
			if n := bits(a) + bits(b); n > maxBits {
				return &LimitError{fmt.Sprintf("an integer of %d bits is beyond the limit of %d", n, maxBits)}
			}
		case yok:
			return m.repeated(x, b)
		case xok:
			return m.repeated(y, a)
		}
	case syntax.LTLT:
		if n, ok := b.Int64(); xok && yok && ok && int64(bits(a))+n > maxBits {
			return &LimitError{fmt.Sprintf("an integer of %d bits is beyond the limit of %d", int64(bits(a))+n, maxBits)}
		}
	case syntax.PLUS:
		return m.work((shallow(x) + shallow(y)) / 64)
	case syntax.PERCENT:
		if s, ok := x.(starlark.String); ok {
			return m.spelled("%", s, y)
		}
	case syntax.IN:
		switch y.(type) {
		case *starlark.List, starlark.Tuple:
			return m.walked("in", x, y)
		case starlark.String, starlark.Bytes:
			return m.work(shallow(y) / 16)
		}
		return m.hashed(x)
	case syntax.PIPE, syntax.AMP, syntax.CIRCUMFLEX, syntax.MINUS:
		for _, v := range []starlark.Value{x, y} {
			if err := m.keysIn(v, false); err != nil {
				return err
			}
		}
		return m.work(shallow(x) + shallow(y))
	}
	return nil
}

func bits(x starlark.Int) int {
	if n, ok := x.Int64(); ok && -1<<31 < n && n < 1<<31 {
		return 32
	}
	return x.BigInt().BitLen()
}

func (m *meter) repeated(v starlark.Value, n starlark.Int) error {
	size := bytesOf(v)
	times, ok := n.Int64()
	if size == 0 || times <= 0 && ok {
		return nil
	}
	if most := m.limits.Memory / 16; !ok || times > most/size {
		return &LimitError{fmt.Sprintf("%s of %d entries times %s is beyond the limit of %d bytes", v.Type(), shallow(v), n, most)}
	}
	return nil
}

// result counts a new value and checks what it holds.
func (m *meter) result(v starlark.Value) (starlark.Value, error) {
	if err := m.alloc(bytesOf(v)); err != nil {
		return nil, err
	}
	if t, ok := v.(starlark.Tuple); ok {
		return v, m.tuple(t)
	}
	return v, nil
}

// inPlace computes the value that x has after x op= y: lists and dictionaries stay the same.
func inPlace(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	method := ""
	switch x.(type) {
	case *starlark.List:
		if _, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			method = "extend"
		}
	case *starlark.Dict:
		if _, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			method = "update"
		}
	case *starlark.Set:
		if _, ok := y.(starlark.Iterable); ok && op == syntax.PIPE {
			method = "update"
		}
	}
	if method == "" {
		return binary(runOf(t), op, x, y)
	}
	f, err := attr(x, method)
	if err != nil {
		return nil, err
	}
	if _, err := starlark.Call(t, f, starlark.Tuple{y}, nil); err != nil {
		return nil, err
	}
	return x, nil
}

// inPlaceField performs x.name op= y.
func inPlaceField(t *starlark.Thread, op syntax.Token, x starlark.Value, name string, y starlark.Value) error {
	h, ok := x.(starlark.HasSetField)
	if !ok {
		return fmt.Errorf("fields of a %s cannot be assigned: use replace(node, %s=...)", x.Type(), name)
	}
	old, err := attr(x, name)
	if err != nil {
		return err
	}
	z, err := inPlace(t, op, old, y)
	if err != nil {
		return err
	}
	return h.SetField(name, z)
}

// inPlaceAt performs x[i] op= y.
func inPlaceAt(t *starlark.Thread, op syntax.Token, x, i, y starlark.Value) error {
	switch x := x.(type) {
	case starlark.HasSetKey:
		old, ok, err := x.Get(i)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("key %s not in %s", i.String(), x.Type())
		}
		z, err := inPlace(t, op, old, y)
		if err != nil {
			return err
		}
		return x.SetKey(i, z)
	case starlark.HasSetIndex:
		n, err := starlark.AsInt32(i)
		if err != nil {
			return fmt.Errorf("%s index: %w", x.Type(), err)
		}
		if n < 0 {
			n += x.Len()
		}
		if n < 0 || n >= x.Len() {
			return fmt.Errorf("%s index %s out of range [%d:%d]", x.Type(), i.String(), -x.Len(), x.Len()-1)
		}
		z, err := inPlace(t, op, x.Index(n), y)
		if err != nil {
			return err
		}
		return x.SetIndex(n, z)
	}
	return fmt.Errorf("%s value does not support item assignment", x.Type())
}

func sliceGuard(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	switch args[0].(type) {
	case starlark.String, starlark.Bytes: // share the bytes
		return args[0], nil
	}
	return args[0], runOf(t).alloc(bytesOf(args[0]))
}

func tupleGuard(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	for _, a := range args {
		if err := runOf(t).tuple(a); err != nil {
			return nil, err
		}
	}
	return args[0], nil
}

func keyGuard(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], runOf(t).hashed(args[0])
}

// hashed counts the hash of a key.
func (m *meter) hashed(key starlark.Value) error {
	switch k := key.(type) {
	case starlark.String, starlark.Bytes:
		if err := m.work(shallow(k) / 64); err != nil {
			return err
		}
	case starlark.Tuple:
		if err := m.work(deep(k, maxDeep, false) / 4); err != nil {
			return err
		}
	}
	return m.key(key)
}

func starGuard(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if n := shallow(args[0]); n > maxSpread {
		return nil, &LimitError{fmt.Sprintf("*args of %d values, more than the limit of %d", n, maxSpread)}
	}
	return args[0], runOf(t).work(shallow(args[0]))
}
