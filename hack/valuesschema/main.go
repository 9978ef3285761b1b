// Command valuesschema writes the schema of the values of the chart chatserver: the schemas of the CRDs in the
// frame of frame.json, so that a value that a resource would not have is refused before anything is installed.
//
//	go run ./hack/valuesschema -crds charts/chatserver-operator/files/crds -o charts/chatserver/values.schema.json
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

//go:generate go run . -crds ../../charts/chatserver-operator/files/crds -o ../../charts/chatserver/values.schema.json

//go:embed frame.json
var frame []byte

func main() {
	crds := flag.String("crds", "", "folder with the CRDs")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*crds, *out); err != nil {
		fmt.Fprintln(os.Stderr, "valuesschema:", err)
		os.Exit(1)
	}
}

func run(crds, out string) error {
	if crds == "" || out == "" {
		return errors.New("-crds and -o are needed")
	}
	server, err := readSpec(filepath.Join(crds, "chatserver.dev_chatservers.yaml"))
	if err != nil {
		return err
	}
	organization, err := readSpec(filepath.Join(crds, "chatserver.dev_organizations.yaml"))
	if err != nil {
		return err
	}
	schema, err := Assemble(server, organization)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the schema: %w", err)
	}
	//nolint:gosec // part of the source tree.
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	return nil
}
