package program

import (
	"fmt"
	"os"

	"chatserver.dev/pkg/boot"
)

// HashCommand is the command with which api and chatserver run themselves to compute hashes of passwords. It isn't for
// users.
const HashCommand = "hash"

// Hashing returns p, which computes hashes of passwords in processes of their own: this executable with [HashCommand].
func Hashing(p boot.Program) (boot.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return p, fmt.Errorf("find this program: %w", err)
	}
	p.Hashing = []string{self, HashCommand}
	return p, nil
}
