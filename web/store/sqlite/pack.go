package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxUnpacked is the size of the largest frame that is read, so that a damaged file
	// cannot ask for more: no model, text or group of events is as large.
	maxUnpacked = 256 << 20
	// maxDictionary bounds a text and its dictionary together.
	maxDictionary = 32 << 20
	// minWindow is the least window of the format that both sides take.
	minWindow = 1 << 10
	dictID    = 1
)

// plain are the coders without a dictionary; they may be used by several goroutines.
var plain = sync.OnceValue(func() (c struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
},
) {
	var err error
	if c.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2)); err == nil {
		c.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecodeAllCapLimit(true))
	}
	if err != nil {
		panic(fmt.Sprintf("sqlite: options of zstd: %v", err))
	}
	return c
})

// pack compresses data into a frame with a checksum, with a base as dictionary unless it
// is nil.
func pack(data, base []byte) ([]byte, error) {
	if base == nil {
		return plain().enc.EncodeAll(data, nil), nil
	}
	window := max(minWindow, 1<<bits.Len(uint(len(data)+len(base))))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithEncoderDictRaw(dictID, base))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	defer func() { _ = enc.Close() }()
	return enc.EncodeAll(data, nil), nil
}

// unpack is the inverse of pack. A frame says how long its content is, and no more is read.
func unpack(frame, base []byte) ([]byte, error) {
	if len(frame) == 0 {
		return nil, nil
	}
	var head zstd.Header
	if err := head.Decode(frame); err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	size := uint64(255) // frames of fewer than 256 bytes need not say so
	if head.HasFCS {
		size = head.FrameContentSize
	}
	if size > maxUnpacked {
		return nil, fmt.Errorf("decompress: the frame says that it has %d bytes, want at most %d", size, maxUnpacked)
	}
	dec := plain().dec
	if base != nil {
		var err error
		if dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderDictRaw(dictID, base)); err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		defer dec.Close()
	}
	data, err := dec.DecodeAll(frame, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return data, nil
}

// packLines makes one frame of lines.
func packLines(lines [][]byte) ([]byte, error) {
	size := 0
	for _, l := range lines {
		size += len(l) + binary.MaxVarintLen32
	}
	buf := make([]byte, 0, size)
	for _, l := range lines {
		buf = append(binary.AppendUvarint(buf, uint64(len(l))), l...)
	}
	return pack(buf, nil)
}

// errLines says that a frame of lines is not as packLines made it.
var errLines = errors.New("events of other lengths than the row says")

// appendLines appends the lines of a frame that holds count of them, but the first skip.
func appendLines(lines [][]byte, frame []byte, count, skip int) ([][]byte, error) {
	buf, err := unpack(frame, nil)
	if err != nil {
		return nil, err
	}
	for i := range count {
		n, k := binary.Uvarint(buf)
		if k <= 0 || n > uint64(len(buf)-k) {
			return nil, errLines
		}
		if end := k + int(n); i >= skip {
			lines = append(lines, buf[k:end:end])
		}
		buf = buf[k+int(n):]
	}
	if len(buf) > 0 {
		return nil, errLines
	}
	return lines, nil
}
