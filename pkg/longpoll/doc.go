// Package longpoll serves connections whose requests wait for a long time, outside of package http's server.
//
// A request that waits there takes two goroutines, deep stacks and buffers, and each new one is read and
// parsed from scratch. But a client that polls sends the same request for hours,
// except for a number in its query. So when a poll parks, its connection is taken out of the server
// ([Server.Take]). From then on, it takes no goroutine while it waits for its answer or for its next request: on Linux, a
// poller waits for all connections, and a goroutine serves one only while there is work ([turns]). On other systems,
// and for connections that aren't sockets, a goroutine waits. A request that differs from the one before only in a number
// isn't parsed, and takes no goroutine until it is answered ([Again]). Other polls are parsed. Any other request goes
// back to package http's server, together with the connection.
//
// It promises:
//
//   - The handler receives the same requests as from package http, and the client the same answers, except
//     for the order of the header's fields. Tests compare whole connections with package http, byte by byte.
//   - No data of a client is lost when its connection moves here or back, including pipelined requests.
//   - While a request waits, a disconnected client isn't noticed until the next write.
//   - A client that doesn't read its answer doesn't block others, and is disconnected after
//     ten to fifteen seconds plus a second for each 64 KiB.
//   - [Server.Shutdown] ends idle connections at once and others with their answer.
package longpoll
