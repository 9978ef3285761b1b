// Package adminclient calls the admin interface of a chatserver, whose documents package adminapi has. A
// reconciler's pass is one call for each object: Put says how it is to be, and the answer how it is.
//
//	client, err := adminclient.New("http://127.0.0.1:8090", adminclient.Token(token), nil)
//	ensured, err := client.PutStream(ctx, "team-eng/engineering", "team-eng/alerts", adminapi.StreamSpec{Name: new("alerts")})
//
// What the server refuses is an [Error]. All calls may be repeated, but for the rotation of a key that the
// caller doesn't name: each call issues another key.
package adminclient
