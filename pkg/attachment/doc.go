// Package attachment manages files that people upload and put into messages (rest-api.md, section 5.10).
//
// It promises:
//
//   - A file is read by its owner, and by whoever may read a message that it is in: when messages are moved, edited or deleted,
//     or streams become private, that follows.
//   - An organization's files together never have more bytes than its quota, however many are uploaded at once.
//   - A photo doesn't say where, when and by whom it was taken.
//   - A file that has been in no message for five weeks is removed.
//   - What browsers show instead of saving is of a few kinds that run nothing, by its first bytes and not by its name.
package attachment
