// Package graph draws graphs of package flow as SVG. Of finds the places, Render writes the
// drawing and Minimap a small one of it.
//
// The drawing has no styles, so that a strict Content-Security-Policy lets it be; the sheet is
// static/css/graph.css. Its classes:
//
//	g-svg, g-mini       the drawing and the minimap
//	g-node              a node, with k-KIND for its flow.Kind and m-MARK for its flow.Mark; d-odd for
//	                    a box with others in it that stands in an odd number of boxes
//	g-shape, g-second   its outline, and the second one of an added node
//	g-label, g-small    lines of text
//	g-badge, g-sign     the disc with the sign of its mark: + added, − removed, ● changed
//	g-edge, g-head      an edge and its arrow head, with m-MARK, and g-order where no value goes along it
//	g-cut               an edge that is drawn as two ends
//	g-cluster           a cluster, of g-frame and g-title
//
// Nodes have data-id, data-line (in the text after, or before if removed), data-was-line,
// data-name, data-kind, data-mark, data-callee for the function that they call, and in loop nests
// data-parent for the node that they stand in. A node in a cluster has its ID as data-in. A cluster has its
// ID as data-group, and so has a node that stands for one, with the names of what is in it as
// data-names. Edges have data-from and data-to. These are the
// indices that nodes have as data-index.
//
// It is part of the web, and imports package flow alone.
package graph
