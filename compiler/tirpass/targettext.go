package tirpass

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/irscope/irscope/target"
)

// farDevices are DLPack's numbers of the devices of kinds of TVM that package target does not have; others run on the CPU.
var farDevices = map[string]int{"ext_dev": 12, "hexagon": 16}

// kindNamed returns a kind of target by its name, nil if package target does not have it. NVPTX is the language that CUDA is translated to: its
// devices and limits are those of CUDA.
func kindNamed(name string) *target.Kind {
	if name == "nvptx" {
		name = "cuda"
	}
	k, err := target.Kinds().Lookup(name)
	if err != nil {
		return nil
	}
	return k
}

// onDevice reports whether a kind of target has memory that the host cannot reach.
func onDevice(kind string) bool {
	k := kindNamed(kind)
	return k != nil && k.DeviceType != hostDeviceType
}

// deviceType is DLPack's number of the device that a target is for.
func deviceType(text string) int {
	kind := targetKind(text)
	if k := kindNamed(kind); k != nil {
		return k.DeviceType
	}
	return cmp.Or(farDevices[kind], hostDeviceType)
}

// targetKind returns the kind of a target as its text says it: "cuda -arch=sm_80", or JSON
// with an entry "kind"; "" for none.
func targetKind(text string) string {
	if t, err := target.Parse(text); err == nil {
		return t.Kind().Name
	}
	if fields := targetFields(text); fields != nil {
		kind, _ := fields["kind"].(string)
		return kind
	}
	kind, _, _ := strings.Cut(text, " ")
	return kind
}

// The option of a target in words that names its host.
const hostOption = " -host="

// splitHost takes the host out of a target in words.
func splitHost(text string) (rest, host string) {
	before, after, ok := strings.Cut(text, hostOption)
	if !ok {
		return text, ""
	}
	if q, err := strconv.QuotedPrefix(after); err == nil {
		host, _ = strconv.Unquote(q) // it is quoted
		return before + after[len(q):], host
	}
	host, rest, more := strings.Cut(after, " ")
	if more {
		return before + " " + rest, host
	}
	return before, host
}

// withoutHost returns a target without the host that its text names.
func withoutHost(text string) string {
	if t, err := target.Parse(text); err == nil {
		return t.WithoutHost().String()
	}
	fields := targetFields(text)
	if fields == nil {
		text, _ = splitHost(text)
		return text
	}
	if _, ok := fields["host"]; !ok {
		return text
	}
	delete(fields, "host")
	return fieldsText(fields)
}

// hostOf returns the host that the text of a target names, "" for none.
func hostOf(text string) string {
	if t, err := target.Parse(text); err == nil {
		if t.WithoutHost().Equal(t) {
			return ""
		}
		return t.Host().String()
	}
	fields := targetFields(text)
	if fields == nil {
		_, host := splitHost(text)
		return host
	}
	switch host := fields["host"].(type) {
	case string:
		return host
	case map[string]any:
		return fieldsText(host)
	}
	return ""
}

// withHost returns a target without a host as one with it.
func withHost(text, host string) string {
	if t, err := target.Parse(text); err == nil {
		if h, err := target.Parse(host); err == nil {
			return t.WithHost(h).String()
		}
	}
	if fields := targetFields(text); fields != nil {
		fields["host"] = host
		return fieldsText(fields)
	}
	if strings.ContainsAny(host, " \t\n\"\\") {
		host = strconv.Quote(host)
	}
	return text + hostOption + host
}

// targetFields returns the entries of a target in JSON, nil for one in words.
func targetFields(text string) map[string]any {
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return nil
	}
	return fields
}

func fieldsText(fields map[string]any) string {
	out, err := json.Marshal(fields)
	if err != nil {
		panic(err) // it was JSON
	}
	return string(out)
}

// targetInt returns an attribute of a target, def where nothing says what it is.
func targetInt(text, name string, def int64) int64 {
	if t, err := target.Parse(text); err == nil {
		return t.IntAttr(name, def)
	}
	if fields := targetFields(text); fields != nil {
		if v, ok := fields[name].(float64); ok {
			return int64(v)
		}
	}
	rest, _ := splitHost(text)
	for _, word := range strings.Fields(rest) {
		if s, ok := strings.CutPrefix(word, "-"+name+"="); ok {
			if n, err := strconv.ParseInt(s, 10, 64); err == nil {
				return n
			}
		}
	}
	if k := kindNamed(targetKind(text)); k != nil {
		return target.Of(k.Name).IntAttr(name, def)
	}
	return def
}
