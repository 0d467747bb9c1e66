// Package frontend reads a module in whichever form it comes: an ONNX model, TVMScript,
// Relay's text or JSON. What an input is follows from its content, and only where that does not tell from
// its name.
//
// It may be imported by the command line, the runner and tools. It knows the importers and
// the verifiers, and no passes. It opens no files: whoever calls it has read the bytes.
package frontend
