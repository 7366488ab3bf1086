import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLearner } from '@primo/core'
import { type LogEvaluation, type LogRow, logHeader, problemOfLog } from '@primo/lab'
import { writeLog } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { beforeAll, describe, expect, test } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const log = join(folder, 'log.jsonl')
const header = logHeader({
  actions: ['no', 'yes'],
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1 } },
  reward: { min: 0, max: 1 },
})

function* rows(): Generator<LogRow> {
  const random = Random.fromSeed(1)
  for (let k = 0; k < 2000; k++) {
    const x = random.uniform()
    const z = random.uniform()
    const yes = random.uniform() < 0.5
    const reward = random.uniform() < (yes ? z : 0.4) ? 1 : 0
    yield {
      decisionId: `${k + 1}`,
      action: yes ? 'yes' : 'no',
      propensity: 0.5,
      reward,
      rewardStatus: 'closed',
      'context.x': x,
      'covariate.z': random.uniform() < 0.5 ? z : null,
      'pretrained.z': 0.5,
    }
  }
}

beforeAll(async () => {
  await writeLog(log, header, rows())
})

describe('primo evaluate', () => {
  test('prints one JSON object with values, paired differences and what seeing z would add', async () => {
    const { code, stdout } = await primo('evaluate', log, '--policy', 'fixed:yes', '--policy', 'primo', '--json')
    expect(code).toBe(0)
    const result = JSON.parse(stdout) as LogEvaluation
    expect(result.rows).toBe(2000)
    const value = (policy: string, estimator: string) =>
      result.policies.find((one) => one.policy === policy)!.estimates.find((one) => one.estimator === estimator)!
    const { value: replayed, standardError } = value('fixed:yes', 'replay')
    expect(Math.abs(replayed - 0.5)).toBeLessThan(3 * standardError)
    // Playing yes where z is large is worth 0.54 when half of z is seen.
    expect(Math.abs(value('primo', 'dr').value - 0.54)).toBeLessThan(0.02 + 3 * value('primo', 'dr').standardError)
    expect(result.differences.map(({ policy }) => policy)).toContain('primo')
    expect(result.observing.find(({ policy }) => policy === 'primo')!.gain.value).toBeGreaterThan(0)
  })

  test('prints tables and writes a report', async () => {
    const out = join(folder, 'report')
    const { code, stdout } = await primo('evaluate', log, '--policy', 'uniform', '--policy', 'fixed:no', '--out', out)
    expect(code).toBe(0)
    expect(stdout).toContain('Value per decision')
    expect(stdout).toContain('Difference from logged, paired')
    expect(existsSync(join(out, 'report.html'))).toBe(true)
    expect(readFileSync(join(out, 'plots/1.svg'), 'utf8')).toContain('fixed:no')
  })

  test('takes a saved learner and a table of another make', async () => {
    const learner = createLearner(problemOfLog(header), { profile: 'primo' })
    const saved = join(folder, 'saved.json')
    for (let k = 0; k < 40; k++) {
      const { id, action } = learner.decide({ context: { x: 0.5 }, covariates: { z: 0.5 }, predictions: { z: 0.5 } })
      learner.reward(id, action === 'yes' ? 1 : 0)
    }
    writeFileSync(saved, JSON.stringify(learner.snapshot()))
    const one = await primo('evaluate', log, '--policy', `snapshot:${saved}`, '--json', '--replicates', '0')
    expect(one.code).toBe(0)
    const table = join(folder, 'other.csv')
    writeFileSync(table, 'arm,got\nA,1\nB,0\nA,0\nB,1\nA,1\nB,0\nA,1\nB,0\nA,1\nB,0\n')
    const map = join(folder, 'map.json')
    writeFileSync(map, JSON.stringify({ action: 'arm', reward: 'got', propensity: { uniform: true }, context: [] }))
    const two = await primo('evaluate', table, '--spec', map, '--policy', 'fixed:A', '--estimators', 'snips', '--json')
    const { policies } = JSON.parse(two.stdout) as LogEvaluation
    expect(policies[0]!.estimates[0]!.value).toBeCloseTo(0.8, 12)
    expect(policies[0]!.warnings.map(({ code }) => code)).toContain('few-effective-rows')
  })

  test('estimates propensities that a log has not got, and says so', async () => {
    const table = join(folder, 'unknown.csv')
    const random = Random.fromSeed(4)
    const lines = Array.from({ length: 400 }, (_, k) => {
      const x = (k % 20) / 20
      const arm = random.uniform() < 0.2 + 0.6 * x ? 'A' : 'B'
      return `${arm},${arm === 'A' ? 1 : k % 2},${x}`
    })
    writeFileSync(table, `arm,got,x\n${lines.join('\n')}\n`)
    const map = join(folder, 'unknown.json')
    writeFileSync(map, JSON.stringify({ action: 'arm', reward: 'got', context: ['x'] }))
    const common = [table, '--spec', map, '--policy', 'fixed:A', '--replicates', '0']
    const out = join(folder, 'estimated')
    const { code, stdout } = await primo('evaluate', ...common, '--behaviour', 'estimate', '--out', out)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^fixed:A is better than what was played/)
    expect(stdout).toMatch(/Propensities are estimated \(logit\): held-out log loss/)
    expect(stdout).toContain('Calibration of the estimated propensities')
    expect((await primo('evaluate', ...common)).code).toBe(2)
    const html = readFileSync(join(out, 'report.html'), 'utf8')
    for (const said of [
      'Propensities are estimated',
      'How propensities were estimated',
      'Calibration: how often',
      'Overlap: estimated propensity',
    ])
      expect(html).toContain(said)
  })

  test('lets rewards that came stand for those that never did', async () => {
    const holes = join(folder, 'holes.jsonl')
    // Those of yes stay away where x is small.
    const some = [...rows()].map((row) =>
      row.action === 'yes' && (row['context.x'] as number) < 0.3 && Number(row.decisionId) % 4 > 0
        ? { ...row, reward: null, rewardStatus: 'dropped' }
        : row,
    )
    await writeLog(holes, header, some)
    const { code, stdout } = await primo('evaluate', holes, '--policy', 'fixed:yes', '--missing-rewards', 'weight')
    expect(code).toBe(0)
    expect(stdout).toContain('2,000 decisions among 2 actions')
    expect(stdout).toContain('whatever the rewards that never came would have been')
    const estimated = await primo(
      ...['evaluate', holes, '--policy', 'uniform', '--missing-rewards', 'weight', '--behaviour', 'estimate'],
    )
    expect(estimated.code).toBe(2)
  })

  test('says what is wrong with a request and ends with 2', async () => {
    const unknown = await primo('evaluate', log, '--policy', 'fixed:maybe')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('policy must be fixed: with one of the actions no, yes, got "fixed:maybe"')
    const none = await primo('evaluate', log)
    expect([none.code, none.stderr]).toEqual([2, 'primo: --policy must be given at least once, got none\n'])
  })
})
