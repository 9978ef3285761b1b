import { useState } from 'preact/hooks'
import { call, CallError } from '../../api/request'
import type { Message } from '../../state/model'
import type { Widget as Known } from '../../state/widget'
import '../../style/widget.css'
import { Poll } from './poll'
import { Todo } from './todo'

/** Adds a part to the widget of a message, unless it has that (undefined); false: it was refused. */
export type Add = (says: Readonly<Record<string, unknown>> | undefined) => Promise<boolean>

/** The widget of a message. What one does in it shows when its event comes. */
export function Widget({ message, widget }: { readonly message: Message; readonly widget: Known }) {
  const [problem, setProblem] = useState('')
  const add: Add = async (says) => {
    try {
      await (says && call('POST /submessage', { message_id: message.id, msg_type: 'widget', content: JSON.stringify(says) }))
      setProblem('')
      return true
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      setProblem(error.message)
      return false
    }
  }
  const problemID = `widget-problem-${message.id}`
  return (
    <div id={`said-${message.id}`} class="widget">
      {widget.kind === 'poll' ? <Poll message={message} poll={widget} add={add} problemID={problemID} /> : <Todo message={message} todo={widget} add={add} problemID={problemID} />}
      <p id={problemID} class="problem" role="alert">
        {problem}
      </p>
    </div>
  )
}
