// Command values generates files from nothing but the definitions of the resources and the values of the charts:
//
//   - docs/kubernetes/reference.md: each field of the resources with its type, default, limits and rules;
//   - the schema of the chart chatserver, composed of frame.json and the schemas of the definitions, so that Helm refuses a
//     value that is invalid in the resources before it installs anything;
//   - the tables at the end of the charts' READMEs.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . -root ../..

//go:embed frame.json
var frame []byte

func main() {
	root := flag.String("root", ".", "top folder of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "values:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	charts := filepath.Join(root, "charts")
	definitions, err := readAll(filepath.Join(charts, "chatserver-operator", "files", "crds"))
	if err != nil {
		return err
	}
	specs := map[string]object{}
	for _, d := range definitions {
		specs[d.Kind] = d.spec
	}
	schema, err := assemble(specs["ChatServer"], specs["Organization"])
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the schema: %w", err)
	}
	return errors.Join(
		write(filepath.Join(root, "docs", "kubernetes", "reference.md"), reference(definitions)),
		write(filepath.Join(charts, "chatserver", "values.schema.json"), append(text, '\n')),
		writeTable(filepath.Join(charts, "chatserver")),
		writeTable(filepath.Join(charts, "chatserver-operator")),
	)
}

// readAll reads all definitions in a folder.
func readAll(folder string) ([]definition, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no *.yaml in %q", folder)
	}
	if err != nil {
		return nil, err
	}
	definitions := make([]definition, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if definitions[i], err = read(text); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return definitions, nil
}

func write(path string, text []byte) error {
	return os.WriteFile(path, text, 0o644)
}
