// Package password hashes passwords, compares them, and judges how easily they are guessed.
//
// It promises:
//
//   - Hashes are Argon2id with their own salt, as PHC strings, so that a hash says how it was computed.
//     [Hasher.Matches] reports when a hash is weaker than today's, for the caller to replace it.
//   - A [Hasher] computes so many hashes at a time, at 19 MiB each; others wait in line, and where the line is full,
//     takes too long, or their context ends, they fail with [ErrBusy]. So nobody exhausts a process's memory or processors by
//     signing in. Judging how strong a password is counts as computing.
//   - A password that nobody has set takes as long to refuse as a wrong one: see [Hasher.Pretend].
package password
