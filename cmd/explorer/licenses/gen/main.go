// Command gen writes the licences of what the irscope binary contains; see package licenses.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	out := flag.String("o", "licenses.txt", "file to write")
	flag.Parse()
	text, err := collect(*root)
	if err == nil {
		err = os.WriteFile(*out, []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
