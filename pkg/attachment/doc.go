// Package attachment manages uploaded files in messages (rest-api.md, section 5.10).
//
// It promises:
//
//   - A file can be read by its owner, and by everybody who may currently read a message that contains it. Moving, editing or
//     deleting messages, or making streams private, changes that.
//   - An organization's files never exceed its quota, even with concurrent uploads.
//   - Metadata of photos (where, when and by whom they were taken) is removed.
//   - A file that has been in no message for five weeks is removed.
//   - Browsers show only files of a few types without active content, determined by the first bytes, not by the name. They save
//     others.
package attachment
