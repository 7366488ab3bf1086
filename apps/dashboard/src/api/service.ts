// Asking the service. Where keys are configured the user pastes one; it stays in this tab.

import type { ProblemDetails } from '@primo/contract'

const KEY = 'primo-key'

export function storedKey(): string {
  return sessionStorage.getItem(KEY) ?? ''
}

export function storeKey(key: string): void {
  if (key === '') sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, key)
}

/** What the service refused, or that it did not answer. */
export class ServiceFailure extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** Whether the same call may go through later: no answer, half of one, or a fault of the service. */
    readonly passing = false,
  ) {
    super(message)
  }
}

export function headers(): Record<string, string> {
  const key = storedKey()
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const reply = await answer(path, { headers: headers(), ...(signal === undefined ? {} : { signal }) })
  try {
    return (await reply.json()) as T
  } catch (error) {
    if (signal?.aborted) throw error
    throw away()
  }
}

export async function getText(path: string): Promise<string> {
  return (await answer(path, { headers: headers() })).text()
}

export function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  return send('POST', path, body, signal)
}

export async function send<T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const reply = await answer(path, {
    method,
    headers: { ...headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return reply.json() as Promise<T>
}

/** Relative: the service may be under a path of a proxy. */
export function answer(path: string, init: RequestInit): Promise<Response> {
  return answered(`.${path}`, init)
}

/** The answer, or a ServiceFailure. */
export async function answered(address: string | URL, init: RequestInit): Promise<Response> {
  let reply: Response
  try {
    reply = await fetch(address, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw away()
  }
  if (reply.ok) return reply
  const details = (await reply.json().catch(() => null)) as ProblemDetails | null
  const detail = details?.detail ?? `the service answered ${reply.status}`
  throw new ServiceFailure(detail, details?.code ?? 'internal', reply.status >= 500)
}

function away(): ServiceFailure {
  return new ServiceFailure(
    'The service does not answer. Is it running? This page tries again by itself.',
    'away',
    true,
  )
}

export function problemPath(problem: string, rest = ''): string {
  return `/v1/problems/${encodeURIComponent(problem)}${rest}`
}
