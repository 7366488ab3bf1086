// A table whose columns can be sorted.

import { type ReactNode, useState } from 'react'
import { Icon } from './icon.js'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly number?: boolean
  /** By what it is sorted; absent: it cannot be. Null is last either way. */
  readonly by?: (row: Row) => number | string | null
  /** For a screen reader only. */
  readonly hidden?: boolean
  /** Left out on a phone. */
  readonly wide?: boolean
}

interface TableProps<Row> {
  /** What it lists, for a screen reader. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  const [order, setOrder] = useState<{ readonly name: string; readonly down: boolean } | null>(null)
  const by = columns.find(({ name }) => name === order?.name)?.by
  const shown = by === undefined ? rows : [...rows].sort((a, b) => compare(by(a), by(b), order!.down))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, number = false, by: sorted, hidden = false, wide = false }) => (
              <th
                key={name}
                scope="col"
                className={classOf(number, wide)}
                aria-sort={order?.name === name ? (order.down ? 'descending' : 'ascending') : undefined}
              >
                {hidden ? (
                  <span className="hidden">{name}</span>
                ) : sorted === undefined ? (
                  name
                ) : (
                  <button
                    type="button"
                    className="sort"
                    onClick={() => setOrder({ name, down: order?.name === name ? !order.down : number })}
                  >
                    {name}
                    {order?.name === name ? <Icon name={order.down ? 'down' : 'up'} size={12} /> : null}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ name, cell, number = false, wide = false }) => (
                <td key={name} className={classOf(number, wide)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function classOf(number: boolean, wide: boolean): string | undefined {
  return [...(number ? ['number'] : []), ...(wide ? ['only-wide'] : [])].join(' ') || undefined
}

function compare(a: number | string | null, b: number | string | null, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en')
  return down ? -order : order
}
