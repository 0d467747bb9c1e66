package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

const (
	// maxChain is the number of texts that are decompressed to read one.
	maxChain = 32
	// minDictionary is the size from which a text is worth a dictionary.
	minDictionary = 512
)

// errGone says that a text went between its being looked up and its being written about.
var errGone = errors.New("a text has gone meanwhile")

// packed is a text that is ready to be written: data is nil where it is stored already.
type packed struct {
	store.Text
	key  []byte // the hash in bytes
	base []byte // the key of the dictionary, or nil
	data []byte
}

// prepare looks texts up and compresses those that are new. With alone set, it believes nothing of
// what it looks up and makes every frame readable by itself.
func (s *Store) prepare(ctx context.Context, texts []store.Text, alone bool) ([]packed, error) {
	out := make([]packed, 0, len(texts))
	depths := map[string]int{} // of texts in this batch
	for _, t := range texts {
		p := packed{Text: t}
		var err error
		if p.key, err = hex.DecodeString(t.Hash); err != nil || !event.IsHash(t.Hash) {
			return nil, fmt.Errorf("%.60q is not the hash of a text", t.Hash)
		}
		if _, twice := depths[t.Hash]; twice && !alone {
			out = append(out, p)
			continue
		}
		depth, found, err := s.depth(ctx, p.key)
		if err != nil {
			return nil, err
		}
		if found && !alone {
			depths[t.Hash] = depth
			out = append(out, p)
			continue
		}
		var dictionary []byte
		depth = 0
		if !alone && t.Base != "" && len(t.Data) >= minDictionary {
			dictionary, depth, err = s.dictionary(ctx, t, depths)
			if err != nil {
				return nil, err
			}
		}
		if dictionary != nil {
			p.base, _ = hex.DecodeString(t.Base)
		}
		if p.data, err = pack(t.Data, dictionary); err != nil {
			return nil, err
		}
		depths[t.Hash] = depth
		s.texts.Put(t.Hash, t.Data, int64(len(t.Data)))
		out = append(out, p)
	}
	return out, nil
}

// dictionary returns the base of a text and the depth of the text with it, or nil and 0
// where it is better off alone.
func (s *Store) dictionary(ctx context.Context, t store.Text, depths map[string]int) ([]byte, int, error) {
	key, err := hex.DecodeString(t.Base)
	if err != nil || t.Base == t.Hash {
		return nil, 0, nil
	}
	depth, found := depths[t.Base]
	if !found {
		if depth, found, err = s.depth(ctx, key); err != nil {
			return nil, 0, err
		}
	}
	if !found || depth+1 >= maxChain {
		return nil, 0, nil
	}
	base, ok := s.texts.Get(t.Base)
	if !ok {
		b, err := s.Blob(ctx, t.Base)
		if err != nil {
			return nil, 0, nil //nolint:nilerr // a damaged or vanished base is only no help
		}
		base = b.Data
	}
	if len(base) == 0 || len(base)+len(t.Data) > maxDictionary {
		return nil, 0, nil
	}
	return base, depth + 1, nil
}

// depth returns how many bases it takes to read a text, and whether it is there.
func (s *Store) depth(ctx context.Context, key []byte) (depth int, found bool, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT depth FROM blob WHERE hash = ?", key).Scan(&depth)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return depth, err == nil, explain(err)
}
