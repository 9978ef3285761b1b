import { computed, signal, type Signal } from '@preact/signals'
import { keyOf, type Place } from '../state/conversation'
import type { Store } from './storage'

/** A place that is being chosen. */
export interface Unplaced {
  readonly stream: number | undefined
  readonly topic: string
  readonly people: readonly number[]
}

/** What was typed and isn't sent. */
export interface Draft {
  readonly content: string
  /** What was chosen of its place, where that isn't known. */
  readonly draft?: Unplaced
  /** Its place, where that is known. */
  readonly place?: Place
  /** What a message said when its edit began. */
  readonly original?: string
  /** When it was changed last, in milliseconds. */
  readonly changed?: number
}

/** A draft with its name. */
export interface Kept extends Draft {
  readonly name: string
  /** The message that it changes; undefined: it is a new one. */
  readonly edits?: number
}

/** What the names of drafts of messages begin with, and those of edits. */
const ofMessages = 'draft/'
const ofEdits = 'edit/'

/** A field in which a draft is on screen. */
export interface Field {
  readonly name: string
  /** Replaces a part of the text without losing what can be undone, or where the caret is. */
  replace(start: number, end: number, text: string): void
}

/** Returns the name of a place's draft. */
export function draftOf(place: Place): string {
  return ofMessages + keyOf(place)
}

/** Returns the name of the draft of a message's edit. */
export function editOf(message: number): string {
  return ofEdits + message
}

/** Returns two texts together, the older one first. One that begins with the other, or has it as lines of its own, is both. */
export function joined(older: string, newer: string): string {
  return has(newer, older) ? newer : has(older, newer) ? older : `${older}\n\n${newer}`
}

function has(text: string, part: string): boolean {
  return text.startsWith(part) || `\n${text}\n`.includes(`\n${part}\n`)
}

const empty: Draft = { content: '' }

/** Whether a draft says what nothing else does: an edit that has changed nothing doesn't. */
function isUnsaved({ content, original }: Draft): boolean {
  return content.trim() !== '' && content !== original
}

/**
 * What was typed, for each conversation, until it is sent; the browser keeps it. In a draft, a marker stands for text that is yet to
 * come. Markers aren't kept: whoever leaves the page leaves what they wait for. Windows share drafts of messages: what is typed in one
 * is in the others.
 */
export class Drafts {
  private readonly store: Store
  private readonly fields = new Map<string, Field>()
  private readonly drafts = new Map<string, Signal<Draft>>()
  private readonly markers = new Map<string, readonly string[]>()
  /** What the fields of drafts are called where that isn't the draft's name: of those that were moved. */
  private readonly fieldNames = new Map<string, string | number>()
  private moves = 0
  /** What the browser kept of a draft when this window last read or wrote it. */
  private readonly last = new Map<string, string>()
  /** Called with what the draft of a message has become in this window. */
  heard: (content: string) => void = () => {}
  /** Counts what may change how many drafts were left. */
  private readonly changes = signal(0)
  /** How many drafts were left: those that are in a field on screen weren't. */
  readonly left = computed(() => (this.changes.value, this.all().filter(({ name }) => !this.fields.has(name)).length))

  constructor(store: Store) {
    this.store = store
    store.follow((name) => this.follow(name))
  }

  /** The draft with a name. */
  of(name: string): Signal<Draft> {
    const known = this.drafts.get(name)
    if (known !== undefined) {
      return known
    }
    const made = signal(this.store.read<Draft>(name) ?? empty)
    this.drafts.set(name, made)
    this.last.set(name, made.peek().content)
    return made
  }

  /** Takes over what another window typed or forgot, unless this one waits for a part of the draft, or has it on screen as the edit of a message. */
  private follow(name: string): void {
    const known = this.drafts.get(name)
    const isEdited = this.fields.has(name) && !name.startsWith(ofMessages)
    if (known !== undefined && !isEdited && known.peek().content === this.last.get(name)) {
      known.value = this.store.read<Draft>(name) ?? empty
      this.last.set(name, known.peek().content)
    }
    this.recount(name)
  }

  /** Has the drafts that were left counted again, unless the one that changed is on screen. */
  private recount(name: string): void {
    if (!this.fields.has(name)) {
      this.count()
    }
  }

  private count(): void {
    this.changes.value = this.changes.peek() + 1
  }

