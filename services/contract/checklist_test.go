package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quoted matches a word in backquotes.
var quoted = regexp.MustCompile("`([^`]+)`")

// TestChecklist fails if the documentation names a test that doesn't exist, or if a statement of the specification has
// neither a test nor a reason for its absence.
func TestChecklist(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"http-api.md", "events.md", "architecture.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", document))
		if err != nil {
			t.Fatal(err)
		}
		named, tests := 0, tests{}
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if !strings.HasPrefix(line, "|") || len(cells) < 2 || strings.Contains(line, "|---") {
				continue
			}
			held, folder := strings.TrimSpace(cells[len(cells)-1]), ""
			found := 0
			for _, word := range quoted.FindAllStringSubmatch(held, -1) {
				switch name := word[1]; {
				case !strings.HasPrefix(name, "Test") && !pythons.MatchString(name):
					folder = name
				case folder == "" || !tests.has(t, folder, name):
					t.Errorf("%s: there is no %s in %q: %s", document, name, folder, line)
				default:
					found++
				}
			}
			named += found
			marked := strings.HasPrefix(held, "**none yet**: ") || held == "—" || held == "Test" || strings.Contains(held, "below")
			if document != "architecture.md" && found == 0 && !marked {
				t.Errorf("%s: neither a test nor a mark: %s", document, line)
			}
		}
		if named < 30 {
			t.Errorf("%s names only %d tests", document, named)
		}
	}
}

// pythons matches the name of a test of hack/clients.
var pythons = regexp.MustCompile(`^test_\w+$`)

// tests are the names of tests, by folder.
type tests map[string]map[string]bool

// has reports whether a folder of the repository, or of services/events, has a test.
func (all tests) has(t *testing.T, folder, name string) bool {
	t.Helper()
	if all[folder] == nil {
		all[folder] = map[string]bool{}
		files := []string{}
		for _, root := range []string{"../..", "../events"} {
			below, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, below...)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					all[folder][f.Name.Name] = true
				}
			}
		}
	}
	if pythons.MatchString(name) {
		return defines(t, filepath.Join("../..", folder, "*.py"), "def "+name+"(")
	}
	return all[folder][name]
}

// defines reports whether one of the files that match a pattern has a text.
func defines(t *testing.T, pattern, text string) bool {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(content), text)
	})
}
