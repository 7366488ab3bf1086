// Texts that stand for a missing value in CSV cells. A marker may be meant for one column alone ("age=-999"); one that reads as a
// number stands for that number however it is written (-999, -999.0). A level that a category declares is a level.

import { declaredFeature, type TableSpec } from './table-spec.js'

/** What is missing unless the spec says otherwise; an empty cell always is. */
export const missingMarkers: readonly string[] = [
  ...['NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NaN', 'nan', 'null', 'NULL', 'None'],
  ...['?', '.'],
]

/** The markers of one column, and how often each was met. */
export class ColumnMarkers {
  readonly counts = new Map<string, number>()
  readonly #texts: ReadonlySet<string>
  readonly #numbers: ReadonlyMap<number, string>

  constructor(spec: TableSpec, column: string) {
    const feature = declaredFeature(spec, column)
    const levels = feature?.type === 'category' ? feature.levels : []
    // "None" may be an action: of actions only what is meant for them is missing.
    const given = (spec.na ?? missingMarkers).filter(
      (marker) => column !== spec.action || marker.startsWith(`${column}=`),
    )
    const own = given.map((marker) => (marker.startsWith(`${column}=`) ? marker.slice(column.length + 1) : marker))
    const markers = own.filter((marker) => !levels.includes(marker))
    this.#texts = new Set(markers)
    this.#numbers = new Map(
      markers.flatMap((marker) =>
        marker === '' || Number.isNaN(Number(marker)) ? [] : [[Number(marker), marker] as const],
      ),
    )
  }

  isMissingText(text: string): boolean {
    if (!this.#texts.has(text)) return false
    this.count(text)
    return true
  }

  isMissingNumber(value: number): boolean {
    const marker = this.#numbers.size === 0 ? undefined : this.#numbers.get(value)
    if (marker === undefined) return false
    this.count(marker)
    return true
  }

  /** '' is an empty cell. */
  count(marker: string): void {
    this.counts.set(marker, (this.counts.get(marker) ?? 0) + 1)
  }
}
