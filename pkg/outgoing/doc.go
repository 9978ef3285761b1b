// Package outgoing is what outgoing webhook bots are called with, and what happens to the answers (rest-api.md, section 5.12). A
// message that concerns such a bot is stored together with its call, which any process makes: package services/outgoing does, by
// HTTP.
//
// It promises:
//
//   - No call is lost: it is a row until its answer, or its failure, is stored. A process that dies while it makes a call leaves
//     it to another one, [lease] later. So a bot may be called twice with a message, but it answers once.
//   - A bot is called with one message at a time, in their order.
//   - Nothing of a private stream is sent to a bot that isn't in it, and whose owner isn't, either.
package outgoing
