package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parseDefines reads what --define gives: a value is a literal of Python or JSON (a number,
// True, None, a string in quotes, a list), and otherwise a string as it stands.
func parseDefines(list []string) (map[string]any, error) {
	out := map[string]any{}
	for _, s := range list {
		name, text, ok := strings.Cut(s, "=")
		if name = strings.TrimSpace(name); !ok || !identifier(name) {
			return nil, fmt.Errorf("--define %s: expected name=value, with a name that Python allows", s)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("--define %s: %s is already defined", s, name)
		}
		v, err := parseLiteral(text)
		if err != nil {
			return nil, fmt.Errorf("--define %s: %w", s, err)
		}
		out[name] = v
	}
	return out, nil
}

// identifier reports whether s is a name of Python, of ASCII letters.
func identifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func parseLiteral(text string) (any, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return nil, errors.New("the value is missing")
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "None":
		return nil, nil
	}
	if n := len(text); n > 1 && text[0] == '\'' && text[n-1] == '\'' {
		return text[1 : n-1], nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	if err == nil {
		if _, rest := dec.Token(); rest != io.EOF {
			err = errors.New("there is text after the value")
		}
	}
	if err != nil {
		if strings.ContainsAny(text[:1], `[{"`) {
			return nil, fmt.Errorf("the value is not a literal: %w", err)
		}
		return text, nil
	}
	return literal(v)
}

// literal turns a value of JSON into one that a text may refer to.
func literal(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("%s does not fit in 64 bits", v)
		}
		return f, nil
	case []any:
		for i := range v {
			x, err := literal(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = x
		}
		return v, nil
	case map[string]any:
		return nil, errors.New("a value is a number, True, False, None, a string, or a list of these, not a dictionary")
	}
	return v, nil
}
