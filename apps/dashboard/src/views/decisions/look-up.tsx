// To a decision by its id, or by the event id that the caller gave it.

import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.js'
import { problemHref } from '../../route.js'

export function LookUp({ problem, id }: { readonly problem: string; readonly id: string | null }) {
  const [text, setText] = useState(id ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') location.hash = problemHref(problem, 'decisions', text.trim())
  }
  return (
    <form onSubmit={submit} className="row">
      <label htmlFor="decision">Decision id or event id</label>
      <input id="decision" type="text" size={28} value={text} onChange={(event) => setText(event.target.value)} />
      <Button submit>Explain</Button>
    </form>
  )
}
