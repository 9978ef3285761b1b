import { useEffect } from 'preact/hooks'
import { useClient } from '../client'
import type { TopicPlace } from '../state/conversation'

/** Calls hear with each topic that is moved as a whole, before and after. Only the function of the first render is used. */
export function useMoved(hear: (from: TopicPlace, to: TopicPlace) => void): void {
  const { moved } = useClient()
  useEffect(() => {
    moved.add(hear)
    return () => moved.delete(hear)
  }, [moved])
}
