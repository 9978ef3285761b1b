package documents_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instrument finds where a metric is made: the function's name, the metric's, and the rest of the line, which has the unit.
var instrument = regexp.MustCompile(`(\w+)\((?:d\.Meter, )?"(chatserver\.[a-z._]+)"(.*)`)

// operatorMetric finds the names of the operator's metrics.
var operatorMetric = regexp.MustCompile(`"(chatserver_operator_[a-z_]+)"`)

// metrics returns the names of all metrics in the sources, as Prometheus has them.
func metrics(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	for _, module := range []string{"pkg", "services", "operator"} {
		err := filepath.WalkDir("../../../"+module, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "node_modules":
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text := read(t, path)
			for _, made := range instrument.FindAllStringSubmatch(text, -1) {
				name := strings.ReplaceAll(made[2], ".", "_")
				if strings.Contains(made[3], `WithUnit("s")`) {
					name += "_seconds"
				}
				switch kind := strings.ToLower(made[1]); {
				case strings.HasSuffix(kind, "counter"):
					found[name+"_total"] = true
				case strings.HasSuffix(kind, "gauge"), strings.HasSuffix(kind, "histogram"):
					found[name] = true
				}
			}
			for _, made := range operatorMetric.FindAllStringSubmatch(text, -1) {
				found[made[1]] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// The tables of metrics have those that there are, and no others.
func TestMetrics(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, page := range []string{"../../../docs/operation.md", "../../../docs/kubernetes/operate.md"} {
		for _, row := range regexp.MustCompile("(?m)^\\| `(chatserver_[a-z_]+)` \\|").FindAllStringSubmatch(read(t, page), -1) {
			listed = append(listed, row[1])
		}
	}
	slices.Sort(listed)
	if made := metrics(t); len(made) < 15 || !slices.Equal(made, listed) {
		t.Errorf("the sources have the metrics\n%q, and the pages\n%q", made, listed)
	}
}
