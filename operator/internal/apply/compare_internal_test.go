package apply

import (
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

func TestCompare(t *testing.T) {
	const owned = `{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:empty":{},
		"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:name":{},"f:image":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},
		"f:set":{"v:\"one\"":{}}}}`
	const object = `
metadata: {name: n, labels: {a: "1"}}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}}
  empty: {}
  containers: [{name: x, image: i, ports: [{containerPort: 80}]}]
  set: [one]
`
	const served = `
metadata: {name: n, uid: u, labels: {a: "1", theirs: "2"}}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}, defaulted: true}
  empty: {theirs: 1}
  containers: [{name: theirs}, {name: x, image: i, pull: Always, ports: [{containerPort: 80, protocol: TCP}]}]
  set: [theirs, one]
  more: 1
`
	replace := func(text, from, to string) string {
		t.Helper()
		if !strings.Contains(text, from) {
			t.Fatalf("%q isn't in it", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for _, c := range []struct {
		name                  string
		object, served, owned string
		differs, leftover     string
	}{
		{"all is the same, but for what others have added", object, served, owned, "", ""},
		{"another value", object, replace(served, "replicas: 2", "replicas: 3"), owned, ".spec.replicas", ""},
		{"taken by somebody with the same value", object, served, replace(owned, `"f:replicas":{},`, ""), ".spec.replicas", ""},
		{"removed by somebody", object, replace(served, "replicas: 2", ""), replace(owned, `"f:replicas":{},`, ""), ".spec.replicas", ""},
		{"in something that is one value", object, replace(served, "a: b", "a: c"), owned, ".spec.selector", ""},
		{"in an item", object, replace(served, "image: i", "image: j"), owned, `.spec.containers[name="x"].image`, ""},
		{
			"an item of an item with a default in its key", object, replace(served, "containerPort: 80", "containerPort: 81"), owned,
			`.spec.containers[name="x"].ports[containerPort=80,protocol="TCP"]`, "",
		},
		{"an item was taken out", object, replace(served, "{name: x, image: i, pull: Always, ports: [{containerPort: 80, protocol: TCP}]}", "{name: y}"), owned, `.spec.containers[name="x"]`, ""},
		{"a member was taken out", object, replace(served, "[theirs, one]", "[theirs]"), owned, `.spec.set[="one"]`, ""},
		{"a label was changed", object, replace(served, `a: "1"`, `a: "3"`), owned, ".metadata.labels.a", ""},
		{"a new field", replace(object, "replicas: 2", "replicas: 2\n  new: 1"), served, owned, ".spec.new", ""},
		{"a new item", replace(object, "containers: [", "containers: [{name: y}, "), served, owned, ".spec.containers", ""},
		{"a new empty field", replace(object, "replicas: 2", "replicas: 2\n  new: {}\n  other: \"\""), served, owned, "", ""},
		{"a field that isn't wanted any more", replace(object, "replicas: 2", ""), served, owned, "", ".spec.replicas"},
		{"an item that isn't wanted any more", replace(object, "{containerPort: 80}", ""), served, owned, "", `.spec.containers[name="x"].ports[containerPort=80,protocol="TCP"]`},
		{"a label that isn't wanted any more", replace(object, `{a: "1"}`, "{}"), served, owned, "", ".metadata.labels.a"},
	} {
		got := compare(fields(t, c.object), fields(t, c.served), set(t, c.owned))
		if paths(got.differs) != c.differs || paths(got.leftover) != c.leftover {
			t.Errorf("%s: %s differ and %s are left over; want %q and %q", c.name, paths(got.differs), paths(got.leftover), c.differs, c.leftover)
		}
	}
}

func fields(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func set(t *testing.T, text string) *fieldpath.Set {
	t.Helper()
	s := fieldpath.NewSet()
	if err := s.FromJSON(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

func paths(list []fieldpath.Path) string {
	texts := []string(nil)
	for _, path := range list {
		texts = append(texts, path.String())
	}
	return strings.Join(texts, " ")
}
