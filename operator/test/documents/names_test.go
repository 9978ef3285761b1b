package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources returns the text of all files below the checkout's folders of code whose names end so, except for generated ones.
func sources(t *testing.T, suffix string) string {
	t.Helper()
	all := strings.Builder{}
	for _, top := range []string{"hack", "operator", "pkg", "services"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "node_modules":
				return fs.SkipDir
			case strings.HasSuffix(path, suffix):
				all.WriteString(read(t, path))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// namesIn are what the group of an expression matches, as keys.
func namesIn(text, expression string) map[string]bool {
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		found[match[1]] = true
	}
	return found
}

// Files, targets of make, tests and metrics that texts name exist.
func TestNames(t *testing.T) {
	t.Parallel()
	code := sources(t, ".go")
	targets, tests := namesIn(read(t, root+"/Makefile"), `(?m)^([a-z0-9/]+):`), namesIn(code, `\nfunc (Test\w+)\(`)
	metrics := namesIn(strings.ReplaceAll(code, "chatserver.", "chatserver_"), `"(chatserver_[a-z_.]+)"`)
	ending := regexp.MustCompile("(_(seconds|bytes))?(_(total|bucket|count|sum))?$")
	for what, c := range map[string]struct {
		named  string
		exists func(name string) bool
	}{
		"file": {"`((?:charts|deploy|docs|hack|operator|pkg|services)/[A-Za-z0-9_./-]+)`", func(name string) bool {
			_, err := os.Stat(filepath.Join(root, name))
			return err == nil
		}},
		"target": {"(?:`|\n|\\$ )make ([a-z0-9/]+)(?:`|\n|  +#| [A-Z]+=)", func(name string) bool { return targets[name] }},
		"test":   {"`(Test[A-Za-z]+)`", func(name string) bool { return tests[name] }},
		"metric": {"(chatserver_[a-z_]+)(?:`|\\{)", func(name string) bool {
			base := ending.ReplaceAllString(name, "")
			for metric := range metrics {
				if ending.ReplaceAllString(strings.ReplaceAll(metric, ".", "_"), "") == base {
					return true
				}
			}
			return false
		}},
	} {
		found := 0
		for _, page := range allPages(t) {
			for name := range namesIn(read(t, page), c.named) {
				if found++; !c.exists(name) {
					t.Errorf("%s names the %s %s", page, what, name)
				}
			}
		}
		if found < 10 {
			t.Errorf("only %d names of a %s found", found, what)
		}
	}
}
