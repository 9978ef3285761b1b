import type { Message } from '../../state/model'
import { taskOf, type Todo as Known } from '../../state/widget'
import { text } from '../../text/text'
import { useNumbers } from './numbers'
import { OneField } from './onefield'
import type { Add } from './widget'

interface Props {
  readonly message: Message
  readonly todo: Known
  readonly add: Add
  readonly problemID: string
}

/** A list of tasks, to which everybody can add, and which everybody can tick. What is done is at its end. */
export function Todo({ message, todo, add, problemID }: Props) {
  const words = text.reading
  const number = useNumbers(todo.next)
  const id = `todo-${message.id}`
  const tasks = [...todo.tasks].sort((a, b) => Number(a.done) - Number(b.done))
  const has = (name: string) => todo.tasks.some((task) => task.name === name)
  const addTask = (typed: string) => {
    const { name: task, description: desc } = taskOf(typed)
    return task === '' ? Promise.resolve(false) : add(has(task) ? undefined : { type: 'new_task', key: number(), task, desc, completed: false })
  }
  return (
    <section class="todo" aria-labelledby={id}>
      <p class="widget-title">
        <strong id={id} dir="auto">
          {todo.title === '' ? words.todo : todo.title}
        </strong>
      </p>
      <ul class="tasks">
        {tasks.map((task) => (
          <li key={task.key}>
            <label class={task.done ? 'check done' : 'check'}>
              <input
                type="checkbox"
                checked={task.done}
                onClick={(event) => {
                  event.preventDefault() // it is ticked when the event comes
                  void add({ type: 'strike', key: task.key })
                }}
              />
              <span dir="auto">
                <span class="task-name">{task.name}</span>
                {task.description === '' ? null : <span class="detail">{task.description}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <OneField name={`${id}-task`} label={words.newTask} button={words.addTask} value="" problemID={problemID} done={addTask} />
    </section>
  )
}
