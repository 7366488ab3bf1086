// One figure: its name, how it went, what it is compared with.

import type { ReactNode } from 'react'
import { hasCourse, Sparkline } from './sparkline.js'

interface FigureTileProps {
  readonly name: ReactNode
  readonly value: ReactNode
  /** What it is compared with, or how it changed. */
  readonly change?: ReactNode
  readonly trend?: readonly (number | null)[]
}

export function FigureTile({ name, value, change, trend = [] }: FigureTileProps) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>
        <span className="value">{value}</span>
        {hasCourse(trend) ? <Sparkline values={trend} width={72} height={24} /> : null}
        <span className="change">{change ?? '\u00a0'}</span>
      </dd>
    </div>
  )
}
