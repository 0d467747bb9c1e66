package onnxpb

import (
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// externalData reads the data of a tensor that lies in a file beside the model, as
// ExternalData.md of ONNX defines it: location is a relative path below the model's
// folder, offset and length count bytes, unknown keys are ignored. It refuses whatever
// could lead out of the folder or to a device: absolute paths, "..", symbolic links,
// hard links, and anything but regular files.
func (d *decoder) externalData(t *Tensor, pos int, n int64, entries []Entry) *Error {
	if d.opts.External == nil {
		return errAt(pos, "the data is in an external file, which is not accepted here: store the weights in the model file")
	}
	if t.Type == String {
		return errAt(pos, "strings cannot be stored in an external file")
	}
	var location string
	var offset int64
	want := bytesFor(t.Type, n)
	length := want
	for _, e := range entries {
		var err error
		switch e.Key {
		case "location":
			location = e.Value
		case "offset":
			offset, err = strconv.ParseInt(e.Value, 10, 64)
		case "length":
			length, err = strconv.ParseInt(e.Value, 10, 64)
		}
		if err != nil {
			return errAt(pos, "external_data: %s is %q, expected a number of bytes", e.Key, e.Value)
		}
	}
	switch {
	case location == "":
		return errAt(pos, "external_data has no location")
	case offset < 0:
		return errAt(pos, "external_data: offset is %d, expected 0 or more", offset)
	case length != want:
		return errAt(pos, "dims %v of %v make %d bytes, but external_data says length %d", t.Dims, t.Type, want, length)
	case length > d.external:
		return limitAt(pos, "external data of more than %d bytes", d.lim.ExternalBytes)
	}
	d.external -= length
	data, err := readExternal(d.opts.External, location, offset, length)
	if err != nil {
		return &Error{Pos: pos, Msg: "external data in " + strconv.Quote(location), Err: err}
	}
	t.Data = data
	return nil
}

type externalError string

func (e externalError) Error() string { return string(e) }

func readExternal(root *os.Root, location string, offset, length int64) ([]byte, error) {
	clean := path.Clean(location)
	if strings.ContainsAny(location, "\\\x00") || path.IsAbs(location) || !fs.ValidPath(clean) || clean == "." {
		return nil, externalError("the location must be a relative path below the model's folder, with / between its parts and without ..")
	}
	for i := 0; i <= len(clean); i++ {
		if i < len(clean) && clean[i] != '/' {
			continue
		}
		info, err := root.Lstat(clean[:i])
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, externalError(strconv.Quote(clean[:i]) + " is a symbolic link, which is not allowed")
		}
		if i == len(clean) && !info.Mode().IsRegular() {
			return nil, externalError("it is not a regular file")
		}
	}
	f, err := root.Open(clean)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, externalError("it is not a regular file")
	case links(info) != 1:
		return nil, externalError("it has more than one hard link, which is not allowed")
	case offset > info.Size() || length > info.Size()-offset:
		return nil, externalError("bytes " + strconv.FormatInt(offset, 10) + " to " + strconv.FormatInt(offset+length, 10) +
			" lie beyond its end at " + strconv.FormatInt(info.Size(), 10))
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(f, offset, length), data); err != nil {
		return nil, err
	}
	return data, nil
}
