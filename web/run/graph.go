package run

import (
	"context"

	"github.com/irscope/irscope/instruments/flow"
)

// Grapher makes the graphs of functions. Like a Runner it stands between the web and the
// compiler.
type Grapher interface {
	// Graph returns the graph of the function whose text this is, as the events of a run name
	// it: the dataflow of a graph function, the loop nest of a loop function. It depends on the
	// text alone. The error of a text that is no such function says where it stops being one.
	Graph(ctx context.Context, text string) (*flow.Graph, error)
}
