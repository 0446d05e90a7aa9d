import {
  isCreateTaskResultV2 as isCreateTaskResult,
  isDetailedTaskV2 as isTask,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { sendMcp } from './mcp-testing.ts'

let service: TestService
let release: () => void
beforeAll(async () => {
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const pages = numberedPages(2)
  // The second page waits until a test lets it go.
  const script = async (...given: Parameters<typeof pages>) => {
    if (given[1].cursor !== null) await held
    const page = await pages(...given)
    return page && { ...page, discarded: { offTopic: 3 } }
  }
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', script)) })
})
afterAll(() => service.stop())

const extension = 'io.modelcontextprotocol/tasks'
const prefix = 'io.modelcontextprotocol'

/** A call as the specification of 2026-07-28 has it, of a client that takes tasks, or does not. */
async function send(
  method: string,
  params: Record<string, unknown>,
  { takesTasks = true, apiKey = service.apiKey }: { takesTasks?: boolean; apiKey?: string } = {},
) {
  const capabilities = takesTasks ? { extensions: { [extension]: {} } } : {}
  const _meta = {
    [`${prefix}/protocolVersion`]: '2026-07-28',
    [`${prefix}/clientInfo`]: { name: 'a test', version: '1' },
    [`${prefix}/clientCapabilities`]: capabilities,
  }
  const answer = await sendMcp(
    service.url,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      authorization: `Bearer ${apiKey}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
  )
  return (await answer.json()) as { result: Record<string, unknown>; error?: { code: number; message: string } }
}

const collect = (options = {}) =>
  send(
    'tools/call',
    { name: 'collect', arguments: { topic: 'dark mode', platforms: ['github'], depth: 2, maxCredits: 2 } },
    options,
  )
const readTask = async (taskId: unknown) => (await send('tasks/get', { taskId })).result

describe('a client that takes tasks', () => {
  it('gets a collection as a task, which it polls and cancels', async () => {
    const { result } = await collect()
    expect(isCreateTaskResult(result), JSON.stringify(result)).toBe(true)
    const { taskId } = result
    const working = await readTask(taskId)
    expect([isTask(working), working.status]).toEqual([true, 'working'])
    await send('tasks/cancel', { taskId })
    const cancelled = await readTask(taskId)
    expect([isTask(cancelled), cancelled.status]).toEqual([true, 'cancelled'])
  })

  it('gets the outcome with the task', async () => {
    const { taskId } = (await collect()).result
    release()
    await expect.poll(async () => (await readTask(taskId)).status, { timeout: 10_000 }).toBe('completed')
    const task = await readTask(taskId)
    expect(isTask(task), JSON.stringify(task)).toBe(true)
    expect(task.result).toMatchObject({
      isError: false,
      structuredContent: { jobId: taskId, status: 'completed', leftOut: { github: { offTopic: 6 } } },
    })
  })

  it('finds no task of another account', async () => {
    const other = await service.createAccount()
    const { taskId } = (await collect({ apiKey: other.apiKey })).result
    const { error } = await send('tasks/get', { taskId })
    expect(error).toEqual({ code: -32_602, message: expect.stringMatching(/^NOT_FOUND: /) })
    expect((await send('tasks/cancel', { taskId })).error?.code).toBe(-32_602)
  })
})

it('a client that does not gets the job', async () => {
  const { result } = await collect({ takesTasks: false })
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { jobId: expect.any(String) } })
  expect(result.taskId).toBeUndefined()
})
