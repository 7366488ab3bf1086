// Lines that ask for a decision of a problem and report its reward, with the place of the key.

import type { ProblemInfo } from '@primo/contract'

export type Language = 'curl' | 'typescript' | 'python'

export interface ExampleOptions {
  readonly url: string
  /** Whether the service asks for keys. */
  readonly keys: boolean
  readonly info: Pick<ProblemInfo, 'problem' | 'definition'>
  /** Default: an example. */
  readonly request?: object
}

/** A request that the definition allows: the middle of each range, the first level; the first covariate is missing. */
export function exampleRequest({ definition }: ExampleOptions['info']): object {
  const exampleOf = (feature: ProblemInfo['definition']['context'][string]) => {
    if (feature.type === 'number') return Number(((feature.min + feature.max) / 2).toPrecision(3))
    return feature.type === 'boolean' ? true : feature.levels[0]
  }
  const context = Object.fromEntries(Object.entries(definition.context).map(([name, one]) => [name, exampleOf(one)]))
  const covariates = Object.entries(definition.covariates)
  const predicted = covariates.filter(([, { imputer }]) => imputer.kind === 'column')
  return {
    context,
    covariates: Object.fromEntries(covariates.map(([name]) => [name, null])),
    ...(predicted.length === 0
      ? {}
      : { predictions: Object.fromEntries(predicted.map(([name, one]) => [name, exampleOf(one)])) }),
  }
}

export function exampleLines(
  language: Language,
  { url, keys, info, request = exampleRequest(info) }: ExampleOptions,
): { readonly decide: string; readonly reward: string } {
  const path = `${url}/v1/problems/${encodeURIComponent(info.problem)}/decisions`
  const { max } = info.definition.reward
  if (language === 'curl') {
    const key = keys ? ` \\\n  -H "authorization: Bearer $PRIMO_KEY"` : ''
    const post = (to: string, body: object) =>
      `curl -X POST "${to}"${key} \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`
    return { decide: post(path, request), reward: post(`${path}/DECISION_ID/reward`, { value: max }) }
  }
  const fallback = info.definition.guards?.baseline ?? info.definition.actions[0]!
  if (language === 'typescript') {
    const options = keys ? `{ url: '${url}', key: process.env.PRIMO_KEY! }` : `{ url: '${url}' }`
    return {
      decide: `import { createClient } from '@primo/client'

const primo = createClient(${options})
const request = ${JSON.stringify(request)}
const decision = await primo.decide('${info.problem}', request, { default: ${JSON.stringify(fallback)} })
console.log(decision.action)`,
      reward: `await primo.reward('${info.problem}', decision.eventId, ${max})`,
    }
  }
  return {
    decide: `${keys ? 'import os\n' : ''}from primo_client import Client

primo = Client("${url}"${keys ? ', key=os.environ["PRIMO_KEY"]' : ''})
request = ${pythonOf(request)}
decision = primo.decide("${info.problem}", request, default=${JSON.stringify(fallback)})
print(decision.action)`,
    reward: `primo.reward("${info.problem}", decision.event_id, ${max})`,
  }
}

function pythonOf(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${pythonOf(one)}`)
    .join(', ')}}`
}
