// Package relaypass holds passes of Relay, TVM's graph language before Relax, on the same graph level as package transform: their names
// begin with "relay.", their levels and required passes are those of TVM v0.18. One pass a file; package pipeline orders them. FakeQuantizationToInteger of Relax
// (QuantizedProducts) is here for the rules that it shares with Relay's.
//
// They take operators in both spellings, Relax's (relax.nn.pad) and those that only Relay has (relay.nn.pad). As in Relay, where a value
// that nothing uses does not exist, a pass leaves none in dataflow blocks that it changed.
//
// It may be imported by pipeline and by tests; it knows no loop level and no runtime, and of targets what package transform says of their products of bytes.
package relaypass
