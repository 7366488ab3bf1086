// A problem without decisions: three steps, with lines to copy, and whether the first decision has arrived.

import type { ProblemInfo } from '@primo/contract'
import { type ReactNode, useContext } from 'react'
import { AccessContext } from '../../access.js'
import { useAddressState } from '../../address.js'
import { Card } from '../../components/card.js'
import { CodeBlock } from '../../components/code-block.js'
import { Pill } from '../../components/pill.js'
import { Segments } from '../../components/tabs.js'
import { problemHref } from '../../route.js'
import './define.css'
import { exampleLines, type Language } from './example-lines.js'

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
]

export function FirstSteps({ info }: { readonly info: ProblemInfo }) {
  const [language, setLanguage] = useAddressState<Language>('language', 'curl')
  const { keys } = useContext(AccessContext)
  const url = new URL('.', location.href).href.replace(/\/$/, '')
  const lines = exampleLines(language, { url, keys, info })
  return (
    <Card
      id="first-steps"
      title="Three steps to the first decision"
      tools={<Segments label="Language" choices={LANGUAGES} value={language} onChange={setLanguage} />}
    >
      <Step count={1} title="The problem is defined" done>
        <p className="small quiet">
          {Object.keys(info.definition.covariates).join(' and ')} may be missing; one of{' '}
          {info.definition.actions.length} actions is chosen. Nothing has been learnt yet, so you can still{' '}
          <a href={problemHref(info.problem, 'edit')}>change it</a> freely.
        </p>
      </Step>
      <Step count={2} title="Ask for a decision">
        <CodeBlock label={`Ask for a decision with ${language}`} text={lines.decide} />
        <p className="small" role="status" style={{ marginTop: 8 }}>
          <Pill status="idle">waiting for the first decision</Pill> This page shows it as soon as it arrives. Or{' '}
          <a href={problemHref(info.problem, 'try')}>try one here</a>.
        </p>
      </Step>
      <Step count={3} title="Report what it earned">
        <CodeBlock label={`Report a reward with ${language}`} text={lines.reward} />
      </Step>
    </Card>
  )
}

interface StepProps {
  readonly count: number
  readonly title: string
  readonly done?: boolean
  readonly children: ReactNode
}

function Step({ count, title, done = false, children }: StepProps) {
  return (
    <div className={`step${done ? ' done' : ''}`}>
      <span className="count">{count}</span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </div>
  )
}
