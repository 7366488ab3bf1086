// (10) Epochs and snapshots, with rollback.

import type { ProblemInfo, ProblemSummary } from '@primo/contract'
import { useState } from 'react'
import { post, problemPath } from '../api/service.js'
import { figure, moment, whole } from '../charts/number-format.js'
import type { LearntEpoch } from './learnt.js'
import { Panel } from './panel.js'

interface EpochsPanelProps {
  readonly summary: ProblemSummary
  readonly epochs: readonly LearntEpoch[]
  readonly onChanged: () => void
}

export function EpochsPanel({ summary, epochs, onChanged }: EpochsPanelProps) {
  const { problem, mode, learning } = summary
  const [asked, setAsked] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const [busy, setBusy] = useState(false)
  const operate = async (path: string, body: object, done: string) => {
    setBusy(true)
    try {
      await post<ProblemInfo>(problemPath(problem, path), body)
      setSaid(done)
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
      setAsked(null)
      onChanged()
    }
  }
  const frozen = mode === 'frozen'
  return (
    <Panel
      id="epochs"
      wide
      title={
        frozen
          ? `Policy ${learning.policyVersion} decides, frozen`
          : learning.policyVersion === 0
            ? 'Nothing has been learnt yet: play is uniform'
            : `Policy ${learning.policyVersion} decides, learnt at the end of epoch ${learning.epoch - 1}`
      }
      note={`Profile ${learning.profile}; the running epoch ends at ${whole(learning.quota)} rounds (${learning.counted}). Rolling back plays an earlier policy and stops learning until you resume.`}
    >
      <div className="row">
        {frozen ? (
          <button
            type="button"
            disabled={busy}
            onClick={() => operate('/unfreeze', {}, 'Learning continues from the newest policy.')}
          >
            Resume learning
          </button>
        ) : (
          <button type="button" disabled={busy} onClick={() => operate('/freeze', {}, 'The policy stays as it is.')}>
            Freeze
          </button>
        )}
        {learning.fitting ? <span className="chip">fitting</span> : null}
        {learning.failures > 0 ? (
          <span className="chip bad">
            {learning.failures} fits failed: {learning.lastFailure}
          </span>
        ) : null}
        <span role="status" className="small">
          {said}
        </span>
      </div>
      {epochs.length === 0 ? (
        <p className="quiet small">The first snapshot appears at the end of the first epoch.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="tall scroll" tabIndex={0} aria-label="Snapshots">
          <table>
            <thead>
              <tr>
                <th scope="col">policy</th>
                <th scope="col">epoch ended</th>
                <th scope="col">when</th>
                <th scope="col" className="number">
                  learnt from
                </th>
                <th scope="col" className="number">
                  gamma
                </th>
                <th scope="col" className="number">
                  noise
                </th>
                <th scope="col">
                  <span className="hidden">operation</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {[...epochs].reverse().map(({ version, time, live, current, report }) => (
                <tr key={`${current}${version}`}>
                  <td>
                    {version} {live ? <span className="chip good">decides</span> : null}
                  </td>
                  <td>{report?.epoch ?? ''}</td>
                  <td>{moment(time)}</td>
                  <td className="number">{report === null ? '' : whole(report.learnt)}</td>
                  <td className="number">{report === null ? '' : figure(report.gamma)}</td>
                  <td className="number">{report?.reward == null ? '' : figure(report.reward.sigma)}</td>
                  <td>
                    {live || !current ? null : asked === version ? (
                      <span className="row">
                        <button
                          type="button"
                          disabled={busy}
                          onClick={() =>
                            operate('/rollback', { version }, `Policy ${version} decides now; learning is frozen.`)
                          }
                        >
                          Really roll back to {version}
                        </button>
                        <button type="button" className="plain" onClick={() => setAsked(null)}>
                          no
                        </button>
                      </span>
                    ) : (
                      <button type="button" className="plain" disabled={busy} onClick={() => setAsked(version)}>
                        roll back<span className="hidden"> to policy {version}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Panel>
  )
}
