// Package permit says who may do what, as pure functions of the caller and the object.
//
// It promises that a decision depends on its arguments alone: it reads nothing, and the time is one of
// them. What it was decided with may have changed meanwhile; whoever stores what it allowed checks
// that (store.Tx.Send does for messages). [Who] is what every endpoint declares; the functions are
// the finer rules, with the interface's sentences for refusals.
package permit
