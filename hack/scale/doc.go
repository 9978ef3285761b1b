// Command scale says what so many accounts need, and where the first wall is:
//
//	go run ./hack/scale                       # a table for 1,000, 100,000 and 10 million accounts
//	go run ./hack/scale -accounts 50000
//	go run ./hack/scale -simulate 1000000     # the dispatcher's cost with so many clients
//
// The table is a model: figures that hack/bench has measured, and how people use a chat. docs/scale.md explains both.
//
// The simulation checks the model's slope, which is that an event costs the same for each queue that it enters, however many
// queues there are. It runs the dispatcher with PostgreSQL and Redis. Its clients are queues without connections, and
// their hour's events are in the log before it begins.
package main
