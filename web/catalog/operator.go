package catalog

import "context"

// Operators describes the operators of the graph level. Whoever knows the compiler implements it.
type Operators interface {
	// Operators returns all of them in the order of their families. The caller must not change them.
	Operators() []Operator
	// Example computes the example of an operator.
	Example(ctx context.Context, name string) (*OperatorExample, error)
}

// Operator is an operator of the graph level.
type Operator struct {
	// Name is the one in text, without "R.".
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Args are the arguments in order; Attrs the attributes, which are given by name.
	Args  []OperatorArg  `json:"args"`
	Attrs []OperatorAttr `json:"attrs"`
	// Pattern says how its kernel fuses, by TVM's names.
	Pattern string `json:"pattern"`
	// Pure tells that a call only computes its result.
	Pure bool `json:"pure"`
	// Precision is what ToMixedPrecision does with calls: "always", "follow" or "never".
	Precision string `json:"precision"`
	// Layout tells what ConvertLayout does with calls: "takes" the layouts that are asked for, "follows" those of its arguments; empty for neither.
	Layout string `json:"layout,omitempty"`
	// Gradient tells whether Gradient has a rule.
	Gradient bool `json:"gradient"`
}

// OperatorArg is an argument of an operator.
type OperatorArg struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Doc      string `json:"doc"`
	Optional bool   `json:"optional,omitempty"`
	Variadic bool   `json:"variadic,omitempty"`
}

// OperatorAttr is an attribute of an operator. One that is required has no default.
type OperatorAttr struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Default  string   `json:"default,omitempty"`
	Required bool     `json:"required,omitempty"`
	Choices  []string `json:"choices,omitempty"`
	Doc      string   `json:"doc"`
}

// OperatorExample is a call with what it leads to.
type OperatorExample struct {
	// Module is the text around the call, and Lowered what LegalizeOps makes of it, empty where that leaves it.
	Module  string `json:"module"`
	Lowered string `json:"lowered,omitempty"`
	// Shapes has the struct info that comes out of arguments whose shapes are static, symbolic and unknown.
	Shapes []OperatorShapes `json:"shapes"`
}

// OperatorShapes is what comes out of arguments.
type OperatorShapes struct {
	Form   string   `json:"form"`
	Args   []string `json:"args"`
	Result string   `json:"result"`
}
