// Where traces go, and what is said of this service there: settings of ours, and the variables of OpenTelemetry.

import { randomUUID } from 'node:crypto'

type Environment = Readonly<Record<string, string | undefined>>

export interface OtlpSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
}

/** `address`: of a collector, or of its route for traces. */
export function otlpSettings(address: string, version: string, environment: Environment): OtlpSettings {
  const url = new URL(address)
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  const { OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES } =
    environment
  return {
    url: url.href,
    headers: pairs(OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? OTEL_EXPORTER_OTLP_HEADERS),
    resource: {
      'service.name': 'primo',
      'service.instance.id': randomUUID(),
      ...pairs(OTEL_RESOURCE_ATTRIBUTES),
      ...(OTEL_SERVICE_NAME ? { 'service.name': OTEL_SERVICE_NAME } : {}),
      'service.version': version,
    },
  }
}

/** NAME=VALUE entries separated by commas; values are percent-encoded. */
function pairs(text = ''): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((entry) => {
      const [name = '', ...value] = entry.split('=')
      return name.trim() === '' ? [] : [[name.trim(), decoded(value.join('=').trim())]]
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
