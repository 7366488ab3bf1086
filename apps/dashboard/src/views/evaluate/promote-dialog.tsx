// The question before a policy is put in charge: what will change, as the service itself says.

import { useState } from 'react'
import { Dialog } from '../../components/dialog.js'
import { say } from '../../components/toast.js'
import { type PromotionPlan, promote } from './promotion.js'

interface PromoteDialogProps {
  readonly problem: string
  readonly policy: string
  readonly words: string
  readonly plan: PromotionPlan
  /** A sentence about a policy that is shown to be worse. */
  readonly loss: string | null
  readonly onClose: (changed: boolean) => void
}

export function PromoteDialog({ problem, policy, words, plan, loss, onClose }: PromoteDialogProps) {
  const [busy, setBusy] = useState(false)
  const { change, kept, anew, warnings } = plan.plan
  const run = async () => {
    setBusy(true)
    try {
      await promote(problem, plan)
      say(`From now on: ${words}.`)
      onClose(true)
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true)
      onClose(false)
    }
  }
  return (
    <Dialog
      title={`From now on: ${words}?`}
      action="Let it decide"
      danger={plan.renews || loss !== null}
      busy={busy}
      onAction={() => void run()}
      onClose={() => onClose(false)}
    >
      {loss === null ? null : <p className="note bad">{loss}</p>}
      <p>
        {change === 'unchanged'
          ? 'It decides already: nothing changes.'
          : policy.startsWith('fixed:')
            ? 'From the next decision on this action is played every time, until you take it back under Operate.'
            : plan.renews
              ? 'Learning begins anew with it: the problem gets a new version, and the log of the old one stays.'
              : 'It decides from the next update on. Nothing learnt is lost.'}
      </p>
      {kept.length === 0 ? null : <p className="small">Kept: {kept.join('; ')}.</p>}
      {anew.length === 0 ? null : <p className="small">Begins anew: {anew.join('; ')}.</p>}
      {warnings.map((warning) => (
        <p key={warning} className="small warn">
          {warning}
        </p>
      ))}
    </Dialog>
  )
}
