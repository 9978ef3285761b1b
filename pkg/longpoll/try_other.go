//go:build !unix

package longpoll

import "errors"

func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
