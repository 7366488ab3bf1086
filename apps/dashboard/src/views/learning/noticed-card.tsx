// What the checks of the newest report noticed.

import { Card } from '../../components/card.js'
import { type LearntEpoch, newestDiagnosis } from './learnt.js'

export function NoticedCard({ epochs }: { readonly epochs: readonly LearntEpoch[] }) {
  const warnings = newestDiagnosis(epochs)?.warnings ?? []
  if (warnings.length === 0) return null
  return (
    <Card
      id="noticed"
      title={warnings.length === 1 ? 'The checks noticed one thing' : `The checks noticed ${warnings.length} things`}
      note="Learning goes on; these say where it could do better."
    >
      {warnings.map(({ code, message, covariate }) => (
        <p key={`${code}${covariate ?? ''}`} className="note small">
          {covariate === undefined ? '' : `${covariate}: `}
          {message}.
        </p>
      ))}
    </Card>
  )
}
