// The form of an error. Apart from the codes, which need no schema.

import Type, { type Static } from 'typebox'
import { errorCodes, type ServiceErrorCode } from './errors.js'

/** The body of an error (RFC 9457). */
export const ProblemDetails = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Unsafe<ServiceErrorCode>(Type.String({ enum: errorCodes })),
    detail: Type.String(),
    /** The request's id in the service's log. */
    instance: Type.Optional(Type.String()),
  },
  { description: 'An error as RFC 9457 problem details.' },
)
export type ProblemDetails = Static<typeof ProblemDetails>
