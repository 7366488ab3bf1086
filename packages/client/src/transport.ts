// One HTTP call: JSON in, JSON out, problem details as errors. What may be repeated is repeated with backoff.

import { isErrorCode, type ProblemDetails, type ServiceErrorCode } from '@primo/contract'

/** Address, key and patience of a client. */
export interface TransportOptions {
  /** Address of the service, for instance http://127.0.0.1:8642. */
  readonly url: string
  /** API key. */
  readonly key?: string
  /** Default: the global fetch. */
  readonly fetch?: typeof fetch
  /** Milliseconds of one try; default 10,000. */
  readonly timeout?: number
  /** Further tries of a call that is no report (`ReportOptions`) after a failure that may pass; default 6. */
  readonly retries?: number
  /** Milliseconds before the first further try; doubles up to 10 seconds, with jitter. Default 100. */
  readonly backoff?: number
}

/** The service refused the call, or could not be reached. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** A code of docs/errors.md; `unreachable`: no answer came. */
  readonly code: ServiceErrorCode | 'unreachable'
  /** HTTP status; 0: no answer. */
  readonly status: number
  /** Seconds the service asks to wait. */
  readonly retryAfter: number | null

  constructor(
    code: ServiceErrorCode | 'unreachable',
    message: string,
    status: number,
    retryAfter: number | null = null,
  ) {
    super(message)
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
  }

  /** Whether the same call may succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Further tries; default: those of the transport. */
  readonly retries?: number
  /** Called before each further try; throws to stop. */
  readonly beforeRetry?: (error: ClientError, wait: number) => void
}

export type Transport = <T>(path: string, options?: CallOptions) => Promise<T>

const LONGEST_WAIT = 10_000

export function createTransport(options: TransportOptions): Transport {
  const { key, timeout = 10_000, retries: standard = 6, backoff = 100 } = options
  const base = options.url.replace(/\/+$/, '')
  const send = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given))

  async function once<T>(path: string, { method = 'POST', body, signal }: CallOptions): Promise<T> {
    const json = body === undefined ? undefined : written(body)
    const limit = AbortSignal.timeout(timeout)
    let response: Response
    let text: string
    try {
      response = await send(`${base}${path}`, {
        method,
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(json === undefined ? {} : { body: json }),
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      text = await response.text()
    } catch (error) {
      throw new ClientError('unreachable', `no answer came: ${error instanceof Error ? error.message : error}`, 0)
    }
    const value = parsed(text)
    if (response.ok && value !== undefined) return value as T
    if (response.ok) throw new ClientError('unreachable', 'the answer was not JSON', 0)
    const details = value as Partial<ProblemDetails> | undefined
    const after = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new ClientError(
      isErrorCode(details?.code) ? details.code : 'internal',
      details?.detail ?? `the service answered ${response.status}`,
      response.status,
      Number.isFinite(after) ? after : null,
    )
  }

  return async (path, call = {}) => {
    const { retries = standard, signal, beforeRetry } = call
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(path, call)
      } catch (error) {
        const failure = error as ClientError
        if (attempt >= retries || !failure.passing || signal?.aborted) throw failure
        const grown = Math.min(LONGEST_WAIT, backoff * 2 ** attempt) * (0.5 + Math.random() / 2)
        const wait = Math.max(grown, Math.min(LONGEST_WAIT, (failure.retryAfter ?? 0) * 1000))
        beforeRetry?.(failure, wait)
        await pause(wait, signal)
      }
    }
  }
}

/** The same body would not get better by waiting. */
function written(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw new ClientError('invalid-request', `the body must be what JSON can say: ${(error as Error).message}`, 400)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}
