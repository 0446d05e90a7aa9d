import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, AnswerForm } from './answers.ts'
import type { Behaviours } from './behaviour.ts'
import type { Corpus, CorpusRecord } from './corpus.ts'
import type { Announcement, LimitRule, LimitState, Wait } from './limits.ts'

/** A request of a client to one platform. */
export interface SearchRequest {
  /** Below the platform's prefix, without the version prefix that the real base address may have. */
  path: string
  method: 'GET' | 'POST'
  parameters: URLSearchParams
  /** Of a POST request; empty for a GET. */
  body: string
  headers: IncomingHttpHeaders
  /** The platform's base address here, for the absolute links in its answers. */
  baseUrl: string
}

export interface SearchContext {
  corpus: Corpus
  limit: LimitState
  /** Epoch milliseconds by the simulator's clock, for tokens that expire. */
  now: number
  /** Returns pull requests also to a search for issues, so that the client's own check can be tested. */
  leakPullRequests: boolean
  /** Returns private records also to a search for public ones, so that the client's own check can be tested. */
  leakPrivate: boolean
  /** Seconds that a body asks the client to pause; only Stack Exchange has such a field. */
  backoffSeconds: number | null
  /** Where the real platforms are not known. */
  behaviours: Behaviours
}

export interface AnnouncedWait extends Wait {
  /** What is left of it, at least one. */
  seconds: number
}

/** Everything that is specific to one platform. The server contains nothing of it. */
export interface SimulatedPlatform {
  /**
   * The environment variables that make a service use this simulated platform.
   * @param url its base address here
   */
  environment(url: string): Record<string, string>
  /** True for requests that are no search, such as one for an access token: they are neither limited nor counted as a page. */
  isAside?(request: SearchRequest): boolean
  /** Where the real base address has this path; a client may or may not repeat it. */
  versionPrefix?: RegExp
  /** True where bodies are gzip also when the client did not ask for it. */
  alwaysCompressed?: boolean
  /** Refuses a request without a User-Agent, where the platform cares. */
  refuseMissingUserAgent?(): Answer
  /** The credential that a request carries, or null for an anonymous one. */
  credential(request: SearchRequest): string | null
  limit(request: SearchRequest): LimitRule
  announces: Announcement
  /** The minimum pause of a polite client when no wait is announced; a minute unless given. */
  decentPauseMs?: number
  /** Counted from 1. */
  page(request: SearchRequest): number
  /** Every match in the requested order, as far as a client can page. */
  find(parameters: URLSearchParams, corpus: Corpus): readonly CorpusRecord[]
  search(request: SearchRequest, context: SearchContext): Answer
  refuse(wait: AnnouncedWait, state: LimitState): Answer
  /**
   * A true answer that says, in the platform's own form, that there is more, whatever there is: where cursors are opaque, by the
   * one of the request.
   * @param before the true answer to the page before; null for a first page
   */
  sayMore(answer: Answer, request: SearchRequest, before: Answer | null): Answer
  /** A request as a platform reads it that ignores its instant, or its order newest first; see `newest` in `behaviour.ts`. */
  ignoring: Readonly<Record<'since' | 'order', (request: SearchRequest) => SearchRequest>>
  /** What faults answer; `wrongShape` is a 200 with the right names around the wrong things. */
  answers: Readonly<Record<'unauthorized' | 'serverError' | 'wrongShape', AnswerForm>>
  /** The parameters of a plain search for a topic, without paging. */
  plainSearch(topic: string): Record<string, string>
  sourceId(record: CorpusRecord): string
  sourceUrl(record: CorpusRecord, parameters: URLSearchParams): string
}
