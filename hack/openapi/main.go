package main

import (
	"flag"
	"fmt"
	"os"

	"chatserver.dev/services/admin"
)

func main() {
	out := flag.String("o", "", "file to write; standard output if empty")
	root := flag.String("root", ".", "top folder of the repository")
	ofAdmin := flag.Bool("admin", false, "describe the admin interface instead of the public one")
	flag.Parse()
	if err := run(*root, *out, *ofAdmin); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(root, out string, ofAdmin bool) error {
	comments, err := ReadComments(sources(root))
	if err != nil {
		return err
	}
	generate := func() ([]byte, error) { return Generate(endpoints(), raw(), occurring(), comments) }
	if ofAdmin {
		generate = func() ([]byte, error) { return GenerateAdmin(admin.Operations(nil), comments) }
	}
	text, err := generate()
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(out, text, 0o600)
}
