package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"chatserver.dev/pkg/endpoint"
)

// codeSample is a sample request for the page that shows the document. The viewer's own samples encode lists and
// objects in forms wrongly.
type codeSample struct {
	Lang   string `json:"lang"`
	Label  string `json:"label"`
	Source string `json:"source"`
}

// curl returns a sample command for curl, with the required parameters of the endpoint and those that have an example
// for this endpoint alone.
func (g *generator) curl(e endpoint.Endpoint) codeSample {
	path, query, parts := e.Path(), "", []string{}
	for _, p := range e.Params() {
		value := g.sampleText(e, p)
		switch {
		case p.In == endpoint.InPath:
			path = strings.NewReplacer("{"+p.Name+"}", value, "{"+p.Name+"...}", value).Replace(path)
		case p.In == endpoint.InHeader:
			parts = append(parts, "-H "+quoted(p.Name+": "+value))
		case p.In == endpoint.InBody:
			parts = append(parts, "-H 'Content-Type: application/json'", "-d @payload.json")
		case !p.Required && g.examples[e.Route()+" "+p.Name] == "":
		case e.Kind() == endpoint.KindHook:
			query += "&" + p.Name + "=" + value
		case needsFile(e):
			parts = append(parts, "-F "+quoted(p.Name+"="+value))
		default:
			parts = append(parts, "--data-urlencode "+quoted(p.Name+"="+value))
		}
	}
	if needsFile(e) {
		parts = append(parts, "-F "+fileField+"=@plan.pdf")
	}
	if len(parts) > 0 && e.Method() == http.MethodGet {
		parts = append([]string{"-G"}, parts...)
	}
	if e.Method() != http.MethodGet && (e.Method() != http.MethodPost || len(parts) == 0) {
		parts = append([]string{"-X " + e.Method()}, parts...)
	}
	login := "-u $EMAIL:$API_KEY \\\n  "
	if e.Kind() == endpoint.KindPublic {
		login = ""
	}
	if e.ByKey() {
		login, query = "", "?api_key=$API_KEY"+query
	}
	address := "$SERVER" + path
	if query != "" {
		address = `"` + address + query + `"`
	}
	return codeSample{"Shell", "curl", strings.Join(append([]string{"curl " + login + address}, parts...), " \\\n  ")}
}

func needsFile(e endpoint.Endpoint) bool { return e.MaxFile() > 0 && !e.FileOptional() }

// sampleText returns a value for a parameter: its example, or else one that its declaration allows.
func (g *generator) sampleText(e endpoint.Endpoint, p endpoint.Param) string {
	if shown := g.example(e, p.Name); shown != nil {
		text := ""
		if !p.Encoded && json.Unmarshal(shown, &text) == nil {
			return text
		}
		return string(shown)
	}
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch s := g.value(p.Type); s.Type {
	case "integer", "number":
		return "7"
	case "boolean":
		return "true"
	case "array":
		return "[…]"
	case "object":
		return "{…}"
	default:
		if p.Encoded {
			return `"…"`
		}
		return "…"
	}
}

// quoted returns text as one word of a shell command.
func quoted(text string) string {
	if strings.ContainsAny(text, " \"'*?[]{}()<>#$!~;&|`\\") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
