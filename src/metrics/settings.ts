import { type Static, Type } from 'typebox'
import type { Complain } from '../runtime/config-error.ts'

/** The environment variables of metrics and traces: part of the schema in `config.ts`, which alone reads them. */
export const metricsVariables = {
  METRICS: Type.Boolean({
    default: true,
    description: '`false` records no metrics: `/metrics` is then a 404',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        'a port of its own for `/metrics`, without a key, also of a process with `ROLE=worker`; 0 picks a free one; by default `/metrics` is only at `PORT`, with the admin key',
    }),
  ),
  METRICS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'the address of `METRICS_PORT`; choose one that only your monitoring reaches',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      description: 'the OpenTelemetry collector that traces are sent to by HTTP, such as `http://127.0.0.1:4318`',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({ description: 'headers for the collector, such as its key: `name=value`, separated by commas' }),
  ),
  OTEL_SERVICE_NAME: Type.String({
    minLength: 1,
    default: 'wishwell',
    description: 'the name of the service in traces',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'the share of calls and tasks that are traced, 0 to 1',
  }),
}

const schema = Type.Object(metricsVariables)

export type MetricsEnvironment = Static<typeof schema>

export interface TracesConfig {
  /** The address of the collector's traces. */
  url: string
  headers: Record<string, string>
  serviceName: string
  /** The share that is traced, 0 to 1. */
  ratio: number
}

export interface MetricsConfig {
  metrics: {
    isOn: boolean
    /** Where metrics are served without a key; null: only at the address of the service. */
    address: { host: string; port: number } | null
  }
  /** Null when nothing is traced. */
  traces: TracesConfig | null
}

/** The address of traces below that of a collector (OTLP specification, "Endpoint URLs for OTLP/HTTP"). Null for no valid address. */
function tracesUrl(endpoint: string): string | null {
  const url = URL.parse(endpoint)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/v1/traces`
}

/** The headers of `name=value,…`, with values in percent-encoding. Null for another form. */
function parseHeaders(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const item of text.split(',')) {
    const [, name, value] = /^\s*([\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(item) ?? []
    if (name === undefined || value === undefined) return null
    try {
      headers[name] = decodeURIComponent(value)
    } catch {
      return null
    }
  }
  return headers
}

function readTraces(environment: MetricsEnvironment, complain: Complain<MetricsEnvironment>): TracesConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: text } = environment
  if (endpoint === undefined) return null
  const url = tracesUrl(endpoint)
  const rule = 'must be an http or https address without a query, name or password, like http://127.0.0.1:4318.'
  if (url === null) return complain('OTEL_EXPORTER_OTLP_ENDPOINT', rule)
  const headers = text === undefined ? {} : parseHeaders(text)
  if (headers === null)
    return complain('OTEL_EXPORTER_OTLP_HEADERS', 'must be name=value, several separated by commas.')
  return { url, headers, serviceName: environment.OTEL_SERVICE_NAME, ratio: environment.OTEL_TRACES_SAMPLER_ARG }
}

/** Interprets the variables of metrics and traces. @param complain called with the first that is wrong. */
export function readMetricsConfig(
  environment: MetricsEnvironment,
  complain: Complain<MetricsEnvironment>,
): MetricsConfig {
  const { METRICS: isOn, METRICS_PORT: port, METRICS_HOST: host } = environment
  if (port !== undefined && !isOn) return complain('METRICS_PORT', 'needs METRICS=true.')
  return {
    metrics: { isOn, address: port === undefined ? null : { host, port } },
    traces: readTraces(environment, complain),
  }
}
