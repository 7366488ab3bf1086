// A store with two problems and all kinds of records.

import { dice } from '../dice.fixture.js'
import { type Running, running, smallProblem } from '../running.fixture.js'

/** A service whose problem p has learnt, with a holdout, windows, truths and rewards in parts. */
export async function learntStore(): Promise<Running> {
  const service = await running()
  const guards = { baseline: 'a', holdout: 0.1, floor: 0.05 }
  const { covariates } = smallProblem()
  const definition = smallProblem({
    guards,
    learning: { seed: 3 },
    covariates: { z: { ...covariates.z!, reveals: 'context' } },
  })
  await service.ok('PUT', '/v1/problems/p', definition)
  await service.ok(
    'PUT',
    '/v1/problems/q',
    smallProblem({ reward: { min: 0, max: 5, aggregate: 'sum', window: { milliseconds: 50 } } }),
  )
  const { next: roll } = dice(5)
  for (let k = 0; k < 120; k++) {
    const eventId = `e${k}`
    const z = roll() < 0.5 ? null : roll()
    await service.ok('POST', '/v1/problems/p/decisions', { eventId, context: { x: roll() }, covariates: { z } })
    await service.ok('POST', `/v1/problems/p/decisions/${eventId}/reward`, { value: roll(), rewardId: `r${k}` })
    if (z === null) await service.ok('POST', `/v1/problems/p/decisions/${eventId}/reveal`, { covariates: { z: 0.25 } })
    if (k % 40 === 39) await service.learnt('p')
    if (k >= 10) continue
    await service.ok('POST', '/v1/problems/q/decisions', {
      eventId,
      context: { x: roll() },
      deferActivation: k % 2 === 0,
    })
    await service.ok('POST', `/v1/problems/q/decisions/${eventId}/reward`, { value: 1 })
    await service.ok('POST', `/v1/problems/q/decisions/${eventId}/reward`, { value: 1.5 })
  }
  service.clock.now += 100
  await service.service().host.tick()
  await service.learnt('p')
  return service
}
