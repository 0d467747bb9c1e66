package onnx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Error says what is wrong with a node of a model, or why it cannot be imported.
type Error struct {
	Path   string // graph.node[12]
	Pos    int    // offset of the node in the file; 0 where the model was not read from one
	Node   string // name of the node, or of its first output where it has none
	Op     string // operator, with its domain unless that is the default one
	Opset  int64  // version of the operator set that the model imports
	Reason string
	Err    error // cause, where another layer found the error
}

// Error writes place, node, operator and reason on one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s %q (operator set %d): %s", e.Path, e.Op, e.Node, e.Opset, e.Reason)
	if e.Err != nil {
		s = strings.TrimSuffix(s, ": ") + ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// UnsupportedError lists the operators of a model that the importer lacks.
type UnsupportedError struct {
	Ops []UnsupportedOp
}

// UnsupportedOp is an operator that the importer lacks.
type UnsupportedOp struct {
	First   *Error // its first node
	Nodes   int    // how many nodes use it
	Nearest string // the supported operator of the most similar name, if one is similar
}

// Error lists the operators on one line, each with its first node.
func (e *UnsupportedError) Error() string {
	parts := make([]string, 0, len(e.Ops))
	for i, o := range e.Ops {
		if i == 10 {
			parts = append(parts, fmt.Sprintf("and %d more", len(e.Ops)-i))
			break
		}
		s := o.First.Error()
		if o.Nodes > 1 {
			s += fmt.Sprintf(" (and %d more nodes)", o.Nodes-1)
		}
		if o.Nearest != "" {
			s += "; did you mean " + o.Nearest + "?"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ") + fmt.Sprintf("; %d operators of the default domain are supported", len(tables()[""]))
}

// bail is how the converter of a node stops: fail panics with it, and recoverBail, the one
// place that recovers it, turns it into an error. Converters read far better without a check
// behind each of their dozens of small steps; go/parser and encoding/gob do the same.
type bail struct{ err *Error }

func (n *node) fail(format string, args ...any) {
	panic(bail{n.err(fmt.Sprintf(format, args...), nil)})
}

func (n *node) check(err error) {
	if err != nil {
		panic(bail{n.err("", err)})
	}
}

func (n *node) err(reason string, cause error) *Error {
	if n.of != nil {
		return n.of.err("in the place of "+n.pb.OpType+": "+reason, cause)
	}
	return &Error{
		Path: n.path, Pos: n.pb.Pos, Node: n.label(), Op: opLabel(n.pb), Opset: n.version, Reason: reason, Err: cause,
	}
}

// label is what a user knows the node by.
func (n *node) label() string {
	if n.pb.Name != "" {
		return n.pb.Name
	}
	for _, o := range n.pb.Outputs {
		if o != "" {
			return o
		}
	}
	return ""
}

func opLabel(pb *onnxpb.Node) string {
	if d := onnxpb.CanonicalDomain(pb.Domain); d != "" {
		return d + "." + pb.OpType
	}
	return pb.OpType
}

// quoteList writes names as "a", "b" and "c".
func quoteList(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = strconv.Quote(n)
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " and " + q[len(q)-1]
}
