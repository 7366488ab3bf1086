// A dropped table in a Web Worker: looked at, then replayed. It stays in this browser.

import { bytesText, profileCsv } from '@primo/lab'
import { replayTable } from './replay-table.js'
import { lookedAt, type ReplayPlan } from './table-roles.js'

export interface TableRequest {
  readonly name: string
  readonly bytes: ArrayBuffer
  /** null: only look at it. */
  readonly plan: ReplayPlan | null
  readonly seeds: number
}

addEventListener('message', async ({ data }: MessageEvent<TableRequest>) => {
  try {
    const text = bytesText(data.name, new Uint8Array(data.bytes))
    if (data.plan === null) postMessage({ looked: lookedAt(await profileCsv(text)) })
    else replayTable(text, data.plan, data.seeds, (message) => postMessage(message))
    postMessage({ done: true })
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) })
  }
})
