// Package alert manages alert words: words in messages that a user wants to be notified of.
//
// When a message is sent, [Service.Words] returns the organization's words as a [Matcher], which package patterns caches. In an
// organization without alert words, this takes no time.
package alert
