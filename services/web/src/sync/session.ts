/** Where the windows of a browser say which account it is signed in to. */
const key = 'chat/account'

/**
 * Says to the other windows of this browser which account it is signed in to. Until the function that it returns is called, it calls
 * replaced if one of them says another account: all of them have one session.
 */
export function shareAccount(account: number, replaced: () => void): () => void {
  const hear = (event: StorageEvent) => {
    if (event.key === key && event.newValue !== null && event.newValue !== String(account)) {
      replaced()
    }
  }
  addEventListener('storage', hear)
  try {
    localStorage.setItem(key, String(account))
  } catch {
    // The storage is full, or forbidden: the next registration finds out.
  }
  return () => removeEventListener('storage', hear)
}
