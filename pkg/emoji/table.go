package emoji

import (
	_ "embed" // for the table
	"strings"
	"sync"
)

// tsv is the table in the specification of the interface: code, canonical name, other names.
//
//go:embed emoji.tsv
var tsv string

// table is tsv as maps.
type table struct {
	codes map[string]string // by name
	names map[string]string // canonical ones, by code
}

// load parses the table with the first call, which takes less than a millisecond.
//
//nolint:gochecknoglobals // a value that doesn't change
var load = sync.OnceValue(func() table { return parse(tsv) })

// parse parses a table. It doesn't validate it, because the table is embedded and a test checks each row.
func parse(text string) table {
	t := table{codes: map[string]string{}, names: map[string]string{}}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		code, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		canonical, others, _ := strings.Cut(names, "\t")
		t.names[code] = canonical
		t.codes[canonical] = code
		for other := range strings.SplitSeq(others, ",") {
			t.codes[other] = code
		}
	}
	delete(t.codes, "") // of rows without other names
	return t
}
