package abi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MessageSection is the name of the custom section that holds the errors which the kernels of a
// module may raise: a JSON array of Message. ImportRaise names them by their place.
const MessageSection = "irscope.messages"

// Message is an error that a kernel raises.
type Message struct {
	// Kind is the error's kind as TVM names it: "RuntimeError", "TypeError", ...
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Fact, where it is not empty, is appended to the text in parentheses: the condition that
	// failed, with $0 and $1 for the numbers that the kernel passes.
	Fact string `json:"fact,omitempty"`
}

// Format is the text with its fact, for the numbers x and y.
func (m Message) Format(x, y int64) string {
	if m.Fact == "" {
		return m.Text
	}
	fact := strings.NewReplacer("$0", strconv.FormatInt(x, 10), "$1", strconv.FormatInt(y, 10)).Replace(m.Fact)
	return m.Text + " (" + fact + ")"
}

// EncodeMessages writes the contents of a MessageSection.
func EncodeMessages(list []Message) ([]byte, error) {
	b, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("encoding the messages of kernels: %w", err)
	}
	return b, nil
}

// DecodeMessages reads the contents of a MessageSection.
func DecodeMessages(b []byte) ([]Message, error) {
	var list []Message
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("section %s: %w", MessageSection, err)
	}
	return list, nil
}
