package target

import "encoding/json"

// MarshalJSON writes the target as an object with "kind" and what differs from the defaults.
func (t Target) MarshalJSON() ([]byte, error) {
	if t.kind == nil {
		return []byte("null"), nil
	}
	m := map[string]any{"kind": t.kind.Name, "keys": t.keys}
	if len(t.mattr) > 0 {
		m["mattr"] = t.mattr
	}
	for name, v := range t.attrs {
		m[name] = v
	}
	if t.host != nil {
		m["host"] = *t.host
	}
	return json.Marshal(m)
}

// UnmarshalJSON reads what MarshalJSON writes, and a string as Parse does.
func (t *Target) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*t = Target{}
		return nil
	}
	text := string(data)
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	out, err := Parse(text)
	if err == nil {
		*t = out
	}
	return err
}
