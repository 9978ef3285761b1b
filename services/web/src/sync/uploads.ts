import { signal } from '@preact/signals'
import { CallError } from '../api/request'
import { fileLinkOf, labelOf } from '../markdown/names'
import type { Drafts } from './drafts'

/** A file on its way to the server. */
export interface Uploading {
  readonly id: number
  /** The draft that it is for. */
  readonly draft: string
  readonly name: string
  /** How much of it was sent, from 0 to 1. */
  readonly part: number
  /** Why it wasn't stored; undefined: it is under way. */
  readonly failed?: string
  /** The file, if it may be sent again. */
  readonly file?: File
}

/** How many files are sent at once: browsers have few connections to a server, and events need one. */
const atOnce = 2

/** Sends a file and returns its path on the server. */
export type Send = (file: File, stop: AbortSignal, progress: (part: number) => void) => Promise<string>

/** Sends files for drafts, in each of which a marker stands for the link until there is one. */
export class Uploads {
  /** The files that are under way, or that weren't stored. */
  readonly list = signal<readonly Uploading[]>([])

  private readonly drafts: Drafts
  private readonly send: Send
  private readonly stops = new Map<number, AbortController>()
  private readonly waiting: (() => Promise<void>)[] = []
  private running = 0
  private count = 0

  constructor(drafts: Drafts, send: Send) {
    this.drafts = drafts
    this.send = send
  }

  /** Begins to send a file, and returns the marker, which is for the caller to write into the draft; label is what it says. */
  add(draft: string, file: File, label: (name: string) => string): string {
    const id = ++this.count
    const marker = `[${label(labelOf(file.name))} ${id}]()`
    this.drafts.mark(draft, marker)
    this.list.value = [...this.list.peek(), { id, draft, name: file.name, part: 0 }]
    const stop = new AbortController()
    this.stops.set(id, stop)
    stop.signal.addEventListener('abort', () => this.drafts.resolve(draft, marker, ''))
    this.waiting.push(async () => {
      const link = stop.signal.aborted ? '' : await this.store(id, file, stop.signal)
      this.drafts.resolve(draft, marker, link)
      this.stops.delete(id)
    })
    queueMicrotask(() => void this.next()) // the marker is in the draft by then
    return marker
  }

  /** Notes a file that can't be sent, and why. */
  refuse(draft: string, name: string, why: string): void {
    this.list.value = [...this.list.peek(), { id: ++this.count, draft, name, part: 0, failed: why }]
  }

  /** Stops sending a file, or forgets one that wasn't stored. */
  drop(id: number): void {
    this.forget(id)
    this.stops.get(id)?.abort()
  }

  /** Stops sending all of them: the account is signed out, and the session may be that of another one. */
  end(): void {
    this.stops.forEach((stop) => stop.abort())
  }

  /** Notes that a draft has another name. */
  move(draft: string, to: string): void {
    this.list.value = this.list.peek().map((u) => (u.draft === draft ? { ...u, draft: to } : u))
  }

  /** Forgets the files of a draft that aren't going to be stored. Those that can be tried again stay. */
  dropRefused(draft: string): void {
    this.list.value = this.list.peek().filter((u) => u.draft !== draft || u.failed === undefined || u.file !== undefined)
  }

  private async next(): Promise<void> {
    const work = this.running < atOnce ? this.waiting.shift() : undefined
    if (work !== undefined) {
      this.running++
      await work()
      this.running--
      void this.next()
    }
  }

  /** Sends a file and returns the link to it; empty: there is none. */
  private async store(id: number, file: File, stop: AbortSignal): Promise<string> {
    try {
      const uri = await this.send(file, stop, (part) => this.change(id, { part }))
      this.forget(id)
      return fileLinkOf(file.name, uri)
    } catch (error) {
      if (error instanceof CallError) {
        this.change(id, { failed: error.message, ...(error.passes ? { file } : {}) })
      } else if (!stop.aborted) {
        throw error
      }
      return ''
    }
  }

  private change(id: number, changed: Partial<Uploading>): void {
    this.list.value = this.list.peek().map((u) => (u.id === id ? { ...u, ...changed } : u))
  }

  private forget(id: number): void {
    this.list.value = this.list.peek().filter((u) => u.id !== id)
  }
}
