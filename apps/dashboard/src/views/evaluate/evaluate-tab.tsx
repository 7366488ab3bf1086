// What other policies would have earned, from the log: choose, run, compare, promote.

import type { Evaluation } from '@primo/contract'
import { useEffect, useRef, useState } from 'react'
import { post, problemPath, ServiceFailure } from '../../api/service.js'
import { Button } from '../../components/button.js'
import { say } from '../../components/toast.js'
import { Failure } from '../failure.js'
import type { TabProps } from '../problem/tab-props.js'
import { CandidateCard } from './candidate-card.js'
import './evaluate.css'
import { type EvaluationForm, requestOf, useEvaluationForm } from './evaluation-form.js'
import { EvaluationResult } from './evaluation-result.js'
import { QuestionCard } from './question-card.js'
import { type SavedRun, useSavedRuns } from './saved-runs.js'
import { SavedRunsCard } from './saved-runs-card.js'

export function EvaluateTab({ problem, info, reload }: TabProps) {
  const [form, change] = useEvaluationForm()
  const [runs, save, remove] = useSavedRuns(problem)
  const [shown, setShown] = useState<SavedRun | null>(null)
  const [failure, setFailure] = useState<ServiceFailure | null>(null)
  const [running, setRunning] = useState(false)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const run = async (asked: EvaluationForm) => {
    const abort = new AbortController()
    stop.current = abort
    setRunning(true)
    setFailure(null)
    try {
      const path = problemPath(problem, '/evaluations')
      const evaluation = await post<Evaluation>(path, requestOf(asked), abort.signal)
      const done = { at: Date.now(), form: asked, evaluation }
      setShown(done)
      save(done)
    } catch (error) {
      if (abort.signal.aborted) return
      setFailure(error instanceof ServiceFailure ? error : new ServiceFailure(String(error), 'internal'))
    } finally {
      setRunning(false)
    }
  }
  const copy = async () => {
    await navigator.clipboard?.writeText(location.href)
    say('The link is copied: whoever opens it sees this question.')
  }
  return (
    <div className="stack">
      <CandidateCard problem={problem} />
      <QuestionCard
        info={info}
        form={form}
        onChange={change}
        buttons={
          <>
            {running ? (
              <Button onClick={() => stop.current?.abort()}>Stop</Button>
            ) : (
              <Button
                kind="primary"
                icon="play"
                unless={form.policies.length === 0 ? 'Choose at least one policy.' : null}
                onClick={() => void run(form)}
              >
                Evaluate
              </Button>
            )}
            <Button icon="copy" onClick={() => void copy()}>
              Copy link
            </Button>
            <span role="status" className="small quiet">
              {running ? 'Reading the log and learning from it; this may take a minute.' : ''}
            </span>
          </>
        }
      />
      {failure === null ? null : <Failure failure={failure} onRetry={() => void run(form)} />}
      {shown === null ? null : (
        <EvaluationResult
          key={shown.at}
          problem={problem}
          info={info}
          evaluation={shown.evaluation}
          onPromoted={reload}
        />
      )}
      {runs.length === 0 ? null : (
        <SavedRunsCard
          info={info}
          runs={runs}
          shown={shown}
          onShow={(one) => {
            setShown(one)
            change(one.form)
          }}
          onRemove={remove}
        />
      )}
    </div>
  )
}
