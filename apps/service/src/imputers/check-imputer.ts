// Checks the definition of a served imputer without calling the model. A misspelt field is refused: it would have no effect.

import type { Feature } from '@primo/core'
import { PrimoError, unknownName } from '@primo/numeric'
import type { Egress } from './egress.js'
import { type Environment, readHeaders, readVariable } from './headers.js'
import type { InputMap, ServedDefinition } from './imputer-definition.js'
import { DATATYPES, refuseImputer as refuse } from './imputer-definition.js'
import { inputColumns } from './input-columns.js'
import { checkTemplate } from './template.js'

const SHARED = ['kind', 'version', 'fingerprint', 'limits']
const FIELDS: Readonly<Record<ServedDefinition['kind'], readonly string[]>> = {
  module: ['file'],
  onnx: ['file', 'inputs', 'output', 'sd', 'quantiles'],
  http: ['url', 'preset', 'headers', 'request', 'response', 'sd', 'quantiles', 'model', 'datatype', 'inputs', 'output'],
  llm: ['url', 'model', 'prompt', 'key', 'sd'],
}
const LIMITS = { budget: 1, timeout: 1, concurrency: 1, batch: 1 } as const
const CACHE = { size: 0, age: 0, keep: 0 } as const
const BREAKER = { failures: 1, pause: 1 } as const

export function checkServed(
  field: string,
  imputer: ServedDefinition,
  context: Readonly<Record<string, Feature>>,
  environment: Environment,
  egress: Egress,
): void {
  const known = [...SHARED, ...FIELDS[imputer.kind]]
  for (const name of Object.keys(imputer)) if (!known.includes(name)) refuseField(field, name, known)
  if (imputer.version !== undefined && (typeof imputer.version !== 'string' || imputer.version === ''))
    refuse(`${field}.version`, 'non-empty text', imputer.version)
  checkLimits(field, imputer.limits)
  if ('quantiles' in imputer) checkQuantiles(field, imputer)
  if (imputer.kind === 'module' || imputer.kind === 'onnx') checkText(`${field}.file`, imputer.file)
  if (imputer.kind === 'onnx' && imputer.inputs !== undefined) checkInputs(`${field}.inputs`, imputer.inputs, context)
  if (imputer.kind === 'http') {
    checkAddress(`${field}.url`, imputer.url, egress)
    readHeaders(`${field}.headers`, imputer.headers, environment)
    if (imputer.preset === undefined) {
      checkTemplate(`${field}.request`, imputer.request ?? '{context}', context)
      if (imputer.response !== undefined) checkText(`${field}.response`, imputer.response)
    } else {
      if (imputer.preset !== 'open-inference-v2' && imputer.preset !== 'mlflow')
        refuse(`${field}.preset`, '"open-inference-v2" or "mlflow"', imputer.preset)
      const isTensor = imputer.preset === 'open-inference-v2'
      if (isTensor) checkText(`${field}.model`, imputer.model)
      else for (const name of ['model', 'datatype'] as const) checkAbsent(`${field}.${name}`, imputer[name])
      if (imputer.datatype !== undefined && !DATATYPES.includes(imputer.datatype))
        refuse(`${field}.datatype`, `one of ${DATATYPES.join(', ')}`, imputer.datatype)
      if (isTensor || imputer.inputs !== undefined) checkInputs(`${field}.inputs`, imputer.inputs, context)
      for (const [name, column] of Object.entries(isTensor ? {} : (imputer.inputs ?? {})))
        if (typeof column !== 'string') refuse(`${field}.inputs.${name}`, 'one column of the context', column)
    }
  }
  if (imputer.kind === 'llm') {
    checkAddress(`${field}.url`, imputer.url, egress)
    checkText(`${field}.model`, imputer.model)
    checkText(`${field}.prompt`, imputer.prompt)
    checkTemplate(`${field}.prompt`, imputer.prompt, context)
    if (imputer.key !== undefined) readVariable(`${field}.key`, imputer.key, environment)
  }
}

function checkQuantiles(field: string, { sd, quantiles }: { sd?: unknown; quantiles?: unknown }): void {
  if (quantiles === undefined) return
  if (sd !== undefined) refuse(`${field}.quantiles`, 'given in place of sd', quantiles)
  if (typeof quantiles !== 'object' || quantiles === null || Object.keys(quantiles).length < 2)
    refuse(`${field}.quantiles`, 'a map from at least two levels to where they stand', quantiles)
  for (const [level, place] of Object.entries(quantiles)) {
    if (!(Number(level) > 0 && Number(level) < 1)) refuse(`${field}.quantiles`, 'of levels between 0 and 1', level)
    checkText(`${field}.quantiles.${level}`, place)
  }
}

function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') refuse(field, 'non-empty text', value)
}

function checkAbsent(field: string, value: unknown): void {
  if (value !== undefined) refuse(field, 'absent with preset "mlflow"', value)
}

function checkAddress(field: string, value: unknown, { allows }: Egress): void {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value) || !URL.canParse(value))
    refuse(field, 'an http or https address', value)
  if (!allows(new URL(value)))
    refuse(field, 'an address of a host that imputers may call (primo serve --imputer-hosts)', new URL(value).host)
}

function checkInputs(field: string, inputs: InputMap | undefined, context: Readonly<Record<string, Feature>>): void {
  if (typeof inputs !== 'object' || inputs === null || Object.keys(inputs).length === 0)
    refuse(field, 'a map from the model’s inputs to columns', inputs ?? null)
  for (const [name, columns] of Object.entries(inputs)) inputColumns(`${field}.${name}`, columns, context)
}

function checkLimits(field: string, limits: unknown): void {
  if (limits === undefined) return
  checkNumbers(`${field}.limits`, limits, LIMITS, ['cache', 'breaker'])
  const { cache, breaker } = limits as { cache?: unknown; breaker?: unknown }
  if (cache !== undefined) checkNumbers(`${field}.limits.cache`, cache, CACHE, [])
  if (breaker !== undefined) checkNumbers(`${field}.limits.breaker`, breaker, BREAKER, [])
}

function checkNumbers(
  field: string,
  given: unknown,
  least: Readonly<Record<string, number>>,
  others: readonly string[],
): void {
  if (typeof given !== 'object' || given === null) refuse(field, 'an object', given)
  for (const [name, value] of Object.entries(given)) {
    if (others.includes(name)) continue
    const low = least[name]
    if (low === undefined) refuseField(field, name, [...Object.keys(least), ...others])
    if (!Number.isSafeInteger(value) || (value as number) < low)
      refuse(`${field}.${name}`, `a whole number >= ${low}`, value)
  }
}

function refuseField(field: string, name: string, known: readonly string[]): never {
  throw new PrimoError('invalid-problem', unknownName(field, name, known), { field, name })
}
