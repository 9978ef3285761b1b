import type { Message } from './model'

/** A choice of a poll, with those who chose it in the order in which they did. */
export interface Option {
  readonly key: string
  readonly name: string
  readonly voters: readonly number[]
}

/** A question with options, each of which everybody can choose. */
export interface Poll {
  readonly kind: 'poll'
  readonly question: string
  readonly options: readonly Option[]
  /** The number of the next option. */
  readonly next: number
}

/** Something to do. */
export interface Task {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly done: boolean
}

/** A list of what is to be done. */
export interface Todo {
  readonly kind: 'todo'
  /** What it is for; empty: its author didn't say. */
  readonly title: string
  readonly tasks: readonly Task[]
  /** The number of the next task. */
  readonly next: number
}

/** What is in a message in place of its text. */
export type Widget = Poll | Todo

/** How many options or tasks are shown: a widget with more is an attack. */
const most = 200

/** How long names are that are shown, in characters. */
const longest = 1_000

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the widget of a message, by its parts (rest-api.md, sections 2.2.5 and 2.14). Everybody who reads a message can add parts to it, whatever
 * they say, and the server doesn't read them: only the author's first part makes a widget, and what isn't understood changes nothing.
 * The tasks that a list begins with are in no part, so written returns what the message says.
 */
export function widgetOf({ submessages, sender_id: author }: Pick<Message, 'submessages' | 'sender_id'>, written: () => string): Widget | undefined {
  const [first, ...rest] = [...submessages].filter((part) => part.msg_type === 'widget').sort((a, b) => a.id - b.id)
  if (first === undefined || first.sender_id !== author) {
    return undefined
  }
  const { widget_type: type, extra_data: extra } = fieldsOf(first.content)
  const parts = rest.map((part) => ({ by: part.sender_id, says: fieldsOf(part.content) }))
  return type === 'poll' ? pollOf(isFields(extra) ? extra : {}, author, parts) : type === 'todo' ? todoOf(written(), parts) : undefined
}

interface Part {
  readonly by: number
  readonly says: Fields
}

function pollOf(extra: Fields, author: number, parts: readonly Part[]): Poll {
  let question = textOf(extra['question']) ?? ''
  let next = 1
  const options = new Map<string, { readonly name: string; readonly voters: Set<number> }>()
  const add = (key: string, name: string | undefined) => {
    if (name !== undefined && name !== '' && !options.has(key) && options.size < most) {
      options.set(key, { name, voters: new Set() })
    }
  }
  const first: readonly unknown[] = Array.isArray(extra['options']) ? extra['options'] : []
  first.forEach((name, i) => add(`canned,${i}`, textOf(name)))
  for (const { by, says } of parts) {
    const { type, idx: number, key, vote } = says
    if (type === 'new_option' && isNumber(number)) {
      add(`${by},${number}`, textOf(says['option']))
      next = Math.max(next, number + 1)
    } else if (type === 'question' && by === author) {
      question = textOf(says['question']) ?? question
    } else if (type === 'vote' && vote === 1) {
      options.get(String(key))?.voters.add(by)
    } else if (type === 'vote' && vote === -1) {
      options.get(String(key))?.voters.delete(by)
    }
  }
  return { kind: 'poll', question, options: [...options].map(([key, { name, voters }]) => ({ key, name, voters: [...voters] })), next }
}

/** Reads a task as it is typed: what follows a colon describes it. An empty name: nothing was typed. */
export function taskOf(typed: string): Pick<Task, 'name' | 'description'> {
  const [, name = '', description = ''] = /^(.+?)(?:: +(.*))?$/s.exec(typed) ?? []
  return { name: textOf(name) ?? '', description: textOf(description) ?? '' }
}

/** written is a line with the command and what the list is for, and a task in each further one. Their keys have their names, which stay if others are removed. */
function todoOf(written: string, parts: readonly Part[]): Todo {
  let next = 1
  const tasks = new Map<string, Task>()
  const [first = '', ...lines] = written.split('\n')
  for (const line of lines) {
    const task = taskOf(line.trim())
    if (task.name !== '' && tasks.size < most) {
      const key = `written,${task.name}`
      tasks.set(key, { key, ...task, done: false })
    }
  }
  for (const { by, says } of parts) {
    const { type, key } = says
    if (type === 'new_task' && isNumber(key)) {
      const name = textOf(says['task'])
      const own = `${key},${by}`
      if (name !== undefined && name !== '' && !tasks.has(own) && tasks.size < most) {
        tasks.set(own, { key: own, name, description: textOf(says['desc']) ?? '', done: says['completed'] === true })
      }
      next = Math.max(next, key + 1)
    } else if (type === 'strike') {
      const task = tasks.get(String(key))
      if (task !== undefined) {
        tasks.set(task.key, { ...task, done: !task.done })
      }
    }
  }
  return { kind: 'todo', title: textOf(first.replace(/^\/todo\b/, '')) ?? '', tasks: [...tasks.values()], next }
}

function fieldsOf(content: string): Fields {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) < 2 ** 31
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim().slice(0, longest) : undefined
}
