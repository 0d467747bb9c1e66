package onnxpb

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// signatures are the bytes that files of other formats have at an offset, what such a file is, and what to do with it.
var signatures = []struct {
	at            int
	magic         string
	what, instead string
}{
	{0, "PK\x03\x04", "a zip archive, as torch.save of PyTorch writes and Keras (.keras)", "export the model with torch.onnx.export or tf2onnx, or unpack the archive if the model is in it"},
	{0, "\x80\x02", "a pickle of Python, as older versions of PyTorch write", "export the model with torch.onnx.export"},
	{4, "TFL3", "a TensorFlow Lite model", "convert it with tf2onnx --tflite"},
	{4, "ORTM", "a model in ONNX Runtime's own format (.ort)", "use the .onnx file that it was made of"},
	{0, "\x89HDF", "an HDF5 file, as Keras writes (.h5)", "convert the model with tf2onnx"},
	{0, "GGUF", "a GGUF file, which holds weights and no graph", "export the model to ONNX from where it was trained"},
	{8, "{\"", "a safetensors file, which holds weights and no graph", "export the model to ONNX from where it was trained"},
	{0, "\x93NUMPY", "a NumPy array (.npy)", "name the model; arrays are inputs"},
	{0, "\x1f\x8b", "compressed by gzip", "unpack it with gunzip or tar"},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it with zstd -d"},
	{0, "\xfd7zXZ", "compressed by xz", "unpack it with xz -d"},
	{0, "BZh", "compressed by bzip2", "unpack it with bzip2 -d"},
	{257, "ustar", "a tar archive", "unpack it and name the model in it"},
	{0, "\x89PNG", "a picture", "name the model"},
	{0, "\x7fELF", "a program", "name the model"},
	{0, "version https://git-lfs", "a pointer of Git LFS to a file that was not fetched", "run git lfs pull where it was cloned"},
}

// foreignError is the error of a file that is no ONNX model; cause is what the reader met.
func foreignError(data []byte, cause *Error) error {
	const expected = "expected an ONNX model, a protobuf message ModelProto"
	if errors.Is(cause, ErrLimit) {
		return cause
	}
	for _, s := range signatures {
		if len(data) > s.at && bytes.HasPrefix(data[s.at:], []byte(s.magic)) {
			return fmt.Errorf("the file seems to be %s, %s: %s", s.what, expected, s.instead)
		}
	}
	switch start := beginning(data); {
	case strings.HasPrefix(start, "<"):
		return fmt.Errorf("the file seems to be HTML or XML that begins with %q, %s: was it downloaded from the address of a page?", start, expected)
	case start != "":
		return fmt.Errorf("the file seems to be text that begins with %q, %s", start, expected)
	case cause.Path == "":
		return fmt.Errorf("the file is no ONNX model, a protobuf message ModelProto, or it is damaged: %w", cause)
	}
	return cause
}

// beginning are the first characters of a text, without white space in front; of other data it is empty.
func beginning(data []byte) string {
	const looked, shown = 512, 32
	text := data[:min(len(data), looked)]
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if !unicode.IsGraphic(r) && !unicode.IsSpace(r) || r == utf8.RuneError && i+utf8.UTFMax <= len(text) {
			return ""
		}
		i += n
	}
	out := []rune(strings.TrimSpace(string(text)))
	return string(out[:min(len(out), shown)])
}
