// Package compat lets clients of the reference server of the same interface work here unmodified:
// the Python package zulip and what is built on it, the npm package zulip-js, and the terminal
// client. Everything that this takes is here; the rest of the server knows nothing of it.
//
// What it does:
//
//   - the answers of GET /server_settings and POST /register also have zulip_version and
//     zulip_feature_level, for everybody: such clients stop without them, whatever they call
//     themselves;
//   - client_gravatar is another name of the parameter client_hosted_avatar;
//   - to clients whose User-Agent begins with "Zulip", muted_topics has names of streams instead of
//     their ids: in the answer of POST /register, and in the events of type muted_topics;
//   - to the same clients, GET /streams/{stream_id}/members has addresses instead of ids.
//
// The names are those of GET /streams, the addresses those of GET /users for the same caller, so the
// handler below must serve these.
//
// A request that none of this concerns goes through untouched, at the price of one stack frame. A long
// poll (GET /events) of such a client costs a small writer more; its answer is looked at when it comes.
//
// [Wrap] goes directly around the router: it reads answers, so whatever compresses them is outside.
package compat
