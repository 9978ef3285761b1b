// Package slack converts organizations from Slack's export format, in a folder or a zip file, to archives (package
// archive).
//
//   - users.json (org_users.json in exports of several workspaces) contains the accounts.
//   - channels.json, groups.json, dms.json and mpims.json contain public channels, private channels,
//     conversations of two, and conversations of more.
//   - Each of these has a folder with its name or id, with a file for each day.
//   - Slack's own exports contain only the addresses of uploaded files. Tools that download the files store them
//     in __uploads, or next to the messages in attachments.
//
// It promises:
//
//   - The conversion is deterministic, so that an import can be continued.
//   - It holds the messages of one day in memory, and about 100 bytes for each account, member, thread and
//     uploaded file.
//   - It reports data that archives can't contain, and fails with an error that names the file and the row if it
//     can't parse an export.
//   - It removes the queries of addresses in messages, because Slack's exports contain a key to all files there.
package slack
