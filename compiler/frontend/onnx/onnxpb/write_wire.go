package onnxpb

import "google.golang.org/protobuf/encoding/protowire"

// The put functions append one field. Scalars of value zero are left out, as protobuf does.

func putInt(b []byte, num protowire.Number, v int64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
}

func putString(b []byte, num protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), s)
}

// putStrings keeps empty strings: in a list of operands each is a place left out.
func putStrings(b []byte, num protowire.Number, ss []string) []byte {
	for _, s := range ss {
		b = protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), s)
	}
	return b
}

func putMessage(b []byte, num protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), body)
}

func putPacked(b []byte, num protowire.Number, body []byte) []byte {
	if len(body) == 0 {
		return b
	}
	return putMessage(b, num, body)
}

func putInts(b []byte, num protowire.Number, vs []int64) []byte {
	var p []byte
	for _, v := range vs {
		p = protowire.AppendVarint(p, uint64(v))
	}
	return putPacked(b, num, p)
}

func putOpsets(b []byte, num protowire.Number, os []OpsetID) []byte {
	for _, o := range os {
		b = putMessage(b, num, putInt(putString(nil, 1, o.Domain), 2, o.Version))
	}
	return b
}

func putEntries(b []byte, num protowire.Number, es []Entry) []byte {
	for _, e := range es {
		b = putMessage(b, num, putString(putString(nil, 1, e.Key), 2, e.Value))
	}
	return b
}

func putValueInfos(b []byte, num protowire.Number, vs []ValueInfo) []byte {
	for i := range vs {
		b = putMessage(b, num, vs[i].marshal())
	}
	return b
}
