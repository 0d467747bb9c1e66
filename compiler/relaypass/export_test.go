package relaypass

// FormNames are the operators that ToRelax knows.
func FormNames() []string {
	var out []string
	for _, t := range []map[string]relaxForm{nnForms, windowForms, shapeForms, indexForms, plainForms} {
		for name := range t {
			out = append(out, name)
		}
	}
	return out
}
