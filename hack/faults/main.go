// Command faults compares the faults that endpoints declare with those that tests got from them, and
// fails if a declared one is missing. It reads the folder in which package servicetest notes the latter
// while tests run:
//
//	faults folder
//
// All packages have to have been tested; see hack/test. Integrations share their code and their
// faults, so what one of them gave counts for all.
package main

import (
	"fmt"
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
	got, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
	endpoints := slices.Concat(api.Endpoints(domain.Domain{}, ""), api.Development(domain.Domain{}), (*events.Service)(nil).Endpoints(), webhook.Endpoints(nil))
	missing, all := compare(endpoints, got)
	if len(missing) > 0 {
		fmt.Printf("\nDeclared, but no test gets it (test it, or take it from the endpoint's Faults):\n  %s\n", strings.Join(missing, "\n  "))
		os.Exit(1)
	}
	fmt.Printf("\nTests get each of the %d faults that endpoints declare.\n", all)
}

// read returns the lines of all files in a folder, each an endpoint's route, a tab and a fault.
func read(folder string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	lines := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			lines[strings.TrimSuffix(line, "\n")] = true
		}
	}
	return lines, nil
}

// compare returns the declared faults that got lacks, sorted, and how many are declared in all.
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
