import { call, replyOf } from '../api/request'
import type { Calls } from '../api/schema'
import { compose } from '../api/wire'
import { early } from './early'

/** Makes a call, unless it was made early: then its response is taken, once. It throws a CallError. */
export async function callUnlessEarly<Name extends keyof Calls>(
  name: Name,
  params: Calls[Name]['params'],
  options: { readonly signal?: AbortSignal } = {},
): Promise<Calls[Name]['reply']> {
  const response = await early(compose(name, params as Readonly<Record<string, unknown>>).address)
  return response === undefined ? call(name, params, options) : replyOf<Name>(response)
}
