package user

// Remembered returns the numbers of cached keys: of accounts and unknown ones.
func (a *Authenticator) Remembered() (accounts, nobodys int) {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	return len(a.accepted), len(a.rejected)
}

// Portion is the number of accounts that are read at a time.
const Portion = portion
