package user

// Remembered is how many keys are remembered: of accounts and of nobody.
func (a *Authenticator) Remembered() (accounts, nobodys int) {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	return len(a.accepted), len(a.rejected)
}

// Portion is how many accounts are read at a time.
const Portion = portion
