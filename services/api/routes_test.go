package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/webhook"
)

// Each endpoint belongs to one service, and is declared in its own file with a test next to it, or with the cases of an
// integration.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	declared := []string{}
	for file, makers := range makers(t, "..") {
		if len(makers) > 1 {
			t.Errorf("%s declares several endpoints: %q", file, makers)
		}
		declared = append(declared, makers...)
		test := strings.TrimSuffix(file, ".go") + "_test.go"
		if strings.HasPrefix(file, "../webhook/") {
			test = path.Join(path.Dir(file), "testdata")
		}
		if _, err := os.Stat(test); err != nil {
			t.Errorf("the endpoint of %s has no test: %v", file, err)
		}
	}
	listed := []string{}
	for _, e := range slices.Concat(api.Endpoints(domain.Domain{}, ""), api.Development(domain.Domain{}), (*events.Service)(nil).Endpoints(), webhook.Endpoints(nil)) {
		listed = append(listed, e.Maker())
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if diff := cmp.Diff(declared, listed); diff != "" {
		t.Errorf("endpoints declared and served (-declared +served): routes.go of api, service.go of events and webhook.go have the lists\n%s", diff)
	}
}

// makers returns the full names of the functions below a folder that declare endpoints, by their files.
func makers(t *testing.T, root string) map[string][]string {
	t.Helper()
	makers := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && makesEndpoint(f) {
				makers[file] = append(makers[file], path.Join("chatserver.dev/services", filepath.ToSlash(folder))+"."+f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return makers
}

// makesEndpoint reports whether a function, not a method, returns an endpoint and nothing else.
func makesEndpoint(f *ast.FuncDecl) bool {
	if f.Recv != nil || f.Type.Results.NumFields() != 1 {
		return false
	}
	result, ok := f.Type.Results.List[0].Type.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := result.X.(*ast.Ident)
	return ok && pkg.Name == "endpoint" && result.Sel.Name == "Endpoint"
}
