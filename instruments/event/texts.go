package event

// TextRef is a text that an event names.
type TextRef struct {
	Hash string
	// Base is the hash of a text that it is much like; empty where none is known.
	Base string
	// What says what it is, where it is code: "kernel fused_add" or "bytecode".
	What string
}

// texter is a body that names texts; it may name the empty hash, which is none.
type texter interface{ texts(add func(TextRef)) }

// TextRefs lists the texts that an event names, without order.
func TextRefs(e Event) []TextRef {
	b, ok := e.Body.(texter)
	if !ok {
		return nil
	}
	var out []TextRef
	b.texts(func(t TextRef) {
		if t.Hash != "" {
			out = append(out, t)
		}
	})
	return out
}

// Texts returns the hashes of the texts that an event names, without order.
func Texts(e Event) []string {
	var out []string
	for _, t := range TextRefs(e) {
		out = append(out, t.Hash)
	}
	return out
}
