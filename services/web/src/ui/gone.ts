import { useEffect } from 'preact/hooks'
import { useClient } from '../client'

/** Closes what is about something that is gone, or no longer for its user, once that is so. Words say it; empty: what is on screen then shows it. */
export function useGone(isGone: boolean, close: () => void, words = ''): void {
  const { said } = useClient()
  useEffect(() => {
    if (isGone) {
      close()
      if (words !== '') {
        said.value = { words }
      }
    }
  }, [isGone])
}
