package contract_test

import (
	"os"
	"path"
	"strings"
	"testing"
)

// TestFolders fails if docs/development.md doesn't say what a package is for.
func TestFolders(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/development.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Folders in detail")
	described := map[string]bool{}
	for _, folder := range quoted.FindAllStringSubmatch(table, -1) {
		described[path.Base(folder[1])] = true
	}
	for _, module := range []string{"pkg", "services"} {
		folders, err := os.ReadDir("../../" + module)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			if folder.IsDir() && !described[folder.Name()] {
				t.Errorf("docs/development.md doesn't describe %s/%s", module, folder.Name())
			}
		}
	}
}
