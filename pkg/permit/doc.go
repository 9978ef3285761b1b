// Package permit decides who may do what, with pure functions of the caller and the object.
//
// A decision depends only on the arguments, which include the time. The arguments may be outdated when the decision
// is used, so callers check this when they store a change (store.Tx.Send does so for messages). Each endpoint
// declares a [Who]. The functions implement the finer rules, and return the interface's errors.
package permit
