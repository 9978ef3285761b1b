// Package longpoll serves connections whose requests wait for long, outside of package http's server.
//
// A request that waits there costs two goroutines, deep stacks and buffers, and each new one is read,
// parsed and timed as if it came from a stranger. A client that polls sends the same request for hours,
// except for a number in its query. So when a poll parks, its connection is taken out of the server
// ([Server.Take]). From then on it takes no goroutine while it waits, for its answer or for its next request: on Linux, a
// poller waits for all connections, and a goroutine serves one as long as there is something to do ([turns]). Elsewhere,
// and for connections that aren't sockets, a goroutine waits. A next request that differs from the one before in a number
// alone needs no parsing, and no goroutine until it is answered ([Again]). Other polls are parsed, and any other request goes
// back to package http's server, together with the connection.
//
// What it promises:
//
//   - The handler gets the same requests as from package http, and the client the same answers, but
//     for the order of the header's fields. Tests compare whole connections with package http, byte by byte.
//   - Nothing that a client sends is lost on the way in or back, pipelined requests included.
//   - While a request waits, nobody notices that its client goes away; the next write does.
//   - A client that doesn't read its answer holds up nobody else, and loses the connection after
//     ten to fifteen seconds, and a second for each 64 KiB.
//   - [Server.Shutdown] ends idle connections at once and others with their answer.
package longpoll
