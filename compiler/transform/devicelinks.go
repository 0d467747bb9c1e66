package transform

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// devicePlace is a tensor: a variable, or a field of one, as in mapDevices.
type devicePlace struct {
	v    *relax.Var
	path string
}

// placedTensor is a tensor that is on a device.
type placedTensor struct {
	at devicePlace
	on *relax.VDevice
}

// deviceLinks knows which tensors are on the same device.
type deviceLinks struct {
	m       *ir.Module
	devices []*relax.VDevice
	near    map[devicePlace][]devicePlace
	certain []placedTensor
	hinted  []placedTensor
	known   map[devicePlace]*relax.VDevice
}

// spread gives the tensors of a list their devices, and then all that are on the same and have none.
func (l *deviceLinks) spread(list []placedTensor) {
	var todo []devicePlace
	put := func(at devicePlace, on *relax.VDevice) {
		if l.known[at] == nil {
			l.known[at] = on
			todo = append(todo, at)
		}
	}
	for _, p := range list {
		put(p.at, p.on)
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, next := range l.near[at] {
			put(next, l.known[at])
		}
	}
}

// collect reads all functions.
func (l *deviceLinks) collect(c *pass.Context) error {
	for gv, fn := range l.m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		if err := c.Err(); err != nil {
			return err
		}
		c.Working(gv.Name)
		if err := l.function(f); err != nil {
			return fmt.Errorf("in %s: %w", gv.Name, err)
		}
	}
	c.Working("")
	return nil
}

func (l *deviceLinks) function(f *relax.Function) (failed error) {
	for _, p := range f.Params {
		l.annotated(p, p.SInfo)
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		v := b.Bound()
		l.annotated(v, v.SInfo)
		if cast, ok := b.(*relax.MatchCast); ok {
			l.annotated(v, cast.SInfo)
		}
		switch e := b.BoundValue().(type) {
		case *relax.Call:
			if err := l.call(v, e); err != nil && failed == nil {
				failed = fmt.Errorf("binding of %s: %w", v.Name, err)
			}
		case *relax.If:
			l.link(v, v.SInfo, e.Then.Body)
			l.link(v, v.SInfo, e.Else.Body)
		case *relax.Function:
			for _, p := range e.Params {
				l.annotated(p, p.SInfo)
			}
			l.annotated(e.Body.Body, e.Ret)
		default:
			l.link(v, v.SInfo, e)
		}
	})
	l.annotated(f.Body.Body, f.Ret)
	return failed
}

// annotated notes the devices that info names for e.
func (l *deviceLinks) annotated(e relax.Expr, info relax.StructInfo) {
	eachTensor(info, "", func(path string, t *relax.TensorStructInfo) {
		if at, ok := placeOf(e, path); ok && t.VDevice != nil {
			l.certain = append(l.certain, placedTensor{at, t.VDevice})
		}
	})
}

// call notes what a call puts on one device: all that it reads and writes, but for those that move values.
func (l *deviceLinks) call(v *relax.Var, c *relax.Call) error {
	switch opName(c) {
	case opHintOnDevice:
		d, err := hintedDevice(l.devices, c)
		if err != nil {
			return err
		}
		l.certain = append(l.certain, placedTensor{devicePlace{v: v}, d})
		if at, ok := placeOf(c.Args[0], ""); ok {
			l.hinted = append(l.hinted, placedTensor{at, d})
		}
		return nil
	case opToVDevice:
		return nil
	}
	if gv, ok := c.Op.(*ir.GlobalVar); ok {
		if f, graph := l.m.Lookup(gv.Name).(*relax.Function); graph {
			for i, p := range f.Params {
				if i < len(c.Args) {
					l.link(p, p.SInfo, c.Args[i])
				}
			}
			l.link(v, v.SInfo, f.Body.Body)
			return nil
		}
	}
	var hub *devicePlace
	join := func(e relax.Expr) {
		eachTensor(relax.SInfoOf(e), "", func(path string, _ *relax.TensorStructInfo) {
			at, ok := placeOf(e, path)
			switch {
			case !ok:
			case hub == nil:
				hub = &at
			default:
				l.join(*hub, at)
			}
		})
	}
	join(v)
	for _, a := range c.Args {
		join(a)
	}
	return nil
}

// link notes that v, of which info is known, is the value e.
func (l *deviceLinks) link(v *relax.Var, info relax.StructInfo, e relax.Expr) {
	eachTensor(info, "", func(path string, _ *relax.TensorStructInfo) {
		if at, ok := placeOf(e, path); ok {
			l.join(devicePlace{v, path}, at)
		}
	})
}

func (l *deviceLinks) join(a, b devicePlace) {
	l.near[a], l.near[b] = append(l.near[a], b), append(l.near[b], a)
}

// eachTensor calls f for the tensors of s.
func eachTensor(s relax.StructInfo, path string, f func(path string, t *relax.TensorStructInfo)) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		f(path, s)
	case *relax.TupleStructInfo:
		for i, x := range s.Fields {
			eachTensor(x, fmt.Sprintf("%s%d/", path, i), f)
		}
	}
}

// placeOf returns where the tensor at path of an operand is, false for constants and the like.
func placeOf(e relax.Expr, path string) (devicePlace, bool) {
	switch e := e.(type) {
	case *relax.Var:
		return devicePlace{e, path}, true
	case *relax.TupleGetItem:
		return placeOf(e.Tuple, fmt.Sprintf("%d/", e.Index)+path)
	case *relax.Tuple:
		first, rest, _ := strings.Cut(path, "/")
		if i, err := strconv.Atoi(first); err == nil && i < len(e.Fields) {
			return placeOf(e.Fields[i], rest)
		}
	}
	return devicePlace{}, false
}
