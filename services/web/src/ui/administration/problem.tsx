/** Why something was refused, beside it. */
export function Problem({ children }: { readonly children: string }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  )
}
