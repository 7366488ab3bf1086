// Every error the service answers with: a stable code, its HTTP status and what it means. Bodies are RFC 9457
// application/problem+json. docs/errors.md has one row for each; a test keeps the two equal.

import type { ProblemDetails } from './problem-details.js'

interface ErrorRow {
  readonly status: number
  /** The cause, in a sentence. */
  readonly title: string
  /** The remedy, in a sentence. */
  readonly remedy: string
}

/** Every error of the service by its code: HTTP status, title, meaning and remedy. */
export const errors = {
  'invalid-request': {
    status: 400,
    title: 'The request does not have the form of this route.',
    remedy: 'Compare the body with the schema in /openapi.json; `detail` names the field.',
  },
  unauthorized: {
    status: 401,
    title: 'No key was given, or the service does not know it, or it has expired or was revoked.',
    remedy: 'Send `Authorization: Bearer KEY`; make a key with `primo keys add`.',
  },
  forbidden: {
    status: 403,
    title: 'The key belongs to a role that may not do this, or is for other problems.',
    remedy: 'Use a key of the role named in `detail`, or of the role admin, that is for this problem.',
  },
  'foreign-request': {
    status: 403,
    title: 'The request came under a name that is not known, or from a web page of another origin.',
    remedy: 'Call the service by a loopback name or from its own page, or start it with `--allow-host NAME`.',
  },
  'unknown-route': { status: 404, title: 'There is no such route.', remedy: 'See /openapi.json.' },
  'unknown-problem': {
    status: 404,
    title: 'No problem has this name.',
    remedy: 'Define it with PUT /v1/problems/{problem}.',
  },
  'unknown-decision': {
    status: 404,
    title: 'No decision of this problem has this decision id or event id.',
    remedy: 'Use the decisionId of the reply, or the eventId you sent.',
  },
  'unknown-policy': {
    status: 404,
    title: 'No snapshot of this problem has this version.',
    remedy: 'GET /v1/problems/{problem}/epochs lists the versions.',
  },
  'unknown-key': {
    status: 404,
    title: 'No key of the store has this name.',
    remedy: 'GET /v1/keys lists them; those of PRIMO_KEYS change with the configuration.',
  },
  'problem-changed': {
    status: 409,
    title: 'The change would invalidate what was learnt.',
    remedy: 'Undo the change, or send it with ?version=new to restart learning.',
  },
  'problem-active': {
    status: 409,
    title: 'Only a retired problem can be purged.',
    remedy: 'Retire it first: DELETE /v1/problems/{problem}.',
  },
  'key-conflict': {
    status: 409,
    title: 'The key cannot be made or changed in this way.',
    remedy: '`detail` says why; names are not used again, also after a key was revoked.',
  },
  'event-conflict': {
    status: 409,
    title: 'The event id was already used with another body.',
    remedy: 'Use a new eventId for a new decision; repeat the same body to get the same reply.',
  },
  'event-voided': {
    status: 409,
    title: 'The event id was voided before the decision arrived.',
    remedy: 'Use a new eventId for a new decision.',
  },
  'reward-conflict': {
    status: 409,
    title: 'A different reward was already reported under this decision or reward id.',
    remedy: 'With aggregate "first" the first reward stays; use another aggregate or a new rewardId.',
  },
  'reveal-conflict': {
    status: 409,
    title: 'The covariate is already known with another value.',
    remedy: 'The truth that was reported first stays.',
  },
  'round-closed': {
    status: 409,
    title: 'The decision is closed and can no longer be voided or activated.',
    remedy: 'Void a decision before its reward is final; activate it before it expires.',
  },
  'wrong-mode': {
    status: 409,
    title: 'The call does not fit the mode of the problem.',
    remedy: '`served` belongs to mode "shadow", where it is required.',
  },
  'policy-too-old': {
    status: 410,
    title:
      'The decision was made by a policy that has been replaced for too long, or of a problem that has changed since.',
    remedy: 'Fetch the policy more often; `uploads.maxAge` of the problem says how long older ones count.',
  },
  'verification-failed': {
    status: 422,
    title: 'The decision is not the one that its policy makes of its request.',
    remedy: '`detail` names the field; decide with the policy as it was fetched, and upload what it gave.',
  },
  'problem-retired': {
    status: 410,
    title: 'The problem was retired.',
    remedy: 'Its log can still be read; define a problem with another name.',
  },
  'subject-forgotten': {
    status: 410,
    title: 'The subject of the decision was forgotten.',
    remedy: 'What was recorded of it is gone; decide anew, with a new eventId.',
  },
  'too-large': {
    status: 413,
    title: 'The body, or what it asks for, is larger than the limit.',
    remedy: 'Send smaller batches; `detail` says how many fit.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The call does not say that its body is JSON.',
    remedy: 'Send `Content-Type: application/json` with every POST and PUT, also without a body.',
  },
  'invalid-problem': {
    status: 422,
    title: 'The definition of the problem is invalid.',
    remedy: '`detail` names the field, the rule and the value.',
  },
  'invalid-option': {
    status: 422,
    title: 'A learning option has an invalid value.',
    remedy: '`detail` names the option, the rule and the value.',
  },
  'missing-feature': {
    status: 422,
    title: 'A context feature is missing.',
    remedy: 'Only covariates may be missing; declare the feature as a covariate if it can be.',
  },
  'unknown-feature': {
    status: 422,
    title: 'The problem has no feature or covariate with this name.',
    remedy: 'Compare the name with GET /v1/problems/{problem}.',
  },
  'wrong-type': { status: 422, title: 'A value has the wrong type.', remedy: '`detail` names the field and the type.' },
  'out-of-range': {
    status: 422,
    title: 'A number is outside the declared range.',
    remedy:
      'Declare the range that can occur, or `"outside": "clip"` for the feature: such values are then clipped and ' +
      'counted.',
  },
  'unknown-level': {
    status: 422,
    title: 'A category has no such level.',
    remedy: 'Declare the level, or `other: true` to accept undeclared levels.',
  },
  'unknown-action': {
    status: 422,
    title: 'The problem has no such action.',
    remedy: 'Actions can be added with PUT /v1/problems/{problem}.',
  },
  'rate-limited': { status: 429, title: 'Too many requests.', remedy: 'Wait for the time given in Retry-After.' },
  'too-many-reads': {
    status: 429,
    title: 'Too many long reads (exports, evaluations, streams) run at once.',
    remedy: 'Wait until one has ended, or end one; `detail` says how many may run.',
  },
  internal: {
    status: 500,
    title: 'The service failed unexpectedly.',
    remedy: 'The log has the details under the request id of the reply.',
  },
  'store-damaged': {
    status: 503,
    title: 'What is stored of the problem is not what was written.',
    remedy:
      '`detail` says what is damaged; `primo verify STORE` says all of it, `primo repair STORE NEW` keeps what is ' +
      'whole.',
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot write the record now (disk full, file not writable, database unreachable).',
    remedy:
      'Send the same call again: with an eventId or rewardId it counts once. Nothing is half-written; if the ' +
      'connection to the database broke during a commit, the whole call may have been written.',
  },
  'shutting-down': { status: 503, title: 'The service is stopping.', remedy: 'Retry; another instance may answer.' },
  overloaded: { status: 503, title: 'The service cannot keep up.', remedy: 'Retry after a moment, with backoff.' },
} as const satisfies Readonly<Record<string, ErrorRow>>

/** The stable code of an error of the service. */
export type ServiceErrorCode = keyof typeof errors

/** All error codes of the service. */
export const errorCodes = Object.keys(errors) as ServiceErrorCode[]

/** Makes the body of an error. */
export function problemDetails(code: ServiceErrorCode, detail: string, instance?: string): ProblemDetails {
  const { status, title } = errors[code]
  return {
    type: `urn:primo:error:${code}`,
    title,
    status,
    code,
    detail,
    ...(instance === undefined ? {} : { instance }),
  }
}

/** Whether a text is an error code of the service. */
export function isErrorCode(code: unknown): code is ServiceErrorCode {
  return typeof code === 'string' && Object.hasOwn(errors, code)
}
