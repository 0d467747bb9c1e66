package codegen

import (
	"sort"

	"github.com/irscope/irscope/compiler/tir"
)

// Origins tells the statements that code is for, each from an offset on.
type Origins struct{ list []origin }

type origin struct {
	at   int
	stmt tir.Stmt
}

// Note says what the code from an offset on is for, nil where it is for no statement. No offset is below that of the note before it.
func (o *Origins) Note(at int, s tir.Stmt) {
	n := len(o.list)
	if n > 0 && o.list[n-1].at == at { // there is no code that the note before is about
		n--
		o.list = o.list[:n]
	}
	if n == 0 || o.list[n-1].stmt != s {
		o.list = append(o.list, origin{at, s})
	}
}

// Of returns the statement that the code at an offset is for, nil where it is for none.
func (o *Origins) Of(at int) tir.Stmt {
	n := sort.Search(len(o.list), func(i int) bool { return o.list[i].at > at })
	if n == 0 {
		return nil
	}
	return o.list[n-1].stmt
}
