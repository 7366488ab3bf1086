import { expect, it } from 'vitest'
import { running } from '../running.fixture.js'

const definition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: {
    z: { type: 'number', min: 0, max: 10, imputer: { kind: 'linear', intercept: 2, coefficients: { x: 6 } } },
  },
  actions: ['low', 'high'],
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}

it('a decision without a value says what rewards allow it to be, and whether the best action is the same for all of it', async () => {
  const service = await running()
  await service.ok('PUT', '/v1/problems/dose', definition)
  const decide = (eventId: string, x: number, z: number | null) =>
    service.ok<{ action: string }>('POST', '/v1/problems/dose/decisions', {
      eventId,
      context: { x },
      covariates: { z },
    })
  for (let t = 0; t < 200; t++) {
    const x = ((37 * t) % 101) / 101
    const z = 2 + 6 * x + 2 * (((53 * t) % 89) / 89 - 0.5)
    const { action } = await decide(`e${t}`, x, t % 2 === 0 ? z : null)
    const value = (action === 'high' ? z : 10 - z) / 10
    await service.ok('POST', `/v1/problems/dose/decisions/e${t}/reward`, { value })
  }
  await service.learnt('dose')
  await decide('clear', 1, null)
  await decide('seen', 0.5, 5)
  const boundsOf = async (event: string) =>
    (
      await service.ok<{ bounds?: { z: { lower: number; upper: number; used: number; settled: boolean } } }>(
        'GET',
        `/v1/problems/dose/decisions/${event}`,
      )
    ).bounds
  const clear = (await boundsOf('clear'))!.z
  expect(clear.settled).toBe(true)
  expect(clear.lower).toBeLessThan(5.2)
  expect(clear.upper).toBeGreaterThan(4.8)
  expect(clear.upper - clear.lower).toBeLessThan(4)
  expect(clear.used).toBeGreaterThan(4)
  expect(clear.used).toBeLessThan(6)
  expect(await boundsOf('seen')).toBeUndefined()
  const { covariates } = await service.ok<{ covariates: { z: { diagnosis: { missingSet: object } } } }>(
    'GET',
    '/v1/problems/dose/calibration',
  )
  expect(covariates.z.diagnosis.missingSet).toMatchObject({ excluded: false })
})
