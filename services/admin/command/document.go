package command

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// read returns the document from flags and a file, and whether the response is printed as JSON.
func (a action) read(args []string, in io.Reader, out io.Writer) (document []byte, asJSON bool, err error) {
	flags := flag.NewFlagSet("chatserver admin "+a.name, flag.ContinueOnError)
	flags.SetOutput(out)
	output, file := flags.String("o", "text", "output format: text or json"), (*string)(nil)
	members := map[string]json.RawMessage{}
	if a.Body != nil {
		file = flags.String("f", "", "file with the document as JSON; - is the standard input")
		for _, f := range reflect.VisibleFields(a.Body) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			add(flags, name, f.Type, members)
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, false, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *output != "text" && *output != "json":
		return nil, false, fmt.Errorf("-o must be text or json, not %q", *output)
	case a.Body == nil:
		return nil, *output == "json", nil
	}
	whole := map[string]json.RawMessage{}
	if *file != "" {
		if whole, err = a.load(*file, in); err != nil {
			return nil, false, err
		}
	}
	for name, value := range members {
		whole[name] = value
	}
	document, err = json.Marshal(whole)
	return document, *output == "json", err
}

// add adds a flag for a field. The flag sets the field's value in members, as JSON.
func add(flags *flag.FlagSet, name string, t reflect.Type, members map[string]json.RawMessage) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	label, usage := strings.ReplaceAll(name, "_", "-"), "a text"
	set := func(text string) (err error) {
		value := []byte(text)
		switch t.Kind() {
		case reflect.String:
			value, err = json.Marshal(text)
		case reflect.Slice:
			value, err = json.Marshal(strings.FieldsFunc(text, func(r rune) bool { return r == ',' }))
		}
		if err != nil || json.Unmarshal(value, reflect.New(t).Interface()) != nil {
			return fmt.Errorf("expected %s", usage)
		}
		members[name] = value
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		usage = "true, or with =false"
		flags.BoolFunc(label, usage, set)
		return
	case reflect.Int:
		usage = "a number"
	case reflect.Slice:
		usage = "a comma-separated list; may be empty"
	case reflect.Map:
		usage = "a JSON object"
	}
	flags.Func(label, usage, set)
}

// load reads the document in a file. Unknown fields are an error.
func (a action) load(file string, in io.Reader) (map[string]json.RawMessage, error) {
	read := func() ([]byte, error) { return os.ReadFile(file) } //nolint:gosec // the caller's own
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(in) }
	}
	text, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(reflect.New(a.Body).Interface()); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return members, nil
}
