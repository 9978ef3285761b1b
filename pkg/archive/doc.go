// Package archive reads and writes organizations in the reference's export format: a folder, or a tar.gz of one, with tables as JSON
// and the files that people uploaded.
//
//   - realm.json has the tables of the organization: accounts, streams, subscriptions, reactions and so on.
//   - messages-000001.json and so on have about a thousand messages each, and what each of their readers did with them.
//   - attachment.json has the table of uploaded files; uploads, avatars, emoji and realm_icons have files, each with a
//     records.json that says whose they are.
//
// It promises:
//
//   - Rows pass one at a time: an archive may be larger than memory.
//   - Nothing outside of the archive is reached, whatever names and links it has. What an unpacked archive may take is bounded by
//     what the packed one has.
//   - Whatever is wrong with an archive is an error that names the file, the table and the row.
//
// It knows the format alone: package transfer knows what becomes of it.
package archive
