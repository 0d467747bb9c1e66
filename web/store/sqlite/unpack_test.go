package sqlite

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// TestFrameBombs reads frames of a few kilobytes that inflate to more than any text has: they
// are refused at the bound, and cost little before.
func TestFrameBombs(t *testing.T) {
	frame, err := pack(make([]byte, 100), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Blocks of one byte that is repeated 128 KiB times, 4 bytes each, after a header.
	blocks := bytes.Repeat([]byte{2, 0, 16, 'x'}, 10_000)
	blocks = append(blocks, 3, 0, 16, 'x')
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	sized := func(size uint64) []byte { return binary.LittleEndian.AppendUint64(append(magic[:4:4], 0xe0), size) }
	for name, c := range map[string][]byte{
		"says that it has 2^62 bytes":  append(sized(1<<62), blocks...),
		"says that it has 2 GiB":       append(sized(2<<30), blocks...),
		"says that it has 100 bytes":   append(sized(100), blocks...),
		"says no size":                 append(append(magic[:4:4], 0, 0x50), blocks...),
		"one more frame":               append(frame, append(sized(uint64(len(blocks))<<15), blocks...)...),
		"a hundred bytes and no frame": make([]byte, 100),
	} {
		var err error
		heap := goal.Heap(func() { _, err = unpack(c, nil) })
		if err == nil {
			t.Errorf("%s: %d bytes are unpacked", name, len(c))
		}
		goal.Bytes(t, name, heap, 4<<20)
	}
}

// FuzzUnpack reads frames, with and without a dictionary, and as lines of a log.
func FuzzUnpack(f *testing.F) {
	base := bytes.Repeat([]byte("    lv = R.add(x, y)\n"), 50)
	for _, dict := range [][]byte{nil, base} {
		frame, err := pack(append(base, "return lv\n"...), dict)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame, 1)
		f.Add(frame[:len(frame)/2], 1)
	}
	lines, err := packLines([][]byte{[]byte(`{"seq":0}`), []byte(`{"seq":1}`)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines, 2)
	f.Fuzz(func(t *testing.T, frame []byte, count int) {
		var header zstd.Header
		if header.Decode(frame) == nil && header.FrameContentSize > 64<<20 {
			t.Skip("more than a test should take")
		}
		for _, dict := range [][]byte{nil, base} {
			data, err := unpack(frame, dict)
			if err != nil {
				continue
			}
			again, err := pack(data, dict)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := unpack(again, dict); err != nil || !bytes.Equal(back, data) {
				t.Fatalf("%d bytes come back as %d: %v", len(data), len(back), err)
			}
		}
		got, err := appendLines(nil, frame, count, 0)
		if err == nil && len(got) != max(count, 0) {
			t.Fatalf("%d lines of %d", len(got), count)
		}
	})
}
