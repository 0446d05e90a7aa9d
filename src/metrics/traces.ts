import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import type { App } from '../http/app-type.ts'
import { version } from '../runtime/version.ts'
import { operationOf, statusOf } from './http-calls.ts'
import { outcomeOf } from './outcomes.ts'
import type { TracesConfig } from './settings.ts'

/** What a span may say. Like labels, no value is a text of a caller, an account, a topic or an address. */
export type SpanAttributes = Partial<Record<'platform' | 'engine' | 'step' | 'outcome', string>>

/** Traces of calls and of the work of tasks, sent to a collector. */
export interface Traces {
  /** Runs work as a span: below the call or the work that it is a part of. A failure is in the span only by its code. */
  during<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>
  /** Has a span for each call of the app; before its routes are registered. */
  traceCalls(app: App): void
  /** Sends what is left, for a few seconds at most. */
  stop(): Promise<void>
}

const exportTimeoutMs = 5_000
/** Spans that wait to be sent; more are dropped, so a collector that is away costs little. */
const maxQueuedSpans = 2_048

async function loadSdk() {
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  return { ...api, ...sdk, ...exporter, ...resources }
}
type Sdk = Awaited<ReturnType<typeof loadSdk>>

function createProvider(sdk: Sdk, { url, headers, serviceName, ratio }: TracesConfig) {
  const exporter = new sdk.OTLPTraceExporter({ url, headers, timeoutMillis: exportTimeoutMs })
  const limits = { maxQueueSize: maxQueuedSpans, exportTimeoutMillis: exportTimeoutMs }
  return new sdk.TracerProvider({
    resource: sdk.resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...limits })],
  })
}

/**
 * Loads the SDK and begins to trace. A `traceparent` of a caller is not read: a caller must not decide what is traced. Platforms get none.
 */
export async function createTraces(config: TracesConfig): Promise<Traces> {
  const sdk = await loadSdk()
  const provider = createProvider(sdk, config)
  const tracer = provider.getTracer('wishwell')
  const active = new AsyncLocalStorage<Span>()

  const start = (name: string, kind: number, attributes: Record<string, string>): Span => {
    const parent = active.getStore()
    const context = parent === undefined ? sdk.ROOT_CONTEXT : sdk.trace.setSpan(sdk.ROOT_CONTEXT, parent)
    return tracer.startSpan(name, { kind, attributes }, context)
  }
  const fail = (span: Span) => span.setStatus({ code: sdk.SpanStatusCode.ERROR })

  return {
    during: async (name, attributes, work) => {
      const span = start(name, sdk.SpanKind.INTERNAL, attributes)
      try {
        return await active.run(span, work)
      } catch (error) {
        span.setAttribute('outcome', outcomeOf(error))
        fail(span)
        throw error
      } finally {
        span.end()
      }
    },
    traceCalls: (app) => {
      app.addHook('onRequest', (request, reply, done) => {
        const operation = operationOf(request)
        const span = start(operation, sdk.SpanKind.SERVER, { operation, 'http.request.method': request.method })
        // The same as in the log.
        span.setAttribute('request_id', request.id)
        reply.raw.once('close', () => {
          const status = statusOf(reply)
          span.setAttribute('http.response.status_code', status)
          if (status >= 500) fail(span)
          span.end()
        })
        active.run(span, done)
      })
    },
    stop: () => provider.shutdown(),
  }
}
