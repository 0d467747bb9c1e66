package event

import "bytes"

// The hunks of diffs are most of a log and nothing of the state of a run. A reader that folds a log leaves them out.

// briefer is a body that has something to leave out.
type briefer interface{ brief() Body }

// Brief returns the event without the hunks of its diffs. The event stays as it is.
func (e Event) Brief() Event {
	if b, ok := e.Body.(briefer); ok {
		e.Body = b.brief()
	}
	return e
}

// DecodeBrief reads one event without the hunks of its diffs.
func DecodeBrief(data []byte) (Event, error) { return Decode(cutHunks(data)) }

// hunksKey begins a list of hunks. A text inside of JSON cannot hold it: its quotes are escaped there.
var hunksKey = []byte(`,"hunks":[`)

// cutHunks returns the encoding of an event without lists of hunks, or data itself where it has none. Most of a log is hunks: to
// find their end is ten times faster than to decode them. What is not as Encode writes it stays as it is.
func cutHunks(data []byte) []byte {
	i := bytes.Index(data, hunksKey)
	if i < 0 {
		return data
	}
	out := make([]byte, 0, len(data)/2)
	for ; i >= 0; i = bytes.Index(data, hunksKey) {
		n := listEnd(data[i+len(hunksKey):])
		if n < 0 {
			break
		}
		out = append(out, data[:i]...)
		data = data[i+len(hunksKey)+n:]
	}
	return append(out, data...)
}

// listEnd returns the length of what remains of a list of JSON, with its bracket; -1 where it does not end.
func listEnd(data []byte) int {
	for i, depth := 0, 1; i < len(data); i++ {
		switch data[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			for i++; ; i++ {
				n := bytes.IndexByte(data[i:], '"')
				if n < 0 {
					return -1
				}
				// The quote ends the string unless an odd number of backslashes stands before it.
				j := i + n
				for i = j; data[i-1] == '\\'; i-- {
				}
				odd := (j-i)%2 == 1
				if i = j; !odd {
					break
				}
			}
		}
	}
	return -1
}

// sizer is a body whose size in memory depends on what it lists.
type sizer interface{ size() int64 }

// Size estimates what an event holds in memory, in bytes.
func (e Event) Size() int64 {
	if b, ok := e.Body.(sizer); ok {
		return 512 + b.size()
	}
	return 512
}
