import { ask, client, compose, refusal } from './request'
import type { Calls } from './schema'

/** Makes a call of the interface that has a file in it. It throws a CallError. */
export async function callWithFile<Name extends keyof Calls>(name: Name, params: Calls[Name]['params'], file: File): Promise<Calls[Name]['reply']> {
  const { method, address, body } = compose(name, params as Readonly<Record<string, unknown>>)
  const form = new FormData()
  form.set('client', client)
  for (const [key, value] of body ?? []) {
    form.set(key, value)
  }
  form.set('file', file, file.name) // behind the others: the server reads them in their order
  const response = await ask(address, { method, body: form })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok || typeof answer !== 'object' || answer === null) {
    throw refusal(response, answer)
  }
  return answer as Calls[Name]['reply']
}
