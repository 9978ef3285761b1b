package main

import (
	_ "embed" // for the introduction
	"fmt"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
)

//go:embed introduction.md
var introduction string

type generator struct {
	comments Comments
	known    map[string]*jsonschema.Schema // see the function
	ids      map[string]bool
	raw      map[string]reflect.Type
	tags     map[string]string // descriptions
	examples map[string]string // see the function
	shown    map[string]bool   // their keys that were used
}

// Generate returns the OpenAPI 3.1 document of the endpoints and the kinds of events as indented JSON: the same bytes
// for the same input. raw has the reply types of the endpoints of [endpoint.Raw], by route.
func Generate(endpoints []endpoint.Endpoint, raw map[string]reflect.Type, kinds []event.Registered, comments Comments) ([]byte, error) {
	return newGenerator(raw, comments).generate(endpoints, kinds)
}

func newGenerator(raw map[string]reflect.Type, comments Comments) *generator {
	return &generator{
		comments: comments, known: known(), ids: map[string]bool{}, raw: raw, tags: map[string]string{}, examples: examples(), shown: map[string]bool{},
	}
}

func (g *generator) generate(endpoints []endpoint.Endpoint, kinds []event.Registered) ([]byte, error) {
	doc := newDocument("chatserver", introduction, server{URL: "/", Description: "The organization's host."}, shared())
	for _, e := range endpoints {
		op, err := g.operation(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Route(), err)
		}
		doc.add(e.Method(), strings.ReplaceAll(e.Path(), "...}", "}"), op)
	}
	if err := g.events(doc, kinds); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(g.tags)) {
		doc.Tags = append(doc.Tags, tag{name, g.tags[name]})
	}
	return doc.encode()
}

func (g *generator) operation(e endpoint.Endpoint) (operation, error) {
	op := operation{Security: security(e), Responses: failures(e)}
	op.OperationID, op.Tags = g.name(e)
	op.Samples = []codeSample{g.curl(e)}
	op.Summary, op.Description = g.comments.Maker(e.Maker())
	if e.Kind() != endpoint.KindPublic {
		op.Who = e.About().Who.String()
		op.Description = strings.TrimSpace(op.Description + "\n\nWho may call: " + callers(e.About().Who) + ".")
	}
	g.request(&op, e)
	err := g.success(&op, e)
	return op, err
}

// request adds the parameters and the body.
func (g *generator) request(op *operation, e endpoint.Endpoint) {
	form := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, p := range e.Params() {
		switch {
		case p.In == endpoint.InBody:
			op.RequestBody = g.body(p)
		case p.In == endpoint.InPath:
			op.Parameters = append(op.Parameters, g.parameter(e, p, "path"))
		case p.In == endpoint.InHeader:
			op.Parameters = append(op.Parameters, g.parameter(e, p, "header"))
		case e.Method() == http.MethodGet || e.Kind() == endpoint.KindHook:
			op.Parameters = append(op.Parameters, g.parameter(e, p, "query"))
		default:
			g.addField(form, e, p)
		}
	}
	kind, bodies := formType, map[string]media{}
	if e.MaxFile() > 0 {
		if e.FileOptional() {
			without := *form
			without.Properties = maps.Clone(form.Properties)
			bodies[formType] = media{Schema: &without}
		}
		kind = "multipart/form-data"
		addFile(form, e)
	}
	if len(form.Properties) > 0 {
		bodies[kind] = media{Schema: form}
		op.RequestBody = &requestBody{Required: len(form.Required) > 0, Content: bodies}
	}
}

// addField adds a parameter to the form.
func (g *generator) addField(form *jsonschema.Schema, e endpoint.Endpoint, p endpoint.Param) {
	form.Properties[p.Name] = g.param(e, p)
	form.PropertyOrder = append(form.PropertyOrder, p.Name)
	if p.Required {
		form.Required = append(form.Required, p.Name)
	}
	if p.Alias != "" {
		old := g.param(e, p)
		old.Examples = nil
		old.Description, old.Deprecated = "Older name of "+p.Name+".", true
		form.Properties[p.Alias] = old
		form.PropertyOrder = append(form.PropertyOrder, p.Alias)
	}
}

// addFile adds the file to the form.
func addFile(form *jsonschema.Schema, e endpoint.Endpoint) {
	form.Properties[fileField] = &jsonschema.Schema{
		Type: "string", ContentMediaType: "application/octet-stream", Format: "binary", // which generators of clients recognize a file by
		Description: fmt.Sprintf("The file, of at most %d MiB. The field may have any name; other fields come before it.", e.MaxFile()>>20),
	}
	form.PropertyOrder = append(form.PropertyOrder, fileField)
	if !e.FileOptional() {
		form.Required = append(form.Required, fileField)
	}
}

