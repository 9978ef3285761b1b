// Package alert is alert words: words that somebody wants to be alerted of in messages.
//
// Whoever sends asks [Service.Words] for the organization's words, as a [Matcher]. Which version of
// them there is comes with authentication, and the matcher of a version is remembered: so a send asks
// for nothing, and where nobody has any words, it does nothing. The price is that a word counts in
// messages only when senders have been looked up again, within three seconds (package user).
package alert
