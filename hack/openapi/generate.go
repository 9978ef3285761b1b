package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/product"
)

type generator struct {
	comments Comments
	ids      map[string]bool
	raw      map[string]reflect.Type
}

// Generate gives the OpenAPI 3.1 document of the endpoints as indented JSON. The same endpoints and
// comments always give the same bytes. raw has the replies of the endpoints of [endpoint.Raw], by their
// routes.
func Generate(endpoints []endpoint.Endpoint, raw map[string]reflect.Type, comments Comments) ([]byte, error) {
	g := &generator{comments: comments, ids: map[string]bool{}, raw: raw}
	doc := document{
		OpenAPI: "3.1.0",
		Info: info{
			Title: "chatserver", Version: strconv.Itoa(product.FeatureLevel),
			Description: "The HTTP interface of the server. The version is its feature level.",
		},
		Paths:      map[string]map[string]operation{},
		Components: shared(),
	}
	for _, e := range endpoints {
		op, err := g.operation(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Route(), err)
		}
		path := strings.ReplaceAll(e.Path(), "...}", "}")
		if doc.Paths[path] == nil {
			doc.Paths[path] = map[string]operation{}
		}
		doc.Paths[path][strings.ToLower(e.Method())] = op
	}
	out := &bytes.Buffer{}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	return out.Bytes(), nil
}

func (g *generator) operation(e endpoint.Endpoint) (operation, error) {
	op := operation{Security: security(e), Responses: failures(e)}
	op.OperationID, op.Tags = g.name(e)
	op.Summary, op.Description = g.comments.Maker(e.Maker())
	if e.Kind() != endpoint.KindPublic {
		op.Who = e.Who().String()
	}
	form := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	files := false
	for _, p := range e.Params() {
		switch {
		case p.In == endpoint.InFiles:
			files = true
		case p.In == endpoint.InBody:
			op.RequestBody = &requestBody{Required: true, Content: map[string]media{"application/json": {Schema: open(g.value(p.Type))}}}
		case p.In == endpoint.InPath:
			op.Parameters = append(op.Parameters, g.parameter(p, "path"))
		case e.Method() == http.MethodGet || e.Kind() == endpoint.KindHook:
			op.Parameters = append(op.Parameters, g.parameter(p, "query"))
		default:
			form.Properties[p.Name] = g.param(p)
			form.PropertyOrder = append(form.PropertyOrder, p.Name)
			if p.Required {
				form.Required = append(form.Required, p.Name)
			}
			if p.Alias != "" {
				old := g.param(p)
				old.Description, old.Deprecated = "Older name of "+p.Name+".", true
				form.Properties[p.Alias] = old
				form.PropertyOrder = append(form.PropertyOrder, p.Alias)
			}
		}
	}
	if files {
		form.AdditionalProperties = &jsonschema.Schema{Type: "string", Format: "binary", Description: "A file, under any name."}
		op.RequestBody = &requestBody{Required: true, Content: map[string]media{"multipart/form-data": {Schema: form}}}
	} else if len(form.Properties) > 0 {
		op.RequestBody = &requestBody{
			Required: len(form.Required) > 0,
			Content:  map[string]media{"application/x-www-form-urlencoded": {Schema: form}, "multipart/form-data": {Schema: form}},
		}
	}
	ok := response{Description: "Success."}
	reply := e.Reply()
	if e.Kind() == endpoint.KindRaw {
		reply = g.raw[e.Route()]
	}
	if reply != nil {
		schema, err := g.reply(reply)
		if err != nil {
			return op, err
		}
		ok.Content = map[string]media{"application/json": {Schema: schema}}
	}
	op.Responses["200"] = ok
	return op, nil
}

// open lets the objects of a schema have further members, as those that webhooks get may.
func open(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, member := range s.Properties {
		open(member)
	}
	if s.Items != nil {
		open(s.Items)
	}
	return s
}

func (g *generator) parameter(p endpoint.Param, in string) parameter {
	s := g.param(p)
	description := s.Description
	s.Description = ""
	if p.Alias != "" {
		description = strings.TrimSpace(description + " The older name " + p.Alias + " is understood, too.")
	}
	return parameter{Name: p.Name, In: in, Required: p.Required, Description: description, Schema: s}
}

