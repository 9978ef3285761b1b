// Package password hashes and compares passwords, and estimates their strength.
//
// It promises:
//
//   - Hashes are Argon2id with a salt each, as PHC strings, which contain the parameters. [Hasher.Matches]
//     reports whether a hash is weaker than new hashes, so that the caller can replace it.
//   - A [Hasher] computes a limited number of hashes at a time, with 19 MiB each. Further callers wait in a
//     queue. If the queue is full, the wait is too long or the context ends, calls fail with [ErrBusy]. Therefore
//     sign-ins can't exhaust the memory or the processors of a process. Estimating a password's strength counts
//     as computing a hash.
//   - Refusing a password for an account without one takes as long as refusing a wrong password: see
//     [Hasher.Pretend].
package password
