// Package adminclient calls the admin interface of a chatserver, whose documents are in package adminapi. A
// reconciler makes one call for each object: Put takes the desired state, and returns the actual one.
//
//	client, err := adminclient.New("http://127.0.0.1:8090", token, nil)
//	ensured, err := client.Streams("team-eng/engineering").Put(ctx, "team-eng/alerts", adminapi.StreamSpec{Name: new("alerts")})
//
// If the server refuses a call, the error is an [*Error]. All calls may be repeated, except for the rotation of a key that
// the caller doesn't name: each call issues another key.
package adminclient
