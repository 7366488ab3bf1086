// The policy that decides now, in the words of the method, each with its meaning.

import type { ProblemSummary } from '@primo/contract'
import { moment, percent, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Facts } from '../../components/facts.js'
import { type LearntEpoch, newestDiagnosis } from './learnt.js'

interface PolicyCardProps {
  readonly summary: ProblemSummary
  readonly epochs: readonly LearntEpoch[]
}

export function PolicyCard({ summary, epochs }: PolicyCardProps) {
  const { learning, mode } = summary
  const live = epochs.find((epoch) => epoch.live)
  const exploration = newestDiagnosis(epochs)?.exploration ?? null
  const title =
    learning.policyVersion === 0
      ? 'Nothing has been learnt yet: every action is equally likely'
      : `Policy ${learning.policyVersion} decides${live === undefined ? '' : ` since ${moment(live.time)}`}${mode === 'frozen' ? ', frozen' : ''}`
  return (
    <Card id="policy" title={title}>
      {learning.memory === null ? null : <p>{memorySentence(learning.memory)}</p>}
      <Facts
        facts={[
          [
            'profile',
            learning.profile,
            'Which variant of the method learns: robust (the default), or primo and primo-cal as in the paper.',
          ],
          [
            'learnt from',
            live?.report == null ? 'nothing yet' : `${whole(live.report.learnt)} decisions`,
            'Decisions with a reward that the policy in use was learnt from.',
          ],
          [
            'next policy',
            mode === 'frozen'
              ? 'none while frozen'
              : `at ${whole(learning.quota)} ${learning.counted === 'closed' ? 'rewards' : 'decisions'}`,
            'A new policy is learnt when so many decisions have been made, or so many rewards have come back.',
          ],
          [
            'epoch',
            whole(learning.epoch),
            'The stretch of decisions between two policies; counted from 1, the running one.',
          ],
          [
            'spent on learning',
            exploration === null ? 'not known' : percent(exploration.exploringShare),
            'Share of decisions that play another action than the one predicted best.',
          ],
        ]}
      />
    </Card>
  )
}

function memorySentence({ since, rounds }: NonNullable<ProblemSummary['learning']['memory']>): string {
  return `Learning from the last ${whole(rounds)} rounds${since === 0 ? '' : `: different since about round ${whole(since)}`}.`
}
