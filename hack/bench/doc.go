// Command bench measures the server beside the least that its work could cost, and prints a table.
//
//	go run ./hack/bench -only G1,G3 -pairs 5
//
// Machines differ, and so does what else runs on them: only ratios mean something. So each
// quantity is measured alternately with a floor, in the same run:
//
//   - for sending, pgbench with a transaction that inserts the same two rows;
//   - for delivering, a bare net/http server that answers as many parked requests with the same bytes;
//   - for event streams, besides that one, a loop that does nothing but wait by epoll and write the same bytes, and a WebSocket
//     server over net/http.
//
// Some goals compare the server with itself: reading in an organization of five million messages with
// reading in one of fifty thousand, deliveries beside the largest calls of another organization with
// deliveries alone (G11), and marking a message as read with sending one.
//
// PostgreSQL (fsync, synchronous_commit and full_page_writes on) and Redis (append-only file, written
// every second) are started for the run and removed afterwards; our services are the programs in bin/,
// each in its own process. The processor time of a measurement is that of all processes on the
// server's side, read from /proc, until the event log is dispatched and everything is quiet again,
// less what the same processes use when idle. The load generator's doesn't count, though it shares
// the machine. Nothing else may run on the machine: if another process wants a processor, PostgreSQL waits for its turn after
// each sync, and all commits with it, for 50 ms and more. Nor may anything else write to the disk: on one that several hosts
// share, a sync can take half a second. -dir with a folder in memory, say in /dev/shm, shows what the software alone costs.
//
// It isn't a test: its exit code says nothing about the ratios.
package main
