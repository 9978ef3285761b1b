import { text } from '../../text/text'
import { composes } from '../composing'
import type { Option } from './chosen'
import { called, useTyped } from './listed'

/** Of more than these, one is found by its name: browsers are slow with a list of thousands, and so are people. */
const few = 100

/** Reports whether one of so many is found by its name, and not chosen from a list. */
export function isFound(options: readonly unknown[]): boolean {
  return options.length > few
}

export interface FoundProps<T> {
  readonly id: string
  readonly options: readonly Option<T>[]
  /** What is chosen, and its name if it is none of those that can be. */
  readonly value: T | undefined
  readonly name?: string
  readonly choose: (value: T) => void
  /** What is said of what is in no name. */
  readonly missed?: string
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly describedBy?: string
  readonly isInvalid?: boolean
}

/** A field in which one of many is found by its name. Enter and Tab choose the first that has what was typed. What is typed and is no name is forgotten. */
export function Found<T>({ id, options, value, name = '', choose, missed = text.noneCalled, placeholder, disabled = false, describedBy, isInvalid = false }: FoundProps<T>) {
  const named = options.map((option, i) => ({ id: i, name: option.name }))
  const { typed, isTyping, matching, first, take, forget, input } = useTyped(named, ({ id: i }) => {
    const option = options[i]
    if (option !== undefined && option.value !== value) {
      choose(option.value)
    }
  })
  const leave = () => {
    const whole = called(named, (one) => one.name, typed)
    if (whole === undefined) {
      forget()
    } else {
      take(whole)
    }
  }
  const press = (event: KeyboardEvent) => {
    if (composes(event) || first === undefined) {
      return
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      take(first)
    } else if (event.key === 'Tab' && !event.shiftKey) {
      take(first)
    }
  }
  return (
    <>
      <input
        id={id}
        list={`${id}-list`}
        autocomplete="off"
        dir="auto"
        disabled={disabled}
        placeholder={placeholder}
        value={isTyping ? typed : (options.find((option) => option.value === value)?.name ?? name)}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={leave}
        onInput={input}
        onKeyDown={press}
      />
      <datalist id={`${id}-list`}>
        {matching.map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
      <p class="problem" role="alert">
        {isTyping && matching.length === 0 ? missed : ''}
      </p>
    </>
  )
}

/** One of several values, from a list or, of many, by its name. The placeholder stands for none. */
export function OneOf<T extends string | number>({ id, options, value, choose, placeholder }: Pick<FoundProps<T>, 'id' | 'options' | 'value' | 'choose' | 'placeholder'>) {
  if (isFound(options)) {
    return <Found id={id} options={options} value={value} choose={choose} {...(placeholder === undefined ? {} : { placeholder })} />
  }
  const pick = (chosen: string) => {
    const option = options.find((one) => String(one.value) === chosen)
    if (option !== undefined) {
      choose(option.value)
    }
  }
  return (
    <select id={id} value={value ?? ''} onChange={(event) => pick(event.currentTarget.value)}>
      {placeholder === undefined ? null : (
        <option value="" disabled>
          {placeholder}
        </option>
      )}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  )
}