// name makes an operation's name out of its maker's: package topics and function Mute give
// topicsMute. A maker of several endpoints gives them numbers.
func (g *generator) name(e endpoint.Endpoint) (id string, tags []string) {
	maker := e.Maker()[strings.LastIndexByte(e.Maker(), '/')+1:]
	pkg, function, _ := strings.Cut(maker, ".")
	base := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, pkg+function)
	id = base
	for n := 2; g.ids[id]; n++ {
		id = base + strconv.Itoa(n)
	}
	g.ids[id] = true
	return id, []string{pkg}
}

func security(e endpoint.Endpoint) []map[string][]string {
	basic, key := map[string][]string{"basic": {}}, map[string][]string{"key": {}}
	if e.Kind() == endpoint.KindPublic {
		return []map[string][]string{}
	}
	switch e.About().Login {
	case endpoint.ByKey:
		return []map[string][]string{key}
	case endpoint.ByBasicOrKey:
		return []map[string][]string{basic, key}
	case endpoint.ByDefault, endpoint.ByBasic:
	}
	return []map[string][]string{basic}
}

// failures gives the error responses: one for each status of the endpoint's own faults, and those
// that the framework adds.
func failures(e endpoint.Endpoint) map[string]response {
	byStatus := map[string]response{}
	for i, f := range e.Faults() {
		status := strconv.Itoa(int(f.Kind))
		r, ok := byStatus[status]
		if !ok {
			r = response{Content: map[string]media{"application/json": {
				Schema: &jsonschema.Schema{Ref: "#/components/schemas/Error"}, Examples: map[string]example{},
			}}}
		}
		r.Description = strings.TrimSpace(r.Description + "\n- " + f.Msg)
		r.Content["application/json"].Examples["fault"+strconv.Itoa(i+1)] = example{Value: envelope(f)}
		byStatus[status] = r
	}
	for status, name := range map[string]string{"400": "Invalid", "default": "Failure"} {
		if _, ok := byStatus[status]; !ok {
			byStatus[status] = response{Ref: "#/components/responses/" + name}
		}
	}
	if _, ok := byStatus["401"]; !ok && e.Kind() != endpoint.KindPublic {
		byStatus["401"] = response{Ref: "#/components/responses/Unauthorized"}
	}
	if e.About().Rate != endpoint.NotLimited {
		byStatus["429"] = response{Ref: "#/components/responses/TooMany"}
	}
	return byStatus
}

func envelope(f *fault.Fault) map[string]any {
	body := map[string]any{"result": "error", "msg": f.Msg}
	if f.Code != "" {
		body["code"] = f.Code
	}
	for key, value := range f.Data {
		body[key] = value
	}
	return body
}

func shared() components {
	failed := map[string]media{"application/json": {Schema: &jsonschema.Schema{Ref: "#/components/schemas/Error"}}}
	text := func(description string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: description}
	}
	return components{
		Schemas: map[string]*jsonschema.Schema{"Error": {
			Type: "object", Description: "What every failed request is answered with.",
			Required:      []string{"result", "msg"},
			PropertyOrder: []string{"result", "msg", "code"},
			Properties: map[string]*jsonschema.Schema{
				"result": {Type: "string", Const: new(any("error"))},
				"msg":    text("What went wrong, for people."),
				"code":   text("What went wrong, for programs; some errors have none."),
			},
		}},
		Responses: map[string]response{
			"Invalid":      {Description: "The request can't be carried out as it is.", Content: failed},
			"Unauthorized": {Description: "The caller didn't prove who they are.", Content: failed},
			"TooMany":      {Description: "The caller is over a rate limit; the member retry-after says how many seconds to wait.", Content: failed},
			"Failure":      {Description: "Any other failure.", Content: failed},
		},
		SecuritySchemes: map[string]securityScheme{
			"basic": {Type: "http", Scheme: "basic", Description: "Email address and API key of a person or a bot."},
			"key":   {Type: "apiKey", In: "query", Name: "api_key", Description: "API key of a bot."},
		},
	}
}
