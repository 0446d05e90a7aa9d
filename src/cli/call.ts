import { once } from 'node:events'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { clientCommand } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { type Connection, createConnection } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { readInput } from './input-file.ts'
import { isAdminPath } from './options.ts'
import { exitWhenOutputCloses } from './output.ts'

const help = {
  notes: `For every call that no other command makes: /docs of the service lists them. The answer is printed as it arrives. Paths of
/api/admin/ are called with the admin key, as "wishwell admin" does; --key is the admin key then.`,
  limited: 'out of credits, or too many requests',
  examples: `  wishwell api get /api/v1/platforms
  wishwell api patch /api/v1/watches/5f0c… --data '{"state": "paused"}'
  wishwell api get '/api/v1/requests?topic=dark%20mode' | jq -r '.data.results[].title'`,
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const ownHeaders = ['authorization', 'content-type']

function collectHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([\w-]+):\s*([\x20-\x7e]+)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be "name: value", in ASCII.')
  const lower = name.toLowerCase()
  if (ownHeaders.includes(lower)) throw new InvalidArgumentError(`The command sends ${lower} itself.`)
  return { ...before, [lower]: value }
}

interface CallOptions {
  data?: string
  header?: Record<string, string>
}

/** `wishwell api`: any call of the API. */
export function apiCommand(): Command {
  return clientCommand('api', 'make any call of the API: JSON in, JSON out', help)
    .addArgument(new Argument('<method>', 'get, post, put, patch or delete').argParser(parseMethod))
    .argument('<path>', 'such as /api/v1/usage, with its query')
    .option('--data <json>', 'the body; @FILE reads it from a file, - from stdin')
    .option('--header <name: value>', 'a header, such as "Idempotency-Key: 1"; may be repeated', collectHeader)
    .action(callApi)
}

function parseMethod(text: string): (typeof methods)[number] {
  const method = methods.find((one) => one === text.toUpperCase())
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${methods.join(', ').toLowerCase()}.`)
  return method
}

/** @throws CommandError if it is no JSON, or unreadable. */
function readBody(given: string): unknown {
  const file = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : null
  const usageError = (what: string) => new CommandError(`--data: ${what}`, exitCodes.usage)
  const text = file === null ? given : readInput(file, '--data').toString()
  try {
    return JSON.parse(text)
  } catch {
    throw usageError('it is not JSON.')
  }
}

async function callApi(method: (typeof methods)[number], path: string, options: CallOptions): Promise<void> {
  exitWhenOutputCloses()
  const { data, header: headers = {} } = options
  if (!path.startsWith('/'))
    throw new CommandError('The path must begin with /, such as /api/v1/usage.', exitCodes.usage)
  if (data !== undefined && method === 'GET') throw new CommandError('GET has no --data.', exitCodes.usage)
  const body = data === undefined ? undefined : readBody(data)
  const send = async (url: string, connection: Connection) => {
    const request = new Request(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await connection.stream(request)
    // As it arrives, no faster than it is read.
    for await (const chunk of answer.body ?? []) if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  }
  if (isAdminPath(path)) {
    const { withOperator } = await import('./operator.ts')
    return withOperator(({ url, connection }) => send(url, connection))
  }
  const config = readClientConfig()
  await send(config.url, createConnection(config, 0))
}
