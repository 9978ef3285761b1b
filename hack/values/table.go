package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// head is the head of the table of values, which is at the end of a README.
const head = "| Key | Type | Default | Description |\n|-----|------|---------|-------------|\n"

// writeTable replaces the table of values in a chart's README.
func writeTable(chart string) error {
	values, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return err
	}
	table, err := describe(values)
	if err != nil {
		return err
	}
	path := filepath.Join(chart, "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, _, found := bytes.Cut(text, []byte(head))
	if !found {
		return fmt.Errorf("%s lacks the head of the table of values", path)
	}
	return write(path, fmt.Appendf(nil, "%s%s", before, table))
}

// describe returns a Markdown table of the values that have a comment beginning with "--", in the order of the file. A
// value without such a comment is an error, unless all values in it have one.
func describe(values []byte) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(values, &document); err != nil {
		return "", err
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return "", errors.New("the values aren't a mapping")
	}
	table := &strings.Builder{}
	table.WriteString(head)
	err := rows(table, "", document.Content[0])
	return table.String(), err
}

// rows writes the rows of the values in a mapping, whose keys come after a prefix.
func rows(table *strings.Builder, prefix string, mapping *yaml.Node) error {
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		name := prefix + key.Value
		_, about, described := strings.Cut(key.HeadComment, "# -- ")
		if !described && value.Kind == yaml.MappingNode && len(value.Content) > 0 {
			if err := rows(table, name+".", value); err != nil {
				return err
			}
			continue
		}
		if !described {
			return fmt.Errorf("%s has no comment that begins with --", name)
		}
		var decoded any
		if err := value.Decode(&decoded); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, err := json.Marshal(decoded)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		kinds := map[string]string{"!!str": "string", "!!seq": "list", "!!map": "object"}
		kind := kinds[value.ShortTag()]
		if kind == "" {
			kind = strings.TrimPrefix(value.ShortTag(), "!!")
		}
		fmt.Fprintf(table, "| %s | %s | `%s` | %s |\n", name, kind, text, strings.ReplaceAll(about, "\n# ", " "))
	}
	return nil
}
