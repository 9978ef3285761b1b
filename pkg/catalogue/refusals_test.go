package catalogue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/catalogue"
)

// englishFile lists the refusals that are in English in each language: those that only programs cause, and those that
// can't be translated because the code that fails composes them.
const englishFile = "testdata/english.txt"

// declared returns the texts of the faults in the server's code, and the number of composed ones by file.
func declared(t *testing.T) (texts map[string]bool, composed map[string]int) {
	t.Helper()
	texts, composed = map[string]bool{}, map[string]int{}
	for _, root := range []string{"../../pkg", "../../services"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text, is := refusal(n)
				switch literal, fixed := text.(*ast.BasicLit); {
				case !is:
				case fixed:
					said, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Error(err)
					}
					texts[said] = true
				default:
					composed[strings.TrimPrefix(filepath.ToSlash(path), "../../")]++
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts, composed
}

// refusal returns the text of a fault if the node declares one.
func refusal(n ast.Node) (text ast.Expr, is bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil, false
	}
	text = call.Args[len(call.Args)-1]
	literal := literalText(text)
	switch function := call.Fun.(type) {
	case *ast.SelectorExpr:
		of, _ := function.X.(*ast.Ident)
		switch function.Sel.Name {
		case "New", "Bad", "Plain", "Limit":
			return text, of != nil && of.Name == "fault"
		case "OneImage":
			return text, literal
		}
	case *ast.Ident: // in pkg/fault, and in functions that make faults from texts
		switch function.Name {
		case "New", "Bad", "Plain", "Limit", "refusal", "failed":
			return text, literal
		}
	}
	return nil, false
}

// literalText reports whether a literal is a text.
func literalText(of ast.Expr) bool {
	literal, is := of.(*ast.BasicLit)
	return is && literal.Kind == token.STRING
}

// verb matches one of package fmt's verbs, with its index.
var verb = regexp.MustCompile(`%(\[\d\])?[a-z]`)

// verbs returns the verbs of a text, in the order of its arguments.
func verbs(text string) []string {
	found := verb.FindAllString(strings.ReplaceAll(text, "%%", ""), -1)
	for i, one := range found {
		if !strings.Contains(one, "[") {
			found[i] = "%[" + strconv.Itoa(i+1) + "]" + one[1:]
		}
	}
	slices.Sort(found)
	return found
}

// Each refusal is translated or listed as English, so this test fails for a new one until it is either.
func TestRefusals(t *testing.T) {
	t.Parallel()
	texts, composed := declared(t)
	listed, err := os.ReadFile(englishFile)
	if err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "// ") {
			stays[line] = true
		}
	}
	for file, count := range composed {
		texts[file+": "+strconv.Itoa(count)+" composed"] = true
	}
	for text := range stays {
		if !texts[text] {
			t.Errorf("%s lists %q, which isn't a refusal", englishFile, text)
		}
	}
	for _, in := range catalogue.All()[1:] {
		known := in.Refusals
		t.Logf("%s: %d of %d refusals", in.Code, len(known), len(texts))
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			own, is := known[text]
			switch {
			case is == stays[text]:
				t.Errorf("%s: %q must either be translated, in german_refusals.go, or be listed in %s", in.Code, text, englishFile)
			case is && (own == "" || strings.TrimSpace(own) != own):
				t.Errorf("%s: %q is %q", in.Code, text, own)
			case is && !sameVerbs(text, own):
				t.Errorf("%s: %q has other verbs than %q", in.Code, own, text)
			}
		}
		for text := range known {
			if !texts[text] {
				t.Errorf("%s translates %q, which isn't a refusal", in.Code, text)
			}
		}
	}
}

// sameVerbs reports whether a translation has the verbs of a text. With explicit indexes it may omit some.
func sameVerbs(text, own string) bool {
	all, some := verbs(text), verbs(own)
	if strings.Contains(own, "%[") {
		return len(some) > 0 && !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
	}
	return slices.Equal(all, some)
}
