// Command faults compares the faults that endpoints declare with those that they returned in tests, and fails if a
// declared fault is missing. It runs in the root of the repository, and reads the folder to which package servicetest
// writes the faults while tests run:
//
//	faults folder
//
// All packages must have been tested; see hack/test. Integrations share their code and their faults, so a fault of one
// of them counts for all.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/webhook"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: faults folder")
		os.Exit(2)
	}
	got, err := read(os.Args[1], ".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
	endpoints := slices.Concat(api.Endpoints(domain.Domain{}, ""), api.Development(domain.Domain{}), (*events.Service)(nil).Endpoints(), webhook.Endpoints(nil))
	missing, all := compare(endpoints, got)
	if len(missing) > 0 {
		fmt.Printf("\nDeclared, but returned in no test (test it, or remove it from the endpoint's Faults):\n  %s\n", strings.Join(missing, "\n  "))
		os.Exit(1)
	}
	fmt.Printf("\nEach of the %d declared faults is returned in a test.\n", all)
}

// module is the first element of all package paths.
const module = "chatserver.dev"

// read returns the lines of all files in a folder. Each line has an endpoint's route, a tab and a fault. Files of
// packages that are no longer in the repository are left out.
func read(folder, repository string) (map[string]bool, error) {
	lines := map[string]bool{}
	notes := os.DirFS(filepath.Join(folder, module))
	err := fs.WalkDir(notes, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		dir := filepath.Join(repository, filepath.FromSlash(strings.TrimSuffix(path, ".faults")))
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		text, err := fs.ReadFile(notes, path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			lines[strings.TrimSuffix(line, "\n")] = true
		}
		return nil
	})
	return lines, err
}

// compare returns the declared faults that got lacks, sorted, and the number of all declared faults.
func compare(endpoints []endpoint.Endpoint, got map[string]bool) (missing []string, all int) {
	integrations := []string{}
	for _, e := range endpoints {
		if e.Kind() == endpoint.KindHook {
			integrations = append(integrations, e.Route())
		}
	}
	for _, e := range endpoints {
		routes := []string{e.Route()}
		if e.Kind() == endpoint.KindHook {
			routes = integrations
		}
		for _, f := range e.About().Faults {
			all++
			key := fmt.Sprintf("\t%d %s %s", f.Kind, f.Code, f.Msg)
			if !slices.ContainsFunc(routes, func(route string) bool { return got[route+key] }) {
				missing = append(missing, e.Route()+": "+strings.TrimSpace(key))
			}
		}
	}
	slices.Sort(missing)
	return missing, all
}
