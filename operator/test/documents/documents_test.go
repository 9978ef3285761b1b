// Package documents_test holds what is written for people to what the product does.
package documents_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/internal/plugin"
)

const (
	root     = "../../.."
	docs     = root + "/docs/kubernetes"
	examples = root + "/deploy/examples"
)

// reasons are the constants Reason... of the API.
func reasons(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1alpha1/conditions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Reason") {
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s is no literal", spec.Names[0])
			}
			reason, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, reason)
		}
		return true
	})
	slices.Sort(found)
	return found
}

// Each reason has a section, and each section a reason.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	sections := []string{}
	for _, heading := range regexp.MustCompile(`(?m)^### (.+)\n\n[^#\n]`).FindAllStringSubmatch(read(t, docs+"/troubleshooting.md"), -1) {
		sections = append(sections, heading[1])
	}
	slices.Sort(sections)
	known := reasons(t)
	for _, reason := range known {
		if !slices.Contains(sections, reason) {
			t.Errorf("troubleshooting.md has no section with a text for %s", reason)
		}
	}
	for i, section := range sections {
		if !slices.Contains(known, section) {
			t.Errorf("troubleshooting.md has a section %s, which is no reason", section)
		}
		if i > 0 && sections[i-1] == section {
			t.Errorf("troubleshooting.md has two sections %s", section)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages are all texts for people about Kubernetes.
func pages(t *testing.T) []string {
	t.Helper()
	return pagesIn(t, docs, examples)
}

// allPages are all texts for people.
func allPages(t *testing.T) []string {
	t.Helper()
	return append(pagesIn(t, root+"/docs", root+"/charts", examples), root+"/README.md")
}

func pagesIn(t *testing.T, tops ...string) []string {
	t.Helper()
	found := []string{}
	for _, top := range tops {
		err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// anchors are where links into a page can go, by the rules of those who show Markdown.
func anchors(page string) []string {
	found := []string{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		found = append(found, strings.ReplaceAll(name, " ", "-"))
	}
	return found
}

// prose is a page without code, in which brackets mean something else.
func prose(t *testing.T, page string) string {
	t.Helper()
	return regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(read(t, page), "")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	links := 0
	for _, page := range allPages(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(prose(t, page), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", page, link[1], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s: %s has no such section", page, link[1])
			}
		}
	}
	if links == 0 {
		t.Error("no links found")
	}
}

// An admitted namespace is trusted: it can make owners. So no example admits all of them.
func TestExamplesAdmitNamespacesByName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(examples + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no examples found")
	}
	for _, file := range files {
		if regexp.MustCompile(`allowedNamespaces:\s+from: All`).MatchString(read(t, file)) {
			t.Errorf("%s admits all namespaces", file)
		}
	}
}

// Each command of kubectl chat in the texts is one that there is.
func TestPluginCommands(t *testing.T) {
	t.Parallel()
	commands := 0
	for _, page := range pages(t) {
		for _, line := range regexp.MustCompile(`(?m)^kubectl chat ([^#\n]+)`).FindAllStringSubmatch(read(t, page), -1) {
			commands++
			args := append(strings.Fields(line[1]), "--kubeconfig", filepath.Join(t.TempDir(), "none"))
			said := &strings.Builder{}
			if code := plugin.Run(t.Context(), args, plugin.Deps{Out: io.Discard, Err: said, Now: time.Now}); code == plugin.ExitUsage {
				t.Errorf("%s: kubectl chat %s: %s", page, line[1], said)
			}
		}
	}
	if commands == 0 {
		t.Error("no commands found")
	}
}
