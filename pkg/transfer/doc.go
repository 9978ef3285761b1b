// Package transfer writes organizations as archives (package archive), and makes organizations of archives.
//
// It promises:
//
//   - An export holds up nobody: it reads in portions, each a short transaction, and writes each message that there was when it
//     began, and whatever else there is when it comes to it. What it takes in memory doesn't depend on how many messages there are.
//   - An organization that is imported can't be reached until it is whole. An import that ends before continues where it was when
//     it is started again. Its transactions are short, for all organizations' events wait for them (docs/decisions/0014).
//   - Nothing of an archive is trusted: HTML is rendered again, pictures are encoded again, and rows that can't be kept are counted
//     in the report, with what is wrong.
//   - Keys and passwords are in no archive, and none is taken from one.
package transfer
