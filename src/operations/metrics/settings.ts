import { type Static, type TObject, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'

/** The environment variables of metrics, part of the schema in `config.ts`, which alone reads them. */
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
}

type MetricsEnvironment = Static<TObject<typeof metricsVariables>>

export interface MetricsConfig {
  metrics: {
    isOn: boolean
    /** Serves metrics without a key; null: only at the service's address. */
    address: { host: string; port: number } | null
  }
}

/** Validates the variables of metrics. @param complain called with the first error */
export function readMetricsConfig(
  environment: MetricsEnvironment,
  complain: Complain<MetricsEnvironment>,
): MetricsConfig {
  const { METRICS: isOn, METRICS_PORT: port, METRICS_HOST: host } = environment
  if (port !== undefined && !isOn) return complain('METRICS_PORT', 'needs METRICS=true.')
  return { metrics: { isOn, address: port === undefined ? null : { host, port } } }
}
