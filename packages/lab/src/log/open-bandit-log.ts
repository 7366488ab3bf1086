// The Open Bandit data layout as a decision log: one CSV row per item shown, with timestamp, item_id, position, click, propensity_score,
// user_feature_0, ...; beside it an item_context.csv with the items. An item is an action, a position a part of the context.

import { tableError } from '../tables/table-error.js'
import type { ConvertedLog } from './convert-log.js'
import { importLog } from './import-log.js'
import { tableRows } from './table-rows.js'

/** Opens Open Bandit data as a decision log; `items` is its item_context.csv. */
export async function openBanditLog(file: string, items?: string): Promise<ConvertedLog> {
  const columns = await columnsOf(file)
  const affinities = columns.filter((name) => name.startsWith('user-item_affinity_')).length
  // Hashes are texts even where they read as numbers.
  const levels = columns.filter((name) => name === 'position' || /^user_feature_\d+$/.test(name))
  const texts = await textsOf(file, ['item_id', ...levels])
  const log = await importLog(file, {
    action: 'item_id',
    actions: items === undefined ? texts.get('item_id')! : (await textsOf(items, ['item_id'])).get('item_id')!,
    reward: 'click',
    propensity: 'propensity_score',
    rewardRange: [0, 1],
    context: levels.map((column) => ({ column, feature: { type: 'category', levels: texts.get(column)! } })),
    ...(columns.includes('timestamp') ? { time: 'timestamp' } : {}),
  })
  return {
    ...log,
    lost: [
      'that the positions of one page were shown together: each is a row of its own',
      items === undefined
        ? 'items that were never shown (--items names all)'
        : 'the features of items: actions have names only',
      ...(affinities > 0 ? [`${affinities} columns user-item_affinity_*, one per item`] : []),
    ],
  }
}

async function columnsOf(file: string): Promise<readonly string[]> {
  for await (const row of tableRows(file)) return Object.keys(row)
  throw tableError('table-empty', file, 'must have rows, got none')
}

/** The different texts of columns, numbers in their order. */
async function textsOf(file: string, columns: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map(columns.map((column) => [column, new Set<string>()]))
  for await (const row of tableRows(file, { texts: new Set(columns) })) {
    for (const [column, texts] of found) {
      const text = row[column] ?? null
      if (text !== null) texts.add(String(text))
    }
  }
  const order = new Intl.Collator('en', { numeric: true })
  return new Map(
    [...found].map(([column, texts]) => {
      if (texts.size > 0) return [column, [...texts].sort(order.compare)]
      throw tableError('table-missing-column', file, `must have values in ${column}`, { column })
    }),
  )
}
