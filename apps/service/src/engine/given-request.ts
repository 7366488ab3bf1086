// A request as it was given: what it says, and the bytes that say it, which the log keeps as they came.

import type { DecisionRequest } from '@primo/contract'

export interface GivenRequest {
  readonly request: DecisionRequest
  /** Its JSON, in UTF-8, is these bytes of a body. */
  readonly body: Uint8Array
  readonly start: number
  readonly end: number
}

/** A request whose own text is not at hand, or not as it should be: it is written anew. */
export function givenRequest(request: DecisionRequest, text: string = JSON.stringify(request)): GivenRequest {
  const body = Buffer.from(text)
  return { request, body, start: 0, end: body.length }
}
