package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// The sides of a block on which it accesses a buffer.
const (
	readSide  = "read"
	writeSide = "write"
)

// prepareBuffer returns what turns argument i, a buffer of the block in argument 0, into its index. side is that on which it must be accessed;
// where it is "" the argument becomes a pair of side and index.
func prepareBuffer(i int, side string) func(*State, *Call) error {
	return func(s *State, c *Call) error {
		at, err := s.block(c.block(0))
		if err != nil {
			return err
		}
		on, k, err := findBuffer(at.Block(), c.Args[i], side)
		if err != nil {
			return err
		}
		c.Args[i] = int64(k)
		if side == "" {
			c.Args[i] = []any{on, int64(k)}
		}
		return nil
	}
}

// findBuffer returns the side and index of a buffer that is given by index, name, identity, or as a pair of both.
func findBuffer(b *tir.Block, x any, side string) (string, int, error) {
	if pair, ok := x.([]any); ok {
		if side != "" && pair[0] != side {
			return "", 0, fmt.Errorf("the buffer must be one that block %s %ss, got that at (%q, %d)", b.Name, side, pair[0], pair[1])
		}
		return pair[0].(string), int(pair[1].(int64)), nil
	}
	if n, ok := x.(int64); ok {
		if side == "" {
			return "", 0, fmt.Errorf("expected a pair such as (\"write\", %d): the index alone does not say on which side of block %s the buffer is", n, b.Name)
		}
		return side, int(n), nil
	}
	found, on, at := (*tir.Buffer)(nil), "", 0
	for _, list := range []struct {
		side    string
		regions []*tir.BufferRegion
	}{{readSide, b.Reads}, {writeSide, b.Writes}} {
		if side != "" && list.side != side {
			continue
		}
		for i, r := range list.regions {
			if x != any(r.Buffer) && x != any(r.Buffer.Name) {
				continue
			}
			if found != nil && found != r.Buffer {
				return "", 0, fmt.Errorf("block %s accesses several buffers called %v: give its index", b.Name, x)
			}
			found, on, at = r.Buffer, list.side, i
		}
	}
	if found == nil {
		name := x
		if buf, ok := x.(*tir.Buffer); ok {
			name = buf.Name
		}
		return "", 0, fmt.Errorf("block %s does not access a buffer %v there", b.Name, name)
	}
	return on, at, nil
}

// nthRegion returns the region that a block accesses on a side.
func (s *State) nthRegion(b *tir.Block, n int, side string) (*tir.BufferRegion, error) {
	list := b.Reads
	if side == writeSide {
		list = b.Writes
	}
	if n < 0 || n >= len(list) {
		return nil, s.fail("BufferIndexOutOfRangeError", fmt.Sprintf(
			"The block {0} has %d %s regions, so `buffer_index` is required to be in [0, %d). However, the input `buffer_index` is %d, which is out of the expected range.",
			len(list), side, len(list), n), b)
	}
	return list[n], nil
}

// checkStorageScope returns an error for a memory scope that does not exist.
func (s *State) checkStorageScope(scope string) error {
	if _, ok := storageRank(scope); !ok {
		return s.fail("InvalidStorageScopeError", fmt.Sprintf("The input storage scope %q is invalid.", scope))
	}
	return nil
}

// withScope returns a buffer like b in another memory scope, with its name behind that of b.
func withScope(b *tir.Buffer, scope string) *tir.Buffer {
	out := *b
	like := tir.NewBuffer(b.Name+"_"+scope, b.DType, b.Shape, scope)
	out.Data = &tir.Var{Base: b.Data.Base, Name: b.Data.Name + "_" + scope, Type: like.Data.Type}
	out.Name = like.Name
	return &out
}

// regionOf returns the region of a buffer in a list, nil if it has none.
func regionOf(list []*tir.BufferRegion, b *tir.Buffer) *tir.BufferRegion {
	for _, r := range list {
		if r.Buffer == b {
			return r
		}
	}
	return nil
}

// onlyWriter returns the only block of a scope that writes a buffer, nil if none does.
func (s *State) onlyWriter(scope *tir.Block, b *tir.Buffer) (*tir.Block, error) {
	list := s.deps(scope).writers[b]
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	e := s.fail("NotSingleWriteBlock", fmt.Sprintf("The buffer %s is expected to be written by single block, but got %d blocks who write it.", b.Name, len(list)))
	for _, w := range list {
		e.At = append(e.At, w)
	}
	return nil, e
}
