package onnx

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// operator is one row of the importer's table: an operator of the default domain.
type operator struct {
	name         string
	minIn, maxIn int      // operands that must be there and that may be; maxIn is -1 for any number
	attrs        []string // attributes of any version
	convert      func(*node)
	// fold computes the result from known elements; it returns nil where it cannot. An
	// operand that is left out is nil.
	fold func(n *node, in []*known) *known
}

func (o *operator) arity() string {
	switch {
	case o.maxIn < 0:
		return fmt.Sprintf("%d or more", o.minIn)
	case o.minIn == o.maxIn:
		return fmt.Sprint(o.minIn)
	}
	return fmt.Sprintf("%d to %d", o.minIn, o.maxIn)
}

// operators returns the table by name.
var operators = sync.OnceValue(func() map[string]*operator {
	return index(slices.Concat(
		unaryRows(),
		textRows(),
		binaryRows(),
		activationRows(),
		reduceRows(),
		signalRows(),
		shapeRows(),
		indexRows(),
		scatterRows(),
		sortRows(),
		createRows(),
		linearRows(),
		attentionRows(),
		convRows(),
		poolRows(),
		lossRows(),
		lpRows(),
		normRows(),
		recurrentRows(),
		resizeRows(),
		visionRows(),
		quantizeRows(),
		integerRows(),
		controlRows(),
		dynamicRows(),
		sequenceRows(),
		randomRows(),
	))
})

// previews returns the table of the domain of previews.
var previews = sync.OnceValue(func() map[string]*operator { return index(previewRows()) })

func index(rows []operator) map[string]*operator {
	out := make(map[string]*operator, len(rows))
	for i := range rows {
		if out[rows[i].name] != nil {
			panic("onnx: operator " + rows[i].name + " is in the table twice")
		}
		out[rows[i].name] = &rows[i]
	}
	return out
}

// The versions of the default operator set that the importer knows.
const (
	MinOpset = 1
	MaxOpset = 28
)

// Operators returns the names of the supported operators of the default domain, sorted.
func Operators() []string { return slices.Sorted(maps.Keys(operators())) }
