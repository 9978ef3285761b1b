import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { pauseAfter, type Backoff } from './backoff'

/** A message that is going to be sent. */
export type Scheduled = Calls['GET /scheduled_messages']['reply']['scheduled_messages'][number]

/** The pauses before a message is cancelled again whose cancelling got no answer, and how often that is tried at most. */
const backoff: Backoff = { first: 500, longest: 8_000 }
const mostTries = 6

/**
 * Cancels a message, so that it isn't sent. A call without an answer may have been carried out: then the next one is refused, although
 * the message wasn't sent. It throws a CallError.
 */
export async function cancel({ scheduled_message_id, deliver_at }: Pick<Scheduled, 'scheduled_message_id' | 'deliver_at'>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id })
      return
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      if (tries > 1 && error.status === 400 && deliver_at * 1000 > Date.now()) {
        return
      }
      if (!error.passes || tries === mostTries) {
        throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(backoff, tries - 1, error.wait)))
    }
  }
}
