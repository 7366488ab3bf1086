// The definition before it is sent: as JSON, and what the service says would become of what was learnt.

import type { DefinitionPlan, ProblemDefined, ProblemDefinition } from '@primo/contract'
import { useEffect, useState } from 'react'
import { useWhyNot } from '../../access.js'
import { go } from '../../address.js'
import { answer, headers, problemPath, ServiceFailure } from '../../api/service.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CodeBlock } from '../../components/code-block.js'
import { Pill, type Status } from '../../components/pill.js'
import { say } from '../../components/toast.js'
import { problemHref } from '../../route.js'

const RESTS = 500

interface ReviewProps {
  readonly name: string
  readonly definition: ProblemDefinition
  /** Whether it exists already. */
  readonly exists: boolean
  /** A question to be answered first; null or absent: none. */
  readonly open?: string | null
}

const SAID: Readonly<Record<DefinitionPlan['change'], readonly [Status, string]>> = {
  created: ['good', 'This makes a new problem.'],
  updated: ['good', 'This keeps what was learnt.'],
  unchanged: ['idle', 'This changes nothing.'],
  grown: ['good', 'This keeps what was learnt, and it grows.'],
  recalibrated: ['learning', 'This keeps what was learnt; the correction of the new model starts anew.'],
  renewed: ['warn', 'This starts learning anew.'],
  refused: ['warn', 'This would start learning anew.'],
}

async function put<T>(name: string, definition: ProblemDefinition, query: string, signal?: AbortSignal): Promise<T> {
  const reply = await answer(`${problemPath(name)}${query}`, {
    method: 'PUT',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(definition),
    ...(signal === undefined ? {} : { signal }),
  })
  return (await reply.json()) as T
}

export function Review({ name, definition, exists, open = null }: ReviewProps) {
  const text = JSON.stringify(definition, null, 2)
  const [plan, setPlan] = useState<DefinitionPlan | null>(null)
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const refused = useWhyNot('admin')
  useEffect(() => {
    if (name === '' || refused !== null) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        setPlan(await put<DefinitionPlan>(name, JSON.parse(text), '?dryRun=true&check=none', stop.signal))
        setWrong('')
      } catch (error) {
        if (stop.signal.aborted) return
        setPlan(null)
        setWrong(error instanceof ServiceFailure ? error.message : String(error))
      }
    }, RESTS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [name, text, refused])
  const anew = plan?.change === 'refused' || plan?.change === 'renewed'
  const send = async () => {
    setBusy(true)
    try {
      const { change, warnings } = await put<ProblemDefined>(name, definition, anew ? '?version=new' : '')
      say(change === 'created' ? `${name} was made. It waits for its first decision.` : `${name} was changed.`)
      for (const warning of warnings) say(warning, true)
      go(problemHref(name))
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card
      id="review"
      title="Review"
      note="What will be sent. The service checks it first and says what it would change."
      tools={
        <Button
          kind={anew ? 'danger' : 'primary'}
          busy={busy}
          onClick={send}
          unless={refused ?? open ?? (plan === null ? wrong || 'Give the problem a name first.' : null)}
        >
          {exists ? (anew ? 'Save and start learning anew' : 'Save changes') : 'Create problem'}
        </Button>
      }
    >
      <div role="status" className="plan">
        {open === null ? null : <Pill status="warn">{open}</Pill>}
        {plan === null || open !== null ? null : <Pill status={SAID[plan.change][0]}>{SAID[plan.change][1]}</Pill>}
        {plan === null || (plan.kept.length === 0 && plan.anew.length === 0) ? null : (
          <ul className="small">
            {plan.kept.map((line) => (
              <li key={line}>Kept: {line}</li>
            ))}
            {plan.anew.map((line) => (
              <li key={line}>Anew: {line}</li>
            ))}
          </ul>
        )}
        {wrong === '' || refused !== null ? null : <p className="note">{wrong}</p>}
        {refused === null ? null : <p className="note">{refused}</p>}
      </div>
      <CodeBlock label="Definition as JSON" text={text} />
    </Card>
  )
}
