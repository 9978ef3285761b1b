package subscriptions_test

import (
	"strings"
	"testing"
)

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.call(t, "ann", "POST", "subscriptions", `[{"name":"Pumps"},{"name":"valves"}]`, "principals", "[4,5]")
	const ok = `200 {"result":"success","msg":"",`
	s.want(t, ok+`"removed":["Pumps"],"not_removed":[]}`, "guest", "DELETE", "subscriptions", `["pumps"]`)
	s.want(t, ok+`"removed":[],"not_removed":["Pumps"]}`, "guest", "DELETE", "subscriptions", `["pumps"]`, "principals", "[5]")
	s.want(t, ok+`"removed":["Pumps","valves","valves"],"not_removed":["Pumps"]}`,
		"admin", "DELETE", "subscriptions", `["pumps","valves"]`, "principals", `["ann@acme.example","guest@acme.example"]`)

	s.want(t, `400 {"result":"error","msg":"This action requires administrative rights"}`,
		"ann", "DELETE", "subscriptions", `["pumps"]`, "principals", "[5]")
	s.want(t, `400 {"result":"error","msg":"Stream(s) (x, y) do not exist","code":"BAD_REQUEST"}`,
		"ann", "DELETE", "subscriptions", `["x","Pumps","y"]`)
	s.want(t, `400 {"result":"error","msg":"User cannot create streams.","code":"BAD_REQUEST"}`,
		"guest", "DELETE", "subscriptions", `["x"]`)
	s.want(t, `400 {"result":"error","msg":"Invalid stream name ''","code":"BAD_REQUEST"}`, "ann", "DELETE", "subscriptions", `[""]`)
	s.want(t, `400 {"result":"error","msg":"Stream name too long (limit: 60 characters).","code":"BAD_REQUEST"}`,
		"ann", "DELETE", "subscriptions", `["`+strings.Repeat("é", 61)+`"]`)
	s.want(t, `403 {"result":"error","msg":"User not authorized to execute queries on behalf of 'x@y'","code":"UNAUTHORIZED_PRINCIPAL","principal":"x@y"}`,
		"admin", "DELETE", "subscriptions", `["Pumps"]`, "principals", `["x@y"]`)
	s.want(t, `400 {"result":"error","msg":"Missing 'subscriptions' argument","code":"REQUEST_VARIABLE_MISSING","var_name":"subscriptions"}`,
		"ann", "DELETE")
}