// success adds the successful response, and the header with which a stream continues.
func (g *generator) success(op *operation, e endpoint.Endpoint) error {
	ok := response{Description: "Success."}
	reply := e.Reply()
	if reply == reflect.TypeFor[endpoint.Redirect]() {
		op.Responses["302"] = response{Description: "It is at the address in the header Location."}
		return nil
	}
	if e.Kind() == endpoint.KindRaw {
		reply = g.raw[e.Route()]
	}
	if reply != nil {
		schema, err := g.reply(reply)
		if err != nil {
			return err
		}
		ok.Content = map[string]media{"application/json": {Schema: schema}}
	}
	if e.About().Streams {
		ok.Content[streamType] = media{Schema: &jsonschema.Schema{
			Type: "string",
			Description: "The same events as they come, each with its id in a field `id` and the JSON in a field `data`; heartbeats are comments. " +
				"The stream ends after some minutes or events, and the client reconnects.",
		}}
		op.Parameters = append(op.Parameters, parameter{
			Name: "Last-Event-ID", In: "header", Schema: &jsonschema.Schema{Type: "string"},
			Description: "With `Accept: " + streamType + "`: the id of the last event that the client has, in place of `last_event_id`. " +
				"Browsers send it when they reconnect.",
		})
	}
	op.Responses["200"] = ok
	return nil
}

// formType is the media type of forms without a file.
const formType = "application/x-www-form-urlencoded"

// fileField is the name of the field with the file in documents and examples.
const fileField = "file"

// open allows further members in all objects of a schema, as in the payloads of webhooks.
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

// callers describes who may call.
func callers(w permit.Who) string {
	switch w {
	case permit.Anyone:
		return "every account but incoming webhook bots"
	case permit.Human:
		return "people, not bots"
	case permit.NonGuest:
		return "every account but guests"
	case permit.Member:
		return "people who aren't guests"
	case permit.Admin:
		return "administrators and owners, and their bots"
	case permit.Owner:
		return "owners"
	case permit.AnyoneIncludingHooks:
		return "every account"
	case permit.Hook:
		return "incoming webhook bots"
	default:
		return w.String()
	}
}

// jsonType is the content type of JSON, and streamType that of server-sent events.
const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

func (g *generator) parameter(e endpoint.Endpoint, p endpoint.Param, in string) parameter {
	s := g.param(e, p)
	description := s.Description
	s.Description = ""
	if p.Alias != "" {
		description = strings.TrimSpace(description + " The older name " + p.Alias + " is understood, too.")
	}
	return parameter{Name: p.Name, In: in, Required: p.Required, Description: description, Schema: s}
}

// body returns the request body of a webhook.
func (g *generator) body(p endpoint.Param) *requestBody {
	schema := open(g.value(p.Type))
	if reflect.ValueOf(*schema).IsZero() {
		schema.Description = "Any JSON." // without it, the schema would be encoded as true, which generators of clients don't understand
	}
	body := &requestBody{
		Description: g.comments.Field(p.Owner, p.Field, p.Name), Required: true, Content: map[string]media{jsonType: {Schema: schema}},
	}
	switch p.Form {
	case "":
	case "*":
		body.Content[formType] = media{Schema: &jsonschema.Schema{Type: "object"}}
	default:
		body.Content[formType] = media{Schema: &jsonschema.Schema{
			Type: "object", Required: []string{p.Form}, Properties: map[string]*jsonschema.Schema{p.Form: {Type: "string", ContentMediaType: jsonType}},
		}}
	}
	return body
}

// name returns an operation's ID and tags. The ID comes from the maker's name: topicsMute for function Mute of package
// topics. Endpoints that share a maker are numbered. The package is the operation's tag, but all integrations share one
// tag.
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
	title, folder := strings.ToUpper(pkg[:1])+pkg[1:], e.Maker()[:strings.LastIndexByte(e.Maker(), '.')]
	if pkg == "alertwords" { // names of packages have no blanks
		title = "Alert words"
	}
	if e.Kind() == endpoint.KindHook {
		title, folder = "Incoming webhooks", path.Dir(folder)
	}
	g.tags[title] = g.comments.Package(folder)
	return id, []string{title}
}

func security(e endpoint.Endpoint) []map[string][]string {
	switch {
	case e.Kind() == endpoint.KindPublic:
		return []map[string][]string{}
	case e.ByKey():
		return []map[string][]string{{"key": {}}, {"basic": {}}}
	default:
		return []map[string][]string{{"basic": {}}}
	}
}
