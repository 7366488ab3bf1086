// A service with keys whose problems are in all states that the page must look well in: none decided yet, names as long as they may
// be, two covariates, frozen, with something to attend to; fourteen of them.

import { createHash } from 'node:crypto'
import { startService } from './started-service.mjs'

export const KEYS = { read: 'secret-read', admin: 'secret-admin' }
export const LONG_NAME = 'a-name-of-sixty-four-characters-that-would-widen-any-page-at-all'

const entry = ([role, secret]) => `${role}:${createHash('sha256').update(secret).digest('hex')}`

const LOAN = {
  context: { age: { type: 'number', min: 18, max: 95 }, region: { type: 'category', levels: ['north', 'south'] } },
  covariates: {
    income: { type: 'number', min: 0, max: 10_000, imputer: { kind: 'constant', value: 3000 } },
    owner: { type: 'boolean', imputer: { kind: 'constant', value: 0.5 } },
  },
  actions: ['standard', 'premium', 'none'],
  reward: { min: 0, max: 1 },
  guards: { baseline: 'standard', holdout: 0.1 },
}

const TURNS = 40

const NAMES = ['churn', 'email', 'fraud', 'hiring', 'pricing', 'retention', 'routing', 'search', 'triage', 'upsell']

export async function startServiceInStates() {
  const keys = Object.entries(KEYS).map(entry).join()
  const service = await startService((folder) => ['serve', '--store', `sqlite:${folder}/s.db`, '--keys', keys])
  const call = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEYS.admin}` }
    const reply = await fetch(`${service.url}/v1/problems/${path}`, {
      method,
      headers,
      body: JSON.stringify(body ?? {}),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return reply.json()
  }
  const long = {
    ...LOAN,
    actions: [LONG_NAME, `${LONG_NAME.slice(0, 60)}-two`],
    guards: { baseline: LONG_NAME, holdout: 0.1 },
  }
  const clipping = {
    ...LOAN,
    context: { age: { type: 'number', min: 18, max: 60, outside: 'clip' }, region: LOAN.context.region },
  }
  for (const name of NAMES) await call('PUT', name, LOAN)
  await call('PUT', 'empty', LOAN)
  await call('PUT', 'two-values', LOAN)
  await call('PUT', 'attention', clipping)
  await call('PUT', LONG_NAME, long)
  let drawn = 7
  const draw = () => {
    drawn = (drawn * 16_807) % 2_147_483_647
    return drawn / 2_147_483_647
  }
  /** Older people earn more and own more often; premium pays where the income is high, whether it is known or not. */
  async function decide(name, count) {
    const people = Array.from({ length: count }, () => {
      const age = Math.round(20 + 70 * draw())
      const income = Math.round(1000 + 40 * age * draw() + 2000 * draw())
      return { age, region: draw() < 0.5 ? 'north' : 'south', income, owner: draw() < age / 100 }
    })
    const decisions = people.map(({ age, region, income, owner }) => ({
      context: { age, region },
      covariates: { income: draw() < 0.4 ? null : income, owner: draw() < 0.3 ? null : owner },
    }))
    const { results } = await call('POST', `${name}/decisions/batch`, { decisions })
    const rewards = results.map(({ decisionId, action }, k) => {
      const { income, owner } = people[k]
      const chance = action === 'premium' ? (income > 3000 ? 0.9 : 0.1) : action === 'none' ? 0.2 : owner ? 0.5 : 0.3
      return { id: decisionId, value: draw() < chance ? 1 : 0 }
    })
    await call('POST', `${name}/rewards/batch`, { rewards })
  }
  const counts = [
    ...NAMES.map((one, k) => [one, 40 * k ** 2]),
    ['two-values', 6000],
    ['attention', 1200],
    [LONG_NAME, 1200],
  ]
  // Over most of a minute, so that there is a course to be seen.
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, count] of counts) {
      const size = Math.round(count / TURNS)
      for (let done = 0; done < size; done += 100) await decide(name, Math.min(100, size - done))
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await call('POST', 'triage/freeze')
  // The page shows what of the log has been read.
  const headers = { authorization: `Bearer ${KEYS.read}` }
  for (let whole = false; !whole; ) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { problems } = await (await fetch(`${service.url}/v1/overview`, { headers })).json()
    whole = problems.every(({ trend }) => trend.complete)
  }
  return service
}
