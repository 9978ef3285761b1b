package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const boats = `
kind: CustomResourceDefinition
spec:
  group: harbour.example
  names: {kind: Boat, plural: boats, shortNames: [bt]}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: |-
          Something
          that floats.
        type: object
        x-kubernetes-validations: [{rule: "size(self.metadata.name) < 9", message: names are short}]
        properties:
          spec:
            type: object
            required: [name]
            x-kubernetes-validations: [{rule: "self.a == self.b"}]
            properties:
              name: {type: string, minLength: 1, maxLength: 60, pattern: ^a|b$}
              masts: {type: integer, minimum: 1, default: 2, description: Masts there are.}
              flag: {type: string, enum: [Red, Blue], default: Red}
              crew:
                type: array
                maxItems: 8
                items:
                  type: object
                  x-kubernetes-validations: [{rule: "true", message: nobody twice}]
                  properties: {since: {type: string, format: date-time}}
              weight: {x-kubernetes-int-or-string: true, pattern: ^x$}
              motto: {type: string, minLength: 1}
              labels: {type: object, additionalProperties: {type: string}}
              patch: {x-kubernetes-preserve-unknown-fields: true, default: {}}
`

const boatsReference = `
## Boat

Something that floats.

¬apiVersion: harbour.example/v1¬, ¬kubectl get boats¬, short ¬bt¬

Rules:

- names are short

### Boat spec

Rules:

- ¬spec¬: ¬self.a == self.b¬
- ¬spec.crew[]¬: nobody twice

| field | type | |
|---|---|---|
| ¬crew¬ | list of object | At most 8 items. |
| ¬crew[].since¬ | time |  |
| ¬flag¬ | string | One of ¬Red¬, ¬Blue¬. Default ¬Red¬. |
| ¬labels¬ | map to string |  |
| ¬masts¬ | integer | Masts there are. At least 1. Default ¬2¬. |
| ¬motto¬ | string | Not empty. |
| ¬name¬ | string | *required*. 1 to 60 characters. Pattern ¬^a\|b$¬. |
| ¬patch¬ | any |  |
| ¬weight¬ | quantity |  |
`

func TestReference(t *testing.T) {
	t.Parallel()
	boat, err := read([]byte(boats))
	if err != nil {
		t.Fatal(err)
	}
	text := string(reference([]definition{boat}))
	_, got, found := strings.Cut(text, "- [Boat](#boat)\n")
	if !found {
		t.Fatalf("Boat isn't listed:\n%s", text)
	}
	if diff := cmp.Diff(strings.ReplaceAll(boatsReference, "¬", "`"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReferenceOrder(t *testing.T) {
	t.Parallel()
	text := string(reference([]definition{{Kind: "Zebra"}, {Kind: "Bot"}, {Kind: "Ant"}, {Kind: "ChatServer"}}))
	_, list, _ := strings.Cut(text, "- ")
	if want := "[ChatServer](#chatserver)\n- [Bot](#bot)\n- [Ant](#ant)\n- [Zebra](#zebra)\n"; !strings.HasPrefix(list, want) {
		t.Errorf("%s", list)
	}
}

func TestWhatIsNoDefinition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kind: Pod": `it is a "Pod", not a CustomResourceDefinition`,
		"{":         "read YAML",
		strings.Replace(boats, "  - name: v1", "  - name: v0\n  - name: v1", 1): "it has 2 versions",
	} {
		if _, err := read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, not %q", text, err, want)
		}
	}
	if err := run(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no *.yaml") {
		t.Errorf("an empty folder: %v", err)
	}
}
