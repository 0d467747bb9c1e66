package compact

import (
	"slices"
	"strings"
)

// What stands before the name of a function of the module, and before the key of a constant.
const (
	ofModule   = "cls."
	ofConstant = `metadata["relax.expr.Constant"]["`
)

// values returns the names that lines bind, and those of parameters: what stands before a type or an equals sign.
func values(lines []string) map[string]bool {
	all := map[string]bool{}
	for _, l := range lines {
		l = strings.TrimLeft(l, " ")
		if strings.HasPrefix(l, "def ") {
			for i := 1; i < len(l)-1; i++ {
				if l[i] == ':' && l[i+1] == ' ' {
					all[l[nameBefore(l, i):i]] = true
				}
			}
			continue
		}
		if n := nameAt(l); n > 0 && (strings.HasPrefix(l[n:], ": ") || strings.HasPrefix(l[n:], " = ")) {
			all[l[:n]] = true
		}
	}
	delete(all, "")
	return all
}

// functions returns the names of the functions of the module that lines define and call.
func functions(lines []string) map[string]bool {
	all := map[string]bool{}
	for _, l := range lines {
		if def, ok := strings.CutPrefix(strings.TrimLeft(l, " "), "def "); ok {
			all[def[:nameAt(def)]] = true
		}
		for _, called := range behind(l, ofModule) {
			all[called] = true
		}
	}
	delete(all, "")
	return all
}

// behind returns the names that stand behind each prefix in a line.
func behind(l, prefix string) (out []string) {
	for {
		i := strings.Index(l, prefix)
		if i < 0 {
			return out
		}
		l = l[i+len(prefix):]
		n := nameAt(l)
		out, l = append(out, l[:n]), l[n:]
	}
}

// nameAt returns the length of the name that s begins with.
func nameAt(s string) int {
	n := 0
	for n < len(s) && word(s[n]) {
		n++
	}
	return n
}

// nameBefore returns where the name begins that ends before column end.
func nameBefore(s string, end int) int {
	for end > 0 && word(s[end-1]) {
		end--
	}
	return end
}

// shortNames returns the short forms of names, of those that have one. The importer puts the operator of ONNX into names; it goes, and
// what repeats it in small letters, as far as what is left stays the name of one thing alone.
func shortNames(all map[string]bool) map[string]string {
	owners := make(map[string]int, len(all))
	long := map[string][3]string{} // the forms of names that have others
	for name := range all {
		f := forms(name)
		owners[name]++
		for i := 1; i < len(f); i++ {
			if f[i] != f[i-1] {
				owners[f[i]]++
				long[name] = f
			}
		}
	}
	out := make(map[string]string, len(long))
	for name, f := range long {
		for _, s := range f[1:] {
			if s != name && s != "" && owners[s] == 1 {
				out[name] = s
			}
		}
	}
	return out
}

// forms returns a name, what it is without operators, and that without what repeats them: bn1_BatchNormalization_batch_norm_var,
// bn1_batch_norm_var, bn1_var.
func forms(name string) [3]string { return [3]string{name, shorten(name, false), shorten(name, true)} }

// shorten drops the operators of ONNX from a name, and what exporters append to every output; with repeats also what says them again,
// where something follows. A fused kernel is told apart by the node that it was made for: of that the operator and what follows go.
func shorten(name string, repeats bool) string {
	parts := strings.Split(strings.TrimSuffix(name, "_output_0"), "_")
	kernel := parts[0] == "fused"
	var out []string
	for i := 0; i < len(parts); i++ {
		switch p := parts[i]; {
		case !onnxOperators[p] || i == 0 && (len(parts) == 1 || parts[1] == "" || !letter(parts[1][0])):
			out = append(out, p)
		case kernel && !slices.ContainsFunc(parts[i+1:], func(q string) bool { return onnxOperators[q] }):
			return strings.Join(append(out, named(parts[i+1:])...), "_")
		case repeats && !kernel && len(out) > 0:
			i += repeated(p, parts[i+1:])
		}
	}
	return strings.Join(out, "_")
}

// repeated returns how many parts say an operator again, as batch and norm say BatchNormalization; 0 where they are the last.
func repeated(operator string, parts []string) int {
	rest, n := strings.ToLower(operator), 0
	for n < len(parts) && parts[n] != "" && strings.HasPrefix(rest, parts[n]) {
		rest = rest[len(parts[n]):]
		n++
	}
	if n == len(parts) {
		return 0
	}
	return n
}

// named returns what of the parts behind the operator of a kernel's node names the node: n12 of Conv_n12.
func named(parts []string) []string {
	if len(parts) == 1 && parts[0] != "" && letter(parts[0][0]) && !graphOperators[parts[0]] {
		return parts
	}
	return nil
}

// letter reports whether a name may begin with c.
func letter(c byte) bool { return word(c) && (c < '0' || c > '9') }

// shortKeys returns what constants are called: c and as much of their hash as tells them apart, at least 3 digits.
func shortKeys(lines []string) map[string]string {
	var all []string
	for _, l := range lines {
		all = append(all, behind(l, ofConstant)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	out := make(map[string]string, len(all))
	for i, k := range all {
		n := 3
		if i > 0 {
			n = max(n, common(k, all[i-1])+1)
		}
		if i+1 < len(all) {
			n = max(n, common(k, all[i+1])+1)
		}
		out[k] = "c" + k[:min(n, len(k))]
	}
	return out
}

// common returns the length of what a and b begin with.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
