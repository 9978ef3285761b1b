// Package compat has what clients of the reference server of the same interface need to work here unmodified:
// the Python package zulip and what is built on it, the npm package zulip-js, and the terminal client. The setting
// CHAT_COMPAT turns all of it off.
//
//   - The answers of GET /server_settings and POST /register also have a [Version], for everybody: such clients stop
//     without it, whatever they call themselves.
//   - client_gravatar is another name of the parameter client_hosted_avatar: the tag compat of package endpoint.
//   - To clients whose User-Agent begins with "Zulip" ([Names]), muted_topics has names of streams in place of their ids,
//     in the answer of POST /register and in events, and GET /streams/{stream_id}/members has addresses in place of ids.
package compat
