// A caller of `npm run durability:local`: decides in its own process and says on its standard output what was acknowledged. Told to drain, it
// uploads what earlier runs left, and ends.

import { writeSync } from 'node:fs'
import { openLocal } from '@primo/client/local'
import { filePolicy, fileSpool } from '@primo/client/spool'
import { randomRequest } from '../dist/durability/problems.js'

const [url, caller, acknowledge, folder, drain] = process.argv.slice(2)
const say = (line) => writeSync(1, `${line}\n`)

const locals = await Promise.all(
  ['first', 'summed'].map(async (problem) => {
    const place = `${folder}/${caller}-${problem}`
    const uploads = {
      spool: fileSpool(`${place}.spool`),
      wait: 5,
      keepAtMost: 200,
      onRefused: (item, error) => say(`refused ${problem} ${error.code} ${error.message} ${JSON.stringify(item)}`),
      onLost: (_, error) => say(`lost ${problem} ${error.message}`),
    }
    const options = { url, problem, caller, default: 'low', acknowledge, uploads, keep: filePolicy(`${place}.policy`) }
    return { problem, local: await openLocal({ ...options, backoff: 20, timeout: 5000, refresh: 1000 }) }
  }),
)

if (drain === 'drain') {
  for (const { problem, local } of locals) {
    const left = await local.close(600_000)
    if (left > 0) say(`left ${problem} ${left}`)
  }
  process.exit(0)
}

for (let turn = 0; ; turn++) {
  const { problem, local } = locals[turn % 2]
  const made = Array.from({ length: 1 + Math.floor(Math.random() * 20) }, () => {
    const { eventId: _, ...request } = randomRequest('')
    return local.decide(request)
  }).filter(({ from }) => from === 'policy')
  const value = () => Math.round(Math.random() * 1000) / 1000
  const told = made.map(({ decisionId, action }) => ({ decisionId, action, value: value() }))
  for (const one of told) local.reward(one.decisionId, one.value)
  await local.acknowledged()
  if (told.length > 0) say(told.map((one) => `ack ${problem} ${one.decisionId} ${one.action} ${one.value}`).join('\n'))
  await local.room(0.2)
  await new Promise((resolve) => setTimeout(resolve, made.length === 0 ? 50 : 2))
}
