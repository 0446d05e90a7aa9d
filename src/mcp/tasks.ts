import {
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { Type } from 'typebox'
import { answerOf } from '../../client/client.ts'
import { taskOf } from './job.ts'
import { type Caller, toRefusal } from './tool.ts'

// The extension io.modelcontextprotocol/tasks (SEP-2663): a job is a task with the same id. Keeps no state.

const extension = 'io.modelcontextprotocol/tasks'

/** Whether the client accepts a task as an answer. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, { extensions?: object }> | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY]
  return Object.hasOwn(declared?.extensions ?? {}, extension)
}

/** Turns refusals, including tasks unknown to this key, into protocol errors. */
async function refusing<T>(call: Promise<T>, onError: Caller['onError']): Promise<T> {
  try {
    return await call
  } catch (thrown) {
    const error = toRefusal(thrown, onError)
    const code = error.code === 'NOT_FOUND' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, `${error.code}: ${error.message}`)
  }
}

const params = fromJsonSchema<{ taskId: string }>(Type.Object({ taskId: Type.String() }) as never)

/** Answers the extension's calls. Only for the specification of 2026-07-28: earlier tasks were another protocol. */
export function serveTasks({ server }: McpServer, { client, onError }: Caller): void {
  const of = (taskId: string) => ({ params: { path: { jobId: taskId } } })
  server.registerCapabilities({ extensions: { [extension]: {} } })
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }) =>
    refusing(
      answerOf(client.GET('/api/v1/scrape/{jobId}', of(taskId))).then(({ data }) => taskOf(data)),
      onError,
    ),
  )
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }) => {
    await refusing(answerOf(client.DELETE('/api/v1/scrape/{jobId}', of(taskId))), onError)
    return {}
  })
}
