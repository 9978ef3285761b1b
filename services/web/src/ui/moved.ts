import { useEffect } from 'preact/hooks'
import { useClient } from '../client'
import type { TopicPlace } from '../state/conversation'

/** Calls the first hear that a component gives with each topic that is moved as a whole, and what it is then. */
export function useMoved(hear: (from: TopicPlace, to: TopicPlace) => void): void {
  const { moved } = useClient()
  useEffect(() => {
    moved.add(hear)
    return () => moved.delete(hear)
  }, [moved])
}
