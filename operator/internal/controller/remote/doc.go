// Package remote keeps what is inside of servers as the cluster's objects say: organizations, streams, bots and
// incoming webhooks, which are called guests. One reconciler serves all kinds; the file of a kind has only
// where it belongs, the call that makes it so, and the call that takes it away.
//
// A pass is: deletion first, then whether it may be there at all, then one PUT that is compared and repaired
// by the server, its key into a Secret, and the status once at the end. Where nothing differs nothing is
// written. Everything that can be watched is watched; the only timers are the comparison with the server
// every few minutes, keys that come of age, and a server that doesn't answer.
//
// What is kept has <namespace>/<name> of its object for its key in the server, not the object's UID: so an
// object that is deleted with Retain and made again takes up what it had made, also in another cluster, and
// a pass that was cut off finds what the one before has made.
package remote
