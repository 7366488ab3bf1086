// A request as it was given: what it says, and the bytes that say it, which the log keeps as they came.

import type { DecisionRequest } from '@primo/contract'
import { NumberRow } from '@primo/core/engine'

export type RequestFields = Omit<DecisionRequest, 'context'>

export interface GivenRequest {
  readonly context: DecisionRequest['context'] | NumberRow
  readonly fields: RequestFields
  /** Its JSON, in UTF-8, is these bytes of a body. */
  readonly body: Uint8Array
  readonly start: number
  readonly end: number
}

/** A request that was parsed; its text is written anew where it is not at hand. */
export function givenRequest(request: DecisionRequest, text: string = JSON.stringify(request)): GivenRequest {
  const body = Buffer.from(text)
  return { context: request.context, fields: request, body, start: 0, end: body.length }
}

export function requestOf({ context, fields }: GivenRequest): DecisionRequest {
  return { ...fields, context: context instanceof NumberRow ? context.toContext() : context }
}
