// Command values writes what is made of the charts' values: the schema of the chart chatserver, which is that of the
// CRDs in the frame of frame.json, so that a value that a resource would not have is refused before anything is installed;
// and the tables at the end of the charts' READMEs.
//
//	go run ./hack/values -charts charts
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . -charts ../../charts

//go:embed frame.json
var frame []byte

func main() {
	charts := flag.String("charts", "charts", "folder with the charts")
	flag.Parse()
	if err := run(*charts); err != nil {
		fmt.Fprintln(os.Stderr, "values:", err)
		os.Exit(1)
	}
}

func run(charts string) error {
	if err := writeSchema(filepath.Join(charts, "chatserver-operator", "files", "crds"), filepath.Join(charts, "chatserver", "values.schema.json")); err != nil {
		return err
	}
	for _, chart := range []string{"chatserver", "chatserver-operator"} {
		if err := writeTable(filepath.Join(charts, chart)); err != nil {
			return fmt.Errorf("the table of chart %s: %w", chart, err)
		}
	}
	return nil
}

func writeSchema(crds, out string) error {
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
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	return nil
}
