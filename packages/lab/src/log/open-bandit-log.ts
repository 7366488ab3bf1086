// The Open Bandit data layout as a decision log: one CSV row per item shown, with timestamp, item_id, position, click, propensity_score,
// user_feature_0, ...; beside it an item_context.csv with the items. An item is an action, a position a part of the context.

import { levelsIn } from '../tables/encode-column.js'
import { readTable, tableHeader } from '../tables/read-table.js'
import type { TextColumn } from '../tables/table.js'
import type { ConvertedLog } from './convert-log.js'
import { importLog } from './import-log.js'

/** Opens Open Bandit data as a decision log; `items` is its item_context.csv. */
export async function openBanditLog(file: string, items?: string): Promise<ConvertedLog> {
  const columns = await tableHeader(file)
  const affinities = columns.filter((name) => name.startsWith('user-item_affinity_')).length
  // Hashes are texts even where they read as numbers.
  const levels = columns.filter((name) => name === 'position' || /^user_feature_\d+$/.test(name))
  const log = await importLog(file, {
    action: 'item_id',
    actions: await itemsIn(items ?? file),
    reward: 'click',
    propensity: 'propensity_score',
    rewardRange: [0, 1],
    context: levels,
    categories: levels,
    ...(columns.includes('timestamp') ? { time: 'timestamp' } : {}),
  })
  return {
    ...log,
    file,
    format: 'csv',
    lost: [
      'that the positions of one page were shown together: each is a row of its own',
      items === undefined
        ? 'items that were never shown (--items names all)'
        : 'the features of items: actions have names only',
      ...(affinities > 0 ? [`${affinities} columns user-item_affinity_*, one per item`] : []),
    ],
  }
}

/** Items in the order of their numbers. */
async function itemsIn(file: string): Promise<readonly string[]> {
  const { columns } = await readTable(file, { context: ['item_id'], categories: ['item_id'] })
  return [...levelsIn(columns.get('item_id') as TextColumn)].sort(new Intl.Collator('en', { numeric: true }).compare)
}
