// A problem made, or changed: from a table or a form; reviewed as JSON; the service says beforehand what it would do.

import type { ProblemInfo } from '@primo/contract'
import { useState } from 'react'
import { problemHref } from '../../route.js'
import './define.css'
import { DefineForm } from './define-form.js'
import { type Draft, definitionOf, draftOf, newDraft } from './draft.js'
import { DropTable } from './drop-table.js'
import { Review } from './review.js'

export function NewProblem() {
  const [draft, setDraft] = useState<Draft>(newDraft)
  const [open, setOpen] = useState<string | null>(null)
  return (
    <>
      <div className="page-head">
        <h1>New problem</h1>
        <p className="quiet">A problem is one kind of decision that is made again and again.</p>
      </div>
      <div className="define">
        <div className="stack">
          <DropTable
            onDraft={(next, question) => {
              setDraft(next)
              setOpen(question)
            }}
          />
          <DefineForm draft={draft} onChange={setDraft} named={false} />
        </div>
        <div className="stack">
          <Review name={draft.name} definition={definitionOf(draft)} exists={false} open={open} />
        </div>
      </div>
    </>
  )
}

export function EditProblem({ problem, info }: { readonly problem: string; readonly info: ProblemInfo }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(problem, info.definition))
  return (
    <>
      <p className="small">
        <a href={problemHref(problem, 'data')}>Back to {problem}</a>
      </p>
      <div className="define">
        <div className="stack">
          <DefineForm draft={draft} onChange={setDraft} named />
        </div>
        <div className="stack">
          <Review name={problem} definition={definitionOf(draft)} exists />
        </div>
      </div>
    </>
  )
}
