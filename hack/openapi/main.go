package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "", "file to write; standard output if empty")
	root := flag.String("root", ".", "top folder of the repository")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	comments, err := ReadComments(sources(root))
	if err != nil {
		return err
	}
	text, err := Generate(endpoints(), raw(), comments)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(out, text, 0o600)
}
