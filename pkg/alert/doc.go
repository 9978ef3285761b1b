// Package alert manages alert words: words that somebody wants to be notified of in messages.
//
// Whoever sends asks [Service.Words] for the organization's words, as a [Matcher]; package patterns remembers it. Where nobody has
// any words, a send does nothing.
package alert
