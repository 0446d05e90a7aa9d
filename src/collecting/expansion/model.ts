import { ModelError } from '../../model/completion.ts'
import { createEndpoint, type EndpointDependencies, type ModelLog } from '../../model/endpoint.ts'
import { readSuggestions, suggestedTopic } from './model-answer.ts'
import { topicsQuestion } from './model-request.ts'

export interface Model {
  /**
   * Topics that the model suggests beside the query, validated like any text from outside.
   * @param phrases the only part of the cache that is sent.
   * @returns null when it gave no usable topic; the log has the reason.
   * @throws only when `signal` is aborted.
   */
  suggest(question: { query: string; phrases: readonly string[] }, signal: AbortSignal): Promise<string[] | null>
}

/** Requests topics from an OpenAI-compatible endpoint. After five failures of the endpoint in a row it is not called for a while. */
export function createModel({ log, ...dependencies }: EndpointDependencies & { log: ModelLog }): Model {
  const endpoint = createEndpoint(dependencies)
  return {
    suggest: async (question, signal) => {
      if (!endpoint.admits()) return null
      const readTopics = (body: unknown) => {
        const topics = readSuggestions(body)
          .map((suggestion) => suggestedTopic(suggestion, question.query))
          .filter((topic) => topic !== null)
        if (topics.length === 0) throw new ModelError('gave no usable topic')
        return topics
      }
      try {
        return await endpoint.complete(topicsQuestion(question), readTopics, signal)
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        log.warn({ reason: error.message }, 'the model gave no topics; they come from the cache')
        return null
      }
    },
  }
}
