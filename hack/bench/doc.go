// Command bench measures the server and the minimum cost of the same work, and prints a table.
//
//	go run ./hack/bench -only G1,G3 -pairs 5
//
// Machines and their load differ, so only ratios are meaningful. Each quantity is measured alternately with a floor, in
// the same run:
//
//   - for sending, pgbench with a transaction that inserts the same two rows;
//   - for delivering, a bare net/http server that answers as many parked requests with the same bytes;
//   - for event streams, also a loop that only waits by epoll and writes the same bytes, and a WebSocket server over
//     net/http.
//
// Some goals compare the server with itself: reading in an organization of five million messages with reading in one of
// fifty thousand, deliveries during the largest calls of another organization with deliveries alone (G11), and marking
// a message as read with sending one.
//
// PostgreSQL (fsync, synchronous_commit and full_page_writes on) and Redis (append-only file, written every second) are
// started for the run and removed afterwards. The services are the programs in bin/, each in its own process. The
// processor time of a measurement is that of all processes on the server's side, read from /proc, until the event log
// is dispatched and the servers are idle again, minus what the same processes use when idle. The load generator isn't
// counted, though it shares the machine. Nothing else may run on the machine: if another process uses a processor,
// PostgreSQL waits for its turn after each sync, and delays all commits, for 50 ms and more. Nor may another process
// write to the disk: on a disk that several hosts share, a sync can take half a second. -dir with a folder in memory,
// such as in /dev/shm, measures the software alone.
//
// It isn't a test: its exit code doesn't depend on the ratios.
package main
