package transform

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// add adds a kernel to the module, unless it has an equal one, and returns its name.
func (l *legalizer) add(hint string, fn *tir.PrimFunc) string {
	l.hash()
	if l.floats != nil {
		eachFloat(fn, l.hashCopies)
	}
	h := ir.StructuralHash(fn)
	for _, name := range l.byHash[h] {
		if old := l.edit.Lookup(name); old != nil && ir.StructuralEqual(old, fn, ir.EqualOpts{}) {
			if l.own[name] {
				l.shared.add(name, old, fn)
			}
			return name
		}
	}
	gv := l.edit.Add(hint, fn)
	l.byHash[h] = append(l.byHash[h], gv.Name)
	l.own[gv.Name] = true
	return gv.Name
}

// addCopy is add for a copy of a kernel whose only float is v. It is hashed where there is another kernel with that float.
func (l *legalizer) addCopy(hint string, fn *tir.PrimFunc, v float64) string {
	l.hash()
	if l.floats == nil {
		l.floats, l.copies = map[uint64]bool{}, map[uint64]string{}
		for _, names := range l.byHash {
			for _, name := range names {
				if kernel, ok := l.edit.Lookup(name).(*tir.PrimFunc); ok {
					eachFloat(kernel, func(v float64) { l.floats[math.Float64bits(v)] = true })
				}
			}
		}
	}
	bits := math.Float64bits(v)
	if l.floats[bits] || l.copies[bits] != "" {
		return l.add(hint, fn)
	}
	gv := l.edit.Add(hint, fn)
	l.copies[bits] = gv.Name
	l.own[gv.Name] = true
	return gv.Name
}

// hashCopies says that a kernel with the float v comes: the copy with it is hashed, so that it is found if it is equal.
func (l *legalizer) hashCopies(v float64) {
	bits := math.Float64bits(v)
	l.floats[bits] = true
	if name := l.copies[bits]; name != "" {
		delete(l.copies, bits)
		h := ir.StructuralHash(l.edit.Lookup(name))
		l.byHash[h] = append(l.byHash[h], name)
	}
}

// eachFloat calls f for the floats of a kernel.
func eachFloat(fn *tir.PrimFunc, f func(float64)) {
	ir.Walk(fn, func(n ir.Node) bool {
		if x, ok := n.(*tir.FloatImm); ok {
			f(x.Value)
		}
		return true
	})
}
