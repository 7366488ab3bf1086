// What can be done with a chart: back from a zoom, and away as a picture or a table.

import type { RefObject } from 'react'
import { chartCsv } from './chart-csv.js'
import { chartPng } from './chart-png.js'
import type { AxisKind, Range } from './frame.js'
import { fileName, saveFile } from './save-file.js'
import type { Line } from './series.js'

interface ChartToolsProps {
  readonly svg: RefObject<SVGSVGElement | null>
  readonly label: string
  readonly lines: readonly Line[]
  readonly x: AxisKind
  readonly xName: string
  readonly range: Range | null
  /** Names for the picture that it does not have itself. */
  readonly legend: readonly Line[]
  readonly onReset: (() => void) | null
}

export function ChartTools({ svg, label, lines, x, xName, range, legend, onReset }: ChartToolsProps) {
  const title = label.split(/[:.] /)[0]!
  const picture = async () => {
    if (svg.current !== null) saveFile(fileName(title, 'png'), await chartPng(svg.current, { title, names: legend }))
  }
  const table = () =>
    saveFile(fileName(title, 'csv'), new Blob([chartCsv(lines, x, xName, range)], { type: 'text/csv' }))
  return (
    <div className="chart-tools">
      {onReset === null ? null : (
        <button type="button" className="chart-reset" onClick={onReset}>
          Show all
        </button>
      )}
      <button type="button" aria-label={`PNG: ${title}`} onClick={() => void picture()}>
        PNG
      </button>
      <button type="button" aria-label={`CSV: ${title}`} onClick={table}>
        CSV
      </button>
    </div>
  )
}
