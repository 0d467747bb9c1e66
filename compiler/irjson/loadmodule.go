package irjson

import (
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
)

func (l *loader) newModule() *ir.Module {
	if l.origins == nil {
		return ir.NewModule()
	}
	return ir.NewModuleWithOrigins(l.origins)
}

func (l *loader) readModule() error {
	m := l.newModule()
	rec := &record{}
	err := l.object("the fields of a module", func(name string) error {
		switch name {
		case "functions":
			e := m.Edit()
			err := l.array("the functions of a module", func(int) error { return l.function(rec, e) })
			m = e.Done()
			return err
		case "attrs":
			a, err := l.attrs(rec, "the attributes of a module", 0)
			m = m.WithAttrs(a)
			return err
		case "global_infos":
			return l.object("the global infos of a module", func(kind string) error {
				if _, ok := m.GlobalInfos()[kind]; ok {
					return l.fail("the global infos %q occur twice", kind)
				}
				infos := []ir.Node{}
				err := l.array("global infos", func(int) error {
					var n ir.Node
					err := l.setNode(rec, reflect.ValueOf(&n).Elem(), "a global info", false)
					infos = append(infos, n)
					return err
				})
				m = m.WithGlobalInfos(kind, infos)
				return err
			})
		}
		return l.fail("unknown field %q of a module; its fields are functions, attrs, global_infos", name)
	})
	l.module = m
	return err
}

// function reads the pair of a function's variable and the function.
func (l *loader) function(rec *record, e *ir.Editor) error {
	var gv *ir.GlobalVar
	var f ir.Function
	n := 0
	err := l.array("a global variable and its function", func(i int) error {
		n++
		switch i {
		case 0:
			return l.setNode(rec, reflect.ValueOf(&gv).Elem(), "the variable of a function", false)
		case 1:
			return l.setNode(rec, reflect.ValueOf(&f).Elem(), "a function", false)
		}
		return l.fail("more than two entries where a global variable and its function are expected")
	})
	switch {
	case err != nil:
		return err
	case n != 2:
		return l.fail("expected a global variable and its function, found %d entries", n)
	case !e.Adopt(gv, f):
		return l.fail("two functions are called %q", gv.Name)
	}
	return nil
}
