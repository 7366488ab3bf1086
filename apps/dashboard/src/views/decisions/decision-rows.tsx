// A long list of which only the rows in sight are drawn.

import type { DecisionRow } from '@primo/contract'
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react'
import { hashOf } from '../../address.js'
import { bare, figure, moment, percent, whole } from '../../charts/number-format.js'
import { CutName } from '../../components/cut-name.js'
import { problemHref } from '../../route.js'
import { rewardWords, sourceWords } from './decision-words.js'

interface DecisionRowsProps {
  readonly problem: string
  readonly labels: Readonly<Record<string, string>>
  readonly rows: readonly DecisionRow[]
  /** What the address of a decision carries on. */
  readonly query: Readonly<Record<string, string>>
  /** More rows are there than are loaded. */
  readonly unfinished: boolean
  readonly onEnd: () => void
}

const HEIGHT = 34
const OVERSCAN = 10
const COLUMNS = 8

/** Where each list was scrolled to. */
const scrolled = new Map<string, number>()

export function DecisionRows({ problem, labels, rows, query, unfinished, onEnd }: DecisionRowsProps) {
  const key = hashOf({ path: problem, query })
  const region = useRef<HTMLElement>(null)
  const [view, setView] = useState({ top: scrolled.get(key) ?? 0, height: 600 })
  useLayoutEffect(() => {
    const element = region.current!
    element.scrollTop = scrolled.get(key) ?? 0
    setView({ top: element.scrollTop, height: element.clientHeight })
  }, [key])
  const onScroll = ({ currentTarget: { scrollTop: top, clientHeight: height } }: UIEvent<HTMLElement>) => {
    scrolled.set(key, top)
    setView({ top, height })
    if (unfinished && top + 2 * height > rows.length * HEIGHT) onEnd()
  }
  const first = Math.max(0, Math.floor(view.top / HEIGHT) - OVERSCAN)
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / HEIGHT) + OVERSCAN)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="decision-rows" ref={region} tabIndex={0} aria-label="Decisions" onScroll={onScroll}>
      <table aria-rowcount={unfinished ? -1 : rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="number">
              decision
            </th>
            <th scope="col">when</th>
            <th scope="col">action</th>
            <th scope="col" className="number">
              probability
            </th>
            <th scope="col">missing</th>
            <th scope="col">values from</th>
            <th scope="col">reward</th>
            <th scope="col" className="number">
              value
            </th>
          </tr>
        </thead>
        <tbody>
          <Space rows={first} />
          {rows.slice(first, last).map((row, i) => (
            <tr key={row.decisionId} aria-rowindex={first + i + 2} style={{ height: HEIGHT }}>
              <td className="number">
                <a
                  href={hashOf({ path: problemHref(problem, 'decisions', row.decisionId).slice(1), query })}
                  data-decision={row.decisionId}
                >
                  {whole(row.round)}
                </a>
              </td>
              <td>{moment(row.time)}</td>
              <td>
                <CutName name={labels[row.action] ?? row.action} />
                {row.holdout ? <span className="quiet small"> holdout</span> : null}
              </td>
              <td className="number">{row.propensity === null ? '' : percent(row.propensity)}</td>
              <td>
                <CutName name={row.missing.join(', ') || 'nothing'} />
              </td>
              <td>
                <CutName
                  name={[...new Set(row.missing.map((name) => sourceWords(row.sources[name] ?? '')))].join(', ')}
                />
              </td>
              <td>{rewardWords(row.status)}</td>
              <td className="number">{row.reward === null ? '' : bare(figure(row.reward))}</td>
            </tr>
          ))}
          <Space rows={rows.length - last} />
        </tbody>
      </table>
    </section>
  )
}

function Space({ rows }: { readonly rows: number }) {
  return rows <= 0 ? null : (
    <tr style={{ height: rows * HEIGHT }}>
      <td colSpan={COLUMNS} />
    </tr>
  )
}
