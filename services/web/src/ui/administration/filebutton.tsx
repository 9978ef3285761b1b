import { useRef } from 'preact/hooks'

/** What pictures are taken from. */
export const images = 'image/png,image/jpeg,image/gif,image/webp'

/** A button that takes a file. */
export function FileButton({ label, accept, disabled = false, take }: { readonly label: string; readonly accept: string; readonly disabled?: boolean; readonly take: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const chosen = () => {
    const file = input.current?.files?.[0]
    if (input.current !== null && file !== undefined) {
      input.current.value = '' // the same file can be chosen again
      take(file)
    }
  }
  return (
    <>
      <button type="button" aria-disabled={disabled} onClick={() => (disabled ? undefined : input.current?.click())}>
        {label}
      </button>
      <input ref={input} type="file" accept={accept} hidden aria-label={label} onChange={chosen} />
    </>
  )
}
