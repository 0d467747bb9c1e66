package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
)

// The sizes that are accounted for the parts of values, in bytes.
const (
	entrySize = 16
	dictEntry = 64
)

// maxTuple bounds the values in a tuple, those of tuples in it included as often as they
// stand there: hashing and freezing a tuple cost as much.
const maxTuple = 10_000

// maxDeep bounds the values that printing or comparing may walk.
const maxDeep = 1 << 18

// nodeText is the text of a node in entries.
const nodeText = 2

// shallow returns the number of entries of a string or collection, 0 for other values.
func shallow(v starlark.Value) int {
	if s, ok := v.(starlark.Bytes); ok {
		return len(s)
	}
	if v == nil {
		return 0
	}
	return max(starlark.Len(v), 0)
}

// bytesOf is the accounted size of a value without what its entries hold.
func bytesOf(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v))
	case starlark.Bytes:
		return int64(len(v))
	case *starlark.List, starlark.Tuple:
		return entrySize * int64(shallow(v))
	case *starlark.Dict, *starlark.Set:
		return dictEntry * int64(shallow(v))
	}
	return 0
}

// deep returns how much a walk over v and all that it holds visits, values that stand in
// several places counted for each: bytes of strings for 16 of them, and with text the nodes
// that are spelled out. It stops at most.
func deep(v starlark.Value, most int, text bool) int {
	n := 1
	switch v := v.(type) {
	case starlark.String:
		n += len(v) / entrySize
	case starlark.Bytes:
		n += len(v) / entrySize
	case starlark.Int:
		if _, small := v.Int64(); !small {
			n += v.BigInt().BitLen() / 64
		}
	case *starlark.List:
		for i := 0; i < v.Len() && n < most; i++ {
			n += deep(v.Index(i), most-n, text)
		}
	case starlark.Tuple:
		for i := 0; i < len(v) && n < most; i++ {
			n += deep(v[i], most-n, text)
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			if n >= most {
				break
			}
			n += deep(k, most-n, text)
			n += deep(x, most-n, text)
		}
	case *starlark.Set:
		n += v.Len()
	case *Node:
		if text {
			ir.Walk(v.n, func(ir.Node) bool { n += nodeText; return n < most })
		}
	case *Module:
		n += v.Len()
	}
	return min(n, most)
}

// walked counts a walk over all of the values, which must not be too large for what is done.
func (m *meter) walked(what string, vs ...starlark.Value) error { return m.visited(what, false, vs) }

// spelled is walked for values that become text.
func (m *meter) spelled(what string, vs ...starlark.Value) error { return m.visited(what, true, vs) }

func (m *meter) visited(what string, text bool, vs []starlark.Value) error {
	n := 0
	for _, v := range vs {
		n += deep(v, maxDeep+1, text)
	}
	if n > maxDeep {
		return &LimitError{fmt.Sprintf("%s: the value is too large: it holds more than %d others", what, maxDeep)}
	}
	return m.work(n)
}

// tuple checks that a tuple does not nest too much.
func (m *meter) tuple(v starlark.Value) error {
	n := tupleSize(v, maxTuple+1)
	if n > maxTuple {
		return &LimitError{fmt.Sprintf("a tuple holds more than %d values, those of tuples in it included: use a list", maxTuple)}
	}
	return m.work(n / 4)
}

func tupleSize(v starlark.Value, most int) int {
	t, ok := v.(starlark.Tuple)
	if !ok {
		return 1
	}
	n := 1
	for _, x := range t {
		if n >= most {
			break
		}
		n += tupleSize(x, most-n)
	}
	return n
}

// freezable checks that freezing v, which walks functions and tuples as often as they are
// referred to, is cheap.
func freezable(globals starlark.StringDict) error {
	n := 0
	seen := map[starlark.Value]bool{}
	var visit func(v starlark.Value)
	visit = func(v starlark.Value) {
		if n++; n > maxDeep {
			return
		}
		switch v := v.(type) {
		case starlark.Tuple:
			for _, x := range v {
				visit(x)
			}
		case *starlark.Function:
			for i := range v.NumParams() {
				if d := v.ParamDefault(i); d != nil {
					visit(d)
				}
			}
			for i := range v.NumFreeVars() {
				if _, x := v.FreeVar(i); x != nil {
					visit(x)
				}
			}
		case *starlark.List:
			if !seen[v] {
				seen[v] = true
				for i := range v.Len() {
					visit(v.Index(i))
				}
			}
		case *starlark.Dict:
			if !seen[v] {
				seen[v] = true
				for k, x := range v.Entries() {
					visit(k)
					visit(x)
				}
			}
		case holder:
			if !seen[v] {
				seen[v] = true
				v.held(visit)
			}
		}
	}
	for _, v := range globals {
		visit(v)
	}
	if n > maxDeep {
		return &LimitError{fmt.Sprintf("the functions of the script hold on to more than %d values", maxDeep)}
	}
	return nil
}

// holder is a value of this package that holds others.
type holder interface {
	starlark.Value
	// held calls f for each value that is held.
	held(f func(starlark.Value))
}
