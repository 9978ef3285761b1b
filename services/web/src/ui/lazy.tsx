import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { text } from '../text/text'

/**
 * Makes a component of one that is loaded when it is first shown. Meanwhile, and where that fails, it says so. Its styles are those
 * that its file imports. What is over the page or beside it says nothing while it is loaded.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, said = true): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, loaded] = useState(0)
    const [tries, tryAgain] = useState(1)
    const [failed, setFailed] = useState(0) // the try that failed last
    useEffect(() => {
      if (Loaded !== undefined) {
        return
      }
      load().then(
        (component) => {
          Loaded = component
          loaded(tries)
        },
        () => setFailed(tries),
      )
    }, [tries])
    if (Loaded !== undefined) {
      return <Loaded {...props} />
    }
    if (failed < tries) {
      return said ? <p class="hint">{text.loading}</p> : null
    }
    return (
      <p class="hint" role="alert">
        {text.notLoaded} <button onClick={() => tryAgain(tries + 1)}>{text.tryAgain}</button>
      </p>
    )
  }
}
