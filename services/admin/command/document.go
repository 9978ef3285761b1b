package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// read returns the document that flags and a file say, and whether the answer is to be JSON.
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

// add makes a flag for a field, which puts what it is given into members.
func add(flags *flag.FlagSet, name string, t reflect.Type, members map[string]json.RawMessage) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	set := func(value any) error {
		text, err := json.Marshal(value)
		members[name] = text
		return err
	}
	switch label := strings.ReplaceAll(name, "_", "-"); t.Kind() {
	case reflect.Bool:
		flags.BoolFunc(label, "true, or with =false", func(text string) error {
			value, err := strconv.ParseBool(text)
			return errors.Join(err, set(value))
		})
	case reflect.Int:
		flags.Func(label, "a number", func(text string) error {
			value, err := strconv.Atoi(text)
			return errors.Join(err, set(value))
		})
	case reflect.Slice:
		flags.Func(label, "a comma-separated list; may be empty", func(text string) error {
			list := []string{}
			if text != "" {
				list = strings.Split(text, ",")
			}
			return set(list)
		})
	case reflect.Map:
		flags.Func(label, "a JSON object", func(text string) error {
			value := map[string]json.RawMessage{}
			return errors.Join(json.Unmarshal([]byte(text), &value), set(value))
		})
	default:
		flags.Func(label, "a text", func(text string) error { return set(text) })
	}
}

// load reads a file's document, which has no fields but those that there are.
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
