import { ask, replyOf } from './request'
import type { Calls } from './schema'
import { client, compose } from './wire'

/** Makes a call of the interface that has a file in it. It throws a CallError. */
export async function callWithFile<Name extends keyof Calls>(name: Name, params: Calls[Name]['params'], file: File): Promise<Calls[Name]['reply']> {
  const { method, address, body } = compose(name, params as Readonly<Record<string, unknown>>)
  const form = new FormData()
  form.set('client', client)
  for (const [key, value] of body ?? []) {
    form.set(key, value)
  }
  form.set('file', file, file.name) // behind the others: the server reads them in their order
  return replyOf<Name>(await ask(address, { method, body: form }))
}
