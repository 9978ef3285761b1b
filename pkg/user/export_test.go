package user

// Remembered returns the numbers of cached keys: of accounts and unknown ones.
func (a *Authenticator) Remembered() (accounts, nobodys int) {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	return len(a.accepted), len(a.rejected)
}

// Pending returns the number of keys that callers wait for.
func (a *Authenticator) Pending() int {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	return len(a.pending)
}

// Portion is the number of accounts that are read at a time.
const Portion = portion
