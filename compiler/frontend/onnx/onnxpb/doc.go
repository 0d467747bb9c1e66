// Package onnxpb reads and writes the protobuf messages of ONNX: models, and the
// TensorProto files that hold test inputs and outputs.
//
// It is written by hand on protowire rather than generated, because a file comes
// from a stranger: every message is counted before it is allocated and charged to
// a budget (Limits), tensor data in raw_data is never copied, reading is linear in
// the length of the file, and each error says at which byte and under which path
// ("graph.node[12].attribute[\"pads\"]") it arose. Field numbers follow onnx.proto3
// up to IR version 13; unknown fields are skipped, as protobuf asks.
//
// The importer and its tests import it. It imports runtime/dtype and nothing else of
// ours: it knows the wire format and not what an operator means.
package onnxpb
