package frontend

import (
	"bytes"
	"path"
	"strings"
)

// Form is how a module is written down.
type Form string

// The forms that Load reads.
const (
	ONNX   Form = "ONNX"
	Script Form = "TVMScript"
	Relay  Form = "Relay"
	JSON   Form = "JSON" // as package irjson writes it
)

// String returns the name of the form as users know it.
func (f Form) String() string { return string(f) }

// sniffed is how many bytes Detect looks at for bytes that no text has.
const sniffed = 4096

// scriptMarks are words of which every TVMScript text with something in it has one.
var scriptMarks = [][]byte{[]byte("ir_module"), []byte("prim_func"), []byte("R.function"), []byte("tvm.script"), []byte("@R."), []byte("@T."), []byte("@I.")}

// relayMark begins the text of Relay, behind white space.
var relayMark = []byte("#[version")

// rawMark begins a JSON file that has its constants before the JSON.
var rawMark = []byte("irscope\x00")

// Detect tells the form of data. A brace begins JSON; control characters make it a protobuf
// message, and so an ONNX model; #[version begins the text of Relay, and decorators of TVMScript make it TVMScript. Otherwise the
// extension of name decides, and a text without one is TVMScript.
func Detect(name string, data []byte) Form {
	if bytes.HasPrefix(data, rawMark) || bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), sniffed)], " \t\r\n"), []byte("{")) {
		return JSON
	}
	if binary(data[:min(len(data), sniffed)]) {
		return ONNX
	}
	if bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), sniffed)], " \t\r\n"), relayMark) {
		return Relay
	}
	for _, m := range scriptMarks {
		if bytes.Contains(data, m) {
			return Script
		}
	}
	switch strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/"))) {
	case ".onnx", ".pb":
		return ONNX
	case ".json":
		return JSON
	case ".relay":
		return Relay
	}
	return Script
}

// binary reports whether data holds a control character that no text has.
func binary(data []byte) bool {
	for _, c := range data {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return true
		}
	}
	return false
}
