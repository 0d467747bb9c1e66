package dumps

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// Limits of dumps that are several files: a folder, or an archive of one.
const (
	// MaxFiles is the number of files, MaxUnpacked that of their bytes together.
	MaxFiles    = 20_000
	MaxUnpacked = 256 << 20
	// maxZip is the size of a zip archive, which has its directory at the end and so is read as a whole.
	maxZip = 64 << 20
	// maxRatio is how much smaller than its content a file of an archive may be, or a compressed text beyond the first freely bytes.
	maxRatio = 500
	freely   = 64 << 20
)

// File is a file of a folder of dumps.
type File struct {
	// Name is the path within the folder, with slashes.
	Name string
	Data []byte
}

// limit returns the error of a limit of files.
func limit(name, format string, args ...any) error {
	return &event.Error{Kind: event.KindLimit, Limit: name, Message: fmt.Sprintf(format, args...)}
}

// unpack looks at the beginning of an input. It returns the files of an archive (zip or tar), or else the input, which is decompressed
// if it was compressed with gzip.
func unpack(in io.Reader) ([]File, io.Reader, error) {
	raw := &counted{in: in}
	r := bufio.NewReaderSize(raw, block)
	head := beginning(r)
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, &event.Error{Kind: event.KindInput, Message: "the gzip file cannot be read: " + err.Error()}
		}
		r = bufio.NewReaderSize(&unpacked{z: z, raw: raw}, block)
		head, _ = r.Peek(512)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		files, err := unzip(r)
		return files, nil, err
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		files, err := untar(r)
		return files, nil, err
	}
	return nil, r, nil
}

// counted counts the bytes that are read.
type counted struct {
	in    io.Reader
	bytes int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.bytes += int64(n)
	return n, err
}

// unpacked is a compressed text, which ends with an error where it grows beyond measure: no compiler prints the like, and reading it
// would keep a server busy for hours.
type unpacked struct {
	z     io.Reader
	raw   *counted
	bytes int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if u.bytes += int64(n); u.bytes > freely && u.bytes/maxRatio > u.raw.bytes {
		return n, limit("archive", "the text is compressed more than %d times, which no dump is", maxRatio)
	}
	return n, err
}

// beginning returns what has come of an input, and does not wait for more of a text: a compiler may print a line and then take long. An
// archive has a zero byte early on.
func beginning(r *bufio.Reader) []byte {
	_, _ = r.Peek(4) // less where there is less
	head, _ := r.Peek(min(r.Buffered(), 512))
	if bytes.IndexByte(head, 0) >= 0 {
		head, _ = r.Peek(512)
	}
	return head
}

// untar reads the files of a tar archive.
func untar(in io.Reader) ([]File, error) {
	var c collector
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c.files, nil
		}
		if err != nil {
			return c.files, &unread{len(c.files), fmt.Errorf("read the archive: %w", err)}
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := c.add(h.Name, r); err != nil {
			return c.files, err
		}
	}
}

// unzip reads the files of a zip archive.
func unzip(in io.Reader) ([]File, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxZip+1))
	if err != nil {
		return nil, &event.Error{Kind: event.KindInput, Message: "the zip archive cannot be read: " + err.Error()}
	}
	if len(data) > maxZip {
		return nil, limit("archive", "a zip archive of dumps is limited to %d MiB; use .tar.gz", maxZip>>20)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are not those of files here
		return nil, &event.Error{Kind: event.KindInput, Message: "the zip archive cannot be read: " + err.Error()}
	}
	var c collector
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if f.UncompressedSize64/maxRatio > f.CompressedSize64+1024 {
			return c.files, limit("archive", "%s is compressed more than %d times, which no dump is", cleanName([]byte(f.Name)), maxRatio)
		}
		r, err := f.Open()
		if err == nil {
			err = errors.Join(c.add(f.Name, r), r.Close())
		}
		if err != nil {
			return c.files, fault(err)
		}
	}
	return c.files, nil
}

// collector keeps files within the limits.
type collector struct {
	files []File
	bytes int64
}

func (c *collector) add(name string, r io.Reader) error {
	if len(c.files) == MaxFiles {
		return limit("files", "the folder has more than %d files, the limit here", MaxFiles)
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxUnpacked-c.bytes+1))
	var known *event.Error
	if errors.As(err, &known) { // a limit
		return known
	}
	if err != nil {
		return &event.Error{Kind: event.KindInput, Message: fmt.Sprintf("read %s: %v", cleanName([]byte(name)), err)}
	}
	if c.bytes += int64(len(data)); c.bytes > MaxUnpacked {
		return limit("files", "the files of the folder have more than %d MiB, the limit here", MaxUnpacked>>20)
	}
	c.files = append(c.files, File{path.Clean(strings.ReplaceAll(name, `\`, "/")), data})
	return nil
}

// sortFiles brings files into the order in which people count: t9 before t10.
func sortFiles(files []File) {
	slices.SortStableFunc(files, func(a, b File) int { return natural(a.Name, b.Name) })
}

// natural compares two names, numbers in them by their value.
func natural(a, b string) int {
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			x, y := number(a), number(b)
			p, q := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(p) != len(q) {
				return len(p) - len(q)
			}
			if p != q {
				return strings.Compare(p, q)
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// number returns the digits at the beginning of s.
func number(s string) string {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return s[:n]
}
