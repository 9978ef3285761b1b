// Command crdreference writes the reference of the resources from their CustomResourceDefinitions: each
// field with its type, default, limits and rules. The output depends on nothing else, so that it can be
// committed and compared.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	crds := flag.String("crds", "", "folder with the CustomResourceDefinitions")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*crds, *out); err != nil {
		fmt.Fprintln(os.Stderr, "crdreference:", err)
		os.Exit(1)
	}
}

func run(folder, out string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return fmt.Errorf("looking for definitions: %w", err)
	}
	if len(paths) == 0 {
		return fmt.Errorf("no *.yaml in %q", folder)
	}
	definitions := []Definition{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading a definition: %w", err)
		}
		definition, err := Read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		definitions = append(definitions, definition)
	}
	return os.WriteFile(out, Write(definitions), 0o644)
}
