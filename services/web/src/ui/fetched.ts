import { useEffect } from 'preact/hooks'
import { useClient } from '../client'

/** Has something fetched while it is wanted and isn't known: at once, and again whenever the server is back. of says what is wanted, if that may change. */
export function useFetched(wanted: boolean, fetch: () => unknown, of?: number): void {
  const opened = Math.max(1, useClient().connection.opened.value) // the first comes with the page
  useEffect(() => {
    if (wanted) {
      void fetch()
    }
  }, [wanted, of, opened])
}
