package onnxpb

import (
	"strings"
	"testing"
)

// TestForeignFiles reads files of other formats: the error says what they are, and what to do.
func TestForeignFiles(t *testing.T) {
	tar := strings.Repeat("\x00", 257) + "ustar\x0000"
	for _, c := range []struct{ data, want string }{
		{"PK\x03\x04\x14\x00\x00\x00archive/data.pkl", "a zip archive, as torch.save of PyTorch writes and Keras (.keras), expected an ONNX model, a protobuf message ModelProto: export the model with torch.onnx.export"},
		{"\x80\x02\x8a\nl\xfc\x9cF\xf9", "a pickle of Python"},
		{"\x1c\x00\x00\x00TFL3\x14\x00", "a TensorFlow Lite model"},
		{"\x28\x00\x00\x00ORTM\x00", "a model in ONNX Runtime's own format"},
		{"\x89HDF\r\n\x1a\n", "an HDF5 file"},
		{"GGUF\x03\x00\x00\x00", "a GGUF file"},
		{"\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{}}", "a safetensors file"},
		{"\x93NUMPY\x01\x00", "a NumPy array"},
		{"\x1f\x8b\x08\x00\x00", "compressed by gzip"},
		{"\x28\xb5\x2f\xfd\x04", "compressed by zstd"},
		{"\xfd7zXZ\x00", "compressed by xz"},
		{"BZh91AY&SY", "compressed by bzip2"},
		{tar, "a tar archive"},
		{"\x89PNG\r\n\x1a\n\x00\x00", "a picture"},
		{"\x7fELF\x02\x01", "a program"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a pointer of Git LFS to a file that was not fetched, expected an ONNX model, a protobuf message ModelProto: run git lfs pull"},
		{"\n <!DOCTYPE html><html><head></head></html>", `HTML or XML that begins with "<!DOCTYPE html><html><head></hea"`},
		{"#!/bin/sh\necho hello", `text that begins with "#!/bin/sh\necho hello", expected an ONNX model`},
		{"Grüße aus " + strings.Repeat("Köln ", 200), `text that begins with "Grüße aus Köln Köln Köln Köln Kö"`},
		{"\xff\xff\xff\xff", "the file is no ONNX model, a protobuf message ModelProto, or it is damaged: byte 0: "},
	} {
		_, err := Read([]byte(c.data), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "read ONNX model: the file ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: got %v, want %s", c.data, err, c.want)
		}
	}
}
