package pass

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// ParseConfig reads the command-line form of a value for key: true/false, a number, or for a
// structured option field=value pairs given one at a time as key.field=value.
func ParseConfig(key, text string) (string, any, error) {
	o := configOption(key)
	if o == nil {
		for i := len(key) - 1; i > 0; i-- {
			if key[i] != '.' {
				continue
			}
			if p := configOption(key[:i]); p != nil {
				if fields, ok := p.Default.(*ir.Attrs); ok {
					def, ok := fields.Get(key[i+1:])
					if !ok {
						_, err := completeFields(p.Key, fields, map[string]any{key[i+1:]: text})
						return "", nil, err
					}
					v, err := parseAs(key, def, text)
					return p.Key, map[string]any{key[i+1:]: v}, err
				}
			}
		}
		return "", nil, &ConfigError{Key: key, Known: configKeys()}
	}
	v, err := parseAs(key, o.Default, text)
	return o.Key, v, err
}

func parseAs(key string, def ir.Value, text string) (any, error) {
	bad := &ConfigError{Key: key, Want: typeName(def), Got: text}
	switch def.(type) {
	case bool:
		if v, err := strconv.ParseBool(text); err == nil {
			return v, nil
		}
	case int64:
		if v, err := strconv.ParseInt(text, 0, 64); err == nil {
			return v, nil
		}
	case float64:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v, nil
		}
	case string:
		return text, nil
	}
	return nil, bad
}

// coerce returns v as the type of def; integers 0 and 1 serve as bools.
func coerce(def ir.Value, v any) (ir.Value, bool) {
	switch v.(type) {
	case nil, bool, int, int32, int64, float32, float64, string, []ir.Value, []int64, []int, []string, *ir.Attrs:
		v = ir.Normalize(v)
	}
	switch def.(type) {
	case bool:
		switch x := v.(type) {
		case bool:
			return x, true
		case int64:
			return x != 0, x == 0 || x == 1
		}
	case int64:
		switch x := v.(type) {
		case int64:
			return x, true
		case float64:
			return int64(x), x == float64(int64(x))
		}
	case float64:
		switch x := v.(type) {
		case float64:
			return x, true
		case int64:
			return float64(x), true
		}
	case string:
		x, ok := v.(string)
		return x, ok
	case []ir.Value:
		x, ok := v.([]ir.Value)
		return x, ok
	case *ir.Attrs:
		x, ok := v.(*ir.Attrs)
		return x, ok
	case nil:
		return v, true
	}
	return v, false
}

func typeName(v ir.Value) string {
	switch v.(type) {
	case bool:
		return "bool"
	case int64, int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []ir.Value:
		return "list"
	case *ir.Attrs:
		return "dict"
	}
	return "object"
}

// describeValue writes a value that a user gave, for an error.
func describeValue(v ir.Value) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []ir.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = describeValue(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ir.Attrs:
		return "a dict"
	}
	return fmt.Sprint(v)
}

func showValue(v ir.Value) any {
	a, ok := v.(*ir.Attrs)
	if !ok {
		return v
	}
	m := map[string]any{}
	for i := range a.Len() {
		k, x := a.At(i)
		m[k] = x
	}
	return m
}