  /** Has the browser keep a draft; undefined: it forgets it, unless another window has typed another one meanwhile. */
  private keep(name: string, draft: Draft | undefined): void {
    if (draft !== undefined || this.kept(name).content === this.last.get(name)) {
      this.store.write(name, draft)
      this.last.set(name, draft?.content ?? '')
      if (name.startsWith(ofMessages)) {
        this.heard(draft?.content ?? '')
      }
    }
  }

  /** What the browser keeps of a draft. */
  kept(name: string): Draft {
    return this.store.read<Draft>(name) ?? empty
  }

  /** The names of the drafts of messages that the browser keeps. */
  names(): readonly string[] {
    return this.store.names(ofMessages)
  }

  /** Changes a draft. */
  write(name: string, changed: Partial<Draft>): void {
    const draft = { ...this.of(name).peek(), changed: Date.now(), ...changed }
    this.of(name).value = draft
    const content = this.waited(name).reduce((text, marker) => text.replace(marker, ''), draft.content)
    this.keep(name, content === '' && draft.draft === undefined ? undefined : { ...draft, content })
    this.recount(name)
  }

  /** All drafts that the browser keeps, those that were changed last first. */
  all(): readonly Kept[] {
    const drafts = [...this.names(), ...this.store.names(ofEdits)].map((name) => ({ ...this.of(name).peek(), name }))
    return drafts
      .filter(isUnsaved)
      .map((draft) => (draft.name.startsWith(ofEdits) ? { ...draft, edits: Number(draft.name.slice(ofEdits.length)) } : draft))
      .sort((a, b) => (b.changed ?? 0) - (a.changed ?? 0))
  }

  /** Forgets a draft. */
  clear(name: string): void {
    this.of(name).value = empty
    this.keep(name, undefined)
    this.recount(name)
  }

  /**
   * Has what was typed for a place go with it to another. What is in a field on screen comes after what was typed for the other place; else
   * that stays alone, as does what another window has typed meanwhile.
   */
  move(from: Place, to: Place): void {
    const [old, name] = [draftOf(from), draftOf(to)]
    const { content } = this.of(old).peek()
    const there = this.of(name).peek().content
    if (old === name) {
      return
    }
    if (this.fields.has(old)) {
      this.fieldNames.set(name, this.fieldName(old))
      this.fieldNames.set(old, ++this.moves)
    } else if (there !== '' || this.kept(old).content !== this.last.get(old)) {
      return
    }
    this.markers.set(name, [...(this.markers.get(name) ?? []), ...(this.markers.get(old) ?? [])])
    this.markers.delete(old)
    if (content !== '') {
      this.write(name, { content: joined(there, content), place: to }) // another window with the same field may have been faster
      this.clear(old)
    }
  }

  /** A name of a draft's field that stays the same when the draft is moved. */
  fieldName(name: string): string | number {
    return this.fieldNames.get(name) ?? name
  }

  /** Notes that a draft is on screen in a field, until the function that it returns is called. */
  shown(field: Field): () => void {
    this.fields.set(field.name, field)
    this.count()
    return () => {
      if (this.fields.get(field.name) === field) {
        this.fields.delete(field.name)
        this.count()
      }
    }
  }

  /** The markers of a draft for which the text hasn't come, and which are still in it. */
  waited(name: string): readonly string[] {
    return (this.markers.get(name) ?? []).filter((marker) => this.of(name).peek().content.includes(marker))
  }

  /** Declares a marker, which is going to be typed into a draft. */
  mark(name: string, marker: string): void {
    this.markers.set(name, [...(this.markers.get(name) ?? []), marker])
  }

  /** Writes what a marker of a draft stands for, or nothing in place of it and the space after it, wherever the draft was moved. A marker that somebody has removed from the draft stays so. */
  resolve(marked: string, marker: string, text: string): void {
    const name = [...this.markers].find(([, markers]) => markers.includes(marker))?.[0] ?? marked
    this.markers.set(name, (this.markers.get(name) ?? []).filter((m) => m !== marker))
    const { content } = this.of(name).peek()
    const start = content.indexOf(marker)
    if (start < 0) {
      return
    }
    const after = start + marker.length
    const end = text === '' && content[after] === ' ' ? after + 1 : after
    const field = this.fields.get(name)
    if (field !== undefined) {
      field.replace(start, end, text)
    } else {
      this.write(name, { content: content.slice(0, start) + text + content.slice(end) })
    }
  }
}
