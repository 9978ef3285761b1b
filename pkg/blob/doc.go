// Package blob keeps files that people upload: in a folder, or in a bucket of a server that speaks S3's protocol. It knows
// their names and bytes and nothing else; package file knows whose they are.
//
// It promises, for both:
//
//   - What Put has stored is complete, and is there after a crash of this process or its machine. Where it fails, nothing
//     can be opened under the name; what it may leave behind is taken away by Remove.
//   - Bytes pass through: neither storing nor reading holds a file in memory.
//   - Nothing outside of the folder or the bucket is reached, whatever a name is.
package blob
