package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Source is a folder of a Go module.
type Source struct {
	Module string // its path
	Dir    string
}

// Comments are the comments of packages, types, functions and struct fields, by their full names:
// "example.test/api/topics", "example.test/api/topics.Mute" and "example.test/api/topics.muteParams.Topic".
type Comments map[string]string

// ReadComments reads the comments of all packages of the modules, except those of tests.
func ReadComments(sources []Source) (Comments, error) {
	c := Comments{}
	for _, s := range sources {
		err := filepath.WalkDir(s.Dir, func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return nil
			}
			below, err := filepath.Rel(s.Dir, filepath.Dir(file))
			if err != nil {
				return err
			}
			return c.read(file, path.Join(s.Module, filepath.ToSlash(below)))
		})
		if err != nil {
			return nil, fmt.Errorf("read comments: %w", err)
		}
	}
	return c, nil
}

func (c Comments) read(file, pkg string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if parsed.Doc != nil {
		c[pkg] = parsed.Doc.Text()
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				c.add(pkg+"."+d.Name.Name, d.Doc, nil)
			}
		case *ast.GenDecl:
			c.types(pkg, d)
		}
	}
	return nil
}

func (c Comments) types(pkg string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		name := pkg + "." + t.Name.Name
		c.add(name, t.Doc)
		if !d.Lparen.IsValid() {
			c.add(name, d.Doc)
		}
		c.fields(name, t.Type)
	}
}

func (c Comments) fields(owner string, t ast.Expr) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			c.add(owner+"."+name.Name, f.Doc, f.Comment)
		}
	}
}

func (c Comments) add(name string, groups ...*ast.CommentGroup) {
	for _, g := range groups {
		if text := strings.TrimSpace(g.Text()); text != "" {
			c[name] = text
			return
		}
	}
}

// Field returns the comment of a field of the struct type owner, or an empty text if there is none. If the comment
// begins with the field's name, as its subject or of several words, the name is replaced by the key that clients use.
func (c Comments) Field(owner reflect.Type, field, key string) string {
	name, _, _ := strings.Cut(owner.Name(), "[") // a generic type's comments are those of its source
	text := section.ReplaceAllString(c[owner.PkgPath()+"."+name+"."+field], "")
	words := strings.Fields(text)
	if len(words) > 1 && words[0] == field && (severalWords.MatchString(field) || slices.Contains([]string{"is", "are", "has", "says", "overrides"}, words[1])) {
		words[0] = key
	}
	return strings.Join(words, " ")
}

// severalWords matches a name like RealmID.
var severalWords = regexp.MustCompile(`^[A-Z]+[a-z0-9]+[A-Z]\w*$`)

// Event returns the first sentence of the comment of an event's type without "X is": "Sent to everybody when ...". For
// a type without a comment it returns that of the struct that the type embeds.
func (c Comments) Event(t reflect.Type) string {
	text := c[t.PkgPath()+"."+t.Name()]
	for i := 0; text == "" && i < t.NumField(); i++ {
		if embedded := t.Field(i); embedded.Anonymous && embedded.Type.Kind() == reflect.Struct {
			return c.Event(embedded.Type)
		}
	}
	text, _, _ = strings.Cut(flat(section.ReplaceAllString(text, "")), ". ")
	_, text, _ = strings.Cut(strings.TrimSuffix(text, "."), " is ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// section matches a reference to the specification, which readers of the document don't have.
var section = regexp.MustCompile(`\s*\((?:rest-api|http-api|events)\.md[^)]*\)`)

// Package returns the first sentence of a package's comment, without "Package topics is" or "has".
func (c Comments) Package(name string) string {
	words := strings.Fields(section.ReplaceAllString(c[name], ""))
	if len(words) < 4 || words[0] != "Package" || words[2] != "is" && words[2] != "has" {
		return ""
	}
	first, _, _ := strings.Cut(strings.Join(words[3:], " "), ". ")
	return strings.ToUpper(first[:1]) + strings.TrimSuffix(first[1:], ".") + "."
}

// Text returns the comment of a package without its first paragraph.
func (c Comments) Text(name string) string {
	_, text, _ := strings.Cut(c[name], "\n\n")
	return strings.TrimSpace(text)
}

// Maker returns the first sentence of the comment of a function without the function's name, and the
// rest of the comment.
func (c Comments) Maker(function string) (summary, more string) {
	text := section.ReplaceAllString(c[function], "")
	first, rest, _ := strings.Cut(text, "\n\n")
	first = flat(first)
	if end := strings.Index(first, ". "); end >= 0 {
		rest = strings.TrimSpace(first[end+2:] + "\n\n" + rest)
		first = first[:end+1]
	}
	name := function[strings.LastIndexByte(function, '.')+1:]
	first = strings.TrimPrefix(first, name+" ")
	if first != "" {
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	return first, strings.TrimSpace(rest)
}

// flat joins the lines of a comment.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
