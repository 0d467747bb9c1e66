// Package relay reads and prints the text of Relay, the graph language that TVM had before Relax, in the version that its v0.18
// writes (#[version = "0.0.5"]).
//
// A program lands in the Relax AST. What Relay writes as a graph (%0 = nn.relu(%x)) are bindings of dataflow blocks: a node that is
// used twice is a variable that is used twice, one that nothing uses is gone, and each stands in the innermost scope that holds all
// its uses. What Relay binds by let are bindings outside of dataflow blocks, in their order; a let that is the value of another is
// put before it. Operators that mean the same in Relax are calls of Relax's (nn.conv2d is relax.nn.conv2d, its attributes channels and
// kernel_size follow from the weights), the others keep their name behind "relay.". An extent ? is a symbolic variable of its own.
// What has no place in this IR is refused by its name: references, algebraic data types and match.
//
// What is printed reads back as an equal module; two modules are equal where their graphs are, however the text orders and names them.
//
// It may be imported by package frontend, the command line and tests. It knows the operators and no passes.
package relay
