// Command scale estimates the resources for a number of accounts, and which limit is reached first:
//
//	go run ./hack/scale                       # a table for 1,000, 100,000 and 10 million accounts
//	go run ./hack/scale -accounts 50000
//
// go run ./hack/scale -simulate 1000000 # the dispatcher's cost with a million clients
//
// The table comes from a model, with costs measured by hack/bench and assumptions about the use of a chat.
// docs/scale.md explains both.
//
// The simulation checks an assumption of the model: the cost of an event for each queue that it enters doesn't depend
// on the number of queues. It runs the dispatcher with PostgreSQL and Redis. Its clients are queues without
// connections, and all events are in the log before the dispatcher starts.
package main
