import { parsed, refusalOf, spoken, unreachable } from './request'
import type { Calls } from './schema'
import { client, ofPage } from './wire'

/**
 * Stores a file by POST /user_uploads, and returns its path on this server. progress is called with the part that was sent, from 0 to
 * 1: only XMLHttpRequest says it. It throws a CallError, or an AbortError if it was stopped.
 */
export function upload(file: File, stop: AbortSignal, progress: (part: number) => void): Promise<string> {
  const form = new FormData()
  form.set('client', client)
  if (!/.\.[^.]+$/.test(file.name)) {
    form.set('mimetype', file.type) // the server adds its extension
  }
  form.set('file', file, file.name)
  const request = new XMLHttpRequest()
  const end = () => request.abort()
  const sent = new Promise<string>((resolve, reject) => {
    request.upload.onprogress = (event) => (event.lengthComputable ? progress(event.loaded / event.total) : undefined)
    request.onload = () => {
      const reply = (parsed(request.responseText) ?? undefined) as Partial<Calls['POST /user_uploads']['reply']> | undefined
      if (request.status === 200 && typeof reply?.uri === 'string') {
        resolve(reply.uri)
      } else {
        reject(refusalOf(request.status, request.getResponseHeader('Retry-After'), reply))
      }
    }
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(new DOMException('', 'AbortError'))
  })
  stop.addEventListener('abort', end)
  request.open('POST', '/api/v1/user_uploads')
  for (const [name, value] of Object.entries({ ...ofPage(), ...spoken() })) {
    request.setRequestHeader(name, value)
  }
  request.send(form)
  return sent.finally(() => stop.removeEventListener('abort', end))
}
