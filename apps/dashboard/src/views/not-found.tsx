// The address names something that does not exist.

export function NotFound({ what }: { readonly what: string }) {
  return (
    <>
      <h1>There is no {what}</h1>
      <p>
        Go to <a href="#/">all problems</a>.
      </p>
    </>
  )
}
