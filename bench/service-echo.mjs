// An echo behind the same plugins, keys and validation as the service: what HTTP alone costs.

import { DecisionBatch, DecisionBody, RewardReport } from '@primo/contract'
import { createMetrics, createServer, defaults } from '@primo/service'

const config = { ...defaults, logLevel: 'silent', keys: JSON.parse(process.env.BENCH_KEYS ?? '[]'), rateLimit: 1e9 }
const server = await createServer({
  config,
  metrics: createMetrics(),
  stopping: () => false,
})
const echo = (role, body) => [{ config: { role }, schema: { body } }, async (request) => request.body]
server.post('/v1/problems/:problem/decisions', ...echo('decide', DecisionBody))
server.post('/v1/problems/:problem/decisions/batch', ...echo('decide', DecisionBatch))
server.post('/v1/problems/:problem/decisions/:id/reward', ...echo('reward', RewardReport))
await server.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.server.address().port}` }))
