// A decision to be tried: a form from the problem's definition, what would be answered as it changes, the same call for a program,
// and apart from it the decision itself.

import type { DecisionReply } from '@primo/contract'
import { useContext, useMemo, useState } from 'react'
import { AccessContext, useWhyNot } from '../../access.js'
import { useAddressState } from '../../address.js'
import { post, problemPath } from '../../api/service.js'
import { percent } from '../../charts/number-format.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CodeBlock } from '../../components/code-block.js'
import { cutName } from '../../components/cut-name.js'
import { Dialog } from '../../components/dialog.js'
import { Switch } from '../../components/switch.js'
import { Segments } from '../../components/tabs.js'
import { say } from '../../components/toast.js'
import { problemHref } from '../../route.js'
import { exampleLines, type Language } from '../define/example-lines.js'
import type { TabProps } from '../problem/tab-props.js'
import { FeatureField } from './feature-field.js'
import { IfKnown, valueText } from './if-known.js'
import { Probabilities } from './probabilities.js'
import './try.css'
import { requestOf, type TriedCovariate, type TryValues, valuesFrom } from './try-values.js'
import { useTry } from './use-try.js'

type TryViewProps = Pick<TabProps, 'problem' | 'info' | 'summary' | 'reload'>

export function TryView({ problem, info, summary, reload }: TryViewProps) {
  const { definition } = info
  const [text, setText] = useAddressState<string>('request', '')
  const values = useMemo(() => valuesFrom(text, definition), [text, definition])
  const { tried, failure } = useTry(problem, definition, values, summary.learning.policyVersion)
  const [supposed, setSupposed] = useState<{ readonly name: string; readonly at: number } | null>(null)
  const set = (change: Partial<TryValues>) => setText(JSON.stringify({ ...values, ...change }))
  const setCovariate = (name: string, change: Partial<TriedCovariate>) =>
    set({ covariates: { ...values.covariates, [name]: { ...values.covariates[name]!, ...change } } })
  const points = supposed === null ? undefined : tried?.known[supposed.name]
  const point = points?.[Math.min(supposed!.at, points.length - 1)]
  return (
    <div className="try">
      <Card id="request" title="The request" note="Nothing is decided while you try.">
        <div className="try-fields">
          {Object.entries(definition.context).map(([name, feature]) => (
            <FeatureField
              key={name}
              name={name}
              feature={feature}
              value={values.context[name]!}
              onChange={(value) => set({ context: { ...values.context, [name]: value } })}
            />
          ))}
          {Object.entries(definition.covariates).map(([name, feature]) => {
            const { missing, value, prediction } = values.covariates[name]!
            return (
              <div key={name} className="try-covariate">
                <Switch
                  label={`${name} is missing`}
                  on={missing}
                  onChange={(on) => setCovariate(name, { missing: on })}
                />
                {missing ? null : (
                  <FeatureField
                    name={name}
                    feature={feature}
                    value={value}
                    onChange={(next) => setCovariate(name, { value: next })}
                  />
                )}
                {prediction === undefined ? null : (
                  <FeatureField
                    name={`your model's prediction of ${name}`}
                    feature={feature}
                    value={prediction}
                    onChange={(next) => setCovariate(name, { prediction: next })}
                  />
                )}
              </div>
            )
          })}
        </div>
      </Card>
      <div className="stack">
        {failure === null ? null : (
          <p role="alert" className="bad">
            {failure}
          </p>
        )}
        {tried === null ? (
          failure === null ? (
            <p role="status">Asking.</p>
          ) : null
        ) : (
          <>
            <Card id="answer" title={answerTitle(tried.reply, definition.labels)} note={answerNote(tried.reply)}>
              <Probabilities
                definition={definition}
                reply={tried.reply}
                supposed={
                  point === undefined
                    ? null
                    : { words: `if ${cutName(supposed!.name)} were ${valueText(point.value)}`, reply: point.reply }
                }
              />
            </Card>
            {Object.entries(tried.known).map(([name, along]) => (
              <IfKnown
                key={name}
                name={name}
                definition={definition}
                points={along}
                use={tried.reply.covariates[name]}
                at={supposed?.name === name ? supposed.at : null}
                onAt={(at) => setSupposed(at === null ? null : { name, at })}
              />
            ))}
          </>
        )}
        <AsCode info={info} values={values} />
        <SaveDecision problem={problem} values={values} onSaved={reload} />
      </div>
    </div>
  )
}

function answerTitle({ ranking }: DecisionReply, labels: Readonly<Record<string, string>> = {}): string {
  const best = Math.max(...ranking.map(({ propensity }) => propensity))
  const first = ranking.filter(({ propensity }) => propensity > best - 1e-9)
  if (first.length > 1) return `${first.length === ranking.length ? 'All' : first.length} actions are equally likely`
  const { action, propensity } = first[0]!
  return `“${labels[action] ?? action}” is most likely: ${percent(propensity)}`
}

function answerNote({ policy, ranking, covariates }: DecisionReply): string {
  if (ranking.every(({ score }) => score === null)) return 'Nothing has been learnt yet.'
  const missing = Object.entries(covariates).filter(([, { status }]) => status !== 'observed')
  const over = missing.length === 0 ? '' : ', over what the missing values may be'
  return `By the policy that decides now (version ${policy.version}). Expected reward: as its model sees it${over}.`
}

const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const

function AsCode({ info, values }: { readonly info: TabProps['info']; readonly values: TryValues }) {
  const { keys } = useContext(AccessContext)
  const [language, setLanguage] = useAddressState<Language>('language', 'curl')
  const url = new URL('.', location.href).href.replace(/\/$/, '')
  const { decide } = exampleLines(language, { url, keys, info, request: requestOf(values) })
  return (
    <Card
      id="code"
      title="The same from a program"
      tools={<Segments label="Language" choices={LANGUAGES} value={language} onChange={setLanguage} />}
    >
      <CodeBlock label={`As ${language}`} text={decide} />
    </Card>
  )
}

interface SaveDecisionProps {
  readonly problem: string
  readonly values: TryValues
  readonly onSaved: () => void
}

function SaveDecision({ problem, values, onSaved }: SaveDecisionProps) {
  const refusal = useWhyNot('decide')
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const [saved, setSaved] = useState<DecisionReply | null>(null)
  const save = async () => {
    setBusy(true)
    try {
      const reply = await post<DecisionReply>(problemPath(problem, '/decisions'), requestOf(values))
      setSaved(reply)
      say(`The decision was made: “${reply.action}” was drawn.`)
      onSaved()
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true)
    } finally {
      setBusy(false)
      setAsked(false)
    }
  }
  return (
    <Card
      id="save"
      title="Save as a decision"
      note="Draws an action and writes it to the log, as a call of the API does. It counts, and waits for its reward."
      tools={
        <Button unless={refusal} onClick={() => setAsked(true)}>
          Save as a decision
        </Button>
      }
    >
      {saved === null ? null : (
        <p>
          “{saved.action}” was drawn with probability {percent(saved.propensity)}.{' '}
          <a href={problemHref(problem, 'decisions', saved.decisionId)}>See this decision explained</a>
        </p>
      )}
      {asked ? (
        <Dialog
          title={`Make a decision of ${problem}?`}
          action="Make the decision"
          busy={busy}
          onAction={() => void save()}
          onClose={() => setAsked(false)}
        >
          <p>It enters the log of {problem} like any other and is learnt from once its reward is reported.</p>
        </Dialog>
      ) : null}
    </Card>
  )
}
