package irjson

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// Load reads what Save wrote in either encoding and returns an *ir.Module or an ir.Node.
// What it returns is well formed node by node: types fit, what must be there is. Whether it is
// a correct program, the verifiers of the two levels say. Errors give line and column.
func Load(r io.Reader, lim Limits) (any, error) {
	br := bufio.NewReaderSize(&limited{r: r, left: lim.FileBytes, limit: lim.FileBytes}, 1<<16)
	in := &lines{r: br}
	l := &loader{reader: reader{in: in, lim: lim}, blobBytes: lim.BlobBytes}
	if start, _ := br.Peek(len(magic)); string(start) == magic {
		if err := l.readRaw(br); err != nil {
			return nil, fmt.Errorf("irjson: raw constants: %w", err)
		}
	}
	l.dec = json.NewDecoder(in)
	l.dec.UseNumber()
	in.at = l.dec.InputOffset
	return l.file()
}

type loader struct {
	reader
	raw       [][]byte // what stands before the JSON
	hasRaw    bool
	blobBytes int64 // left to read
	sources   []*ir.Source
	data      [][]byte
	blobs     []*ir.Blob
	origins   *ir.Origins
	nodes     []ir.Node
	depth     []int32
	places    []int64
	module    *ir.Module
}

// preallocate bounds the memory that a stated length alone gets.
const preallocate = 1 << 20

func (l *loader) readRaw(br *bufio.Reader) error {
	l.hasRaw = true
	if _, err := br.Discard(len(magic)); err != nil {
		return err
	}
	var b [8]byte
	number := func() (uint64, error) {
		_, err := io.ReadFull(br, b[:])
		return binary.LittleEndian.Uint64(b[:]), err
	}
	count, err := number()
	if err != nil {
		return err
	}
	for range count {
		n, err := number()
		if err != nil {
			return err
		}
		if n > uint64(l.blobBytes) {
			return l.tooManyBlobBytes()
		}
		l.blobBytes -= int64(n)
		data := bytes.NewBuffer(make([]byte, 0, min(n, preallocate)))
		if _, err := io.CopyN(data, br, int64(n)); err != nil {
			return err
		}
		l.raw = append(l.raw, data.Bytes())
	}
	return nil
}

func (l *loader) tooManyBlobBytes() error {
	return fmt.Errorf("the constants have more than %d bytes (Limits.BlobBytes)", l.lim.BlobBytes)
}

// file reads the JSON. The tables must stand in the order in which Save writes them: each
// entry refers to entries before it.
func (l *loader) file() (any, error) {
	parts := []struct {
		key  string
		read func() error
	}{
		{keyVersion, l.version},
		{keySources, l.readSources},
		{keyData, l.readData},
		{keyBlobs, l.readBlobs},
		{keyOrigins, l.readOrigins},
		{keyNodes, l.readNodes},
		{keyRoot, l.readRoot},
	}
	done := 0
	err := l.object("a saved module or node", func(key string) error {
		for i := done; i < len(parts); i++ {
			if parts[i].key == key {
				if i > 0 && done == 0 {
					break // the version decides how to read the rest
				}
				done = i + 1
				return parts[i].read()
			}
		}
		var left []string
		for _, p := range parts[done:] {
			left = append(left, p.key)
		}
		if done == 0 {
			left = left[:1]
		}
		return l.fail("unexpected key %q, expected one of: %s (in this order)", key, strings.Join(left, ", "))
	})
	if err != nil {
		return nil, err
	}
	if done < len(parts) {
		return nil, l.fail("the file has no %q", keyRoot)
	}
	if _, err := l.dec.Token(); err != io.EOF {
		if err == nil {
			return nil, l.fail("expected the end of the file after the object")
		}
		return nil, l.wrap(err)
	}
	if l.module != nil {
		return l.module, nil
	}
	return l.nodes[len(l.nodes)-1], nil
}

func (l *loader) version() error {
	v, err := l.number(keyVersion, 1, math.MaxInt64)
	if err == nil && v > Version {
		err = l.fail("the file has format version %d, but this program reads versions up to %d: use a newer program", v, Version)
	}
	return err
}

func (l *loader) readNodes() error {
	return l.array("the table of nodes", func(i int) error {
		if i >= l.lim.Nodes {
			return l.fail("more than %d nodes (Limits.Nodes)", l.lim.Nodes)
		}
		if l.module != nil {
			return l.fail("a node follows the module, which must be the last one")
		}
		return l.node(i)
	})
}

func (l *loader) readRoot() error {
	last := int64(len(l.nodes))
	if l.module == nil {
		last--
	}
	if last < 0 {
		return l.fail("the table of nodes is empty")
	}
	_, err := l.number("the root, which is the last node", last, last)
	return err
}
