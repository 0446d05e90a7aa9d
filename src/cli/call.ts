import { readFileSync } from 'node:fs'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { readClientConfig } from './client-config.ts'
import { type Call, createConnection } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { environmentHelp, helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson } from './output.ts'

const help = `${environmentHelp}

For every call that no other command makes: /docs of the service lists them. The answer is printed as one line of JSON; an export and a stream of
events as they arrive. Paths of /api/admin/ are called with the admin key, as "wishwell admin" does.

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached; 5 out of credits, or
too many requests.

Examples:
  wishwell api get /api/v1/platforms
  wishwell api patch /api/v1/watches/5f0c… --data '{"state": "paused"}'
  wishwell api get '/api/v1/requests?topic=dark%20mode' | jq -r '.data.results[].title'`

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** `name: value` into the headers before it. */
function collectHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([\w-]+):\s*(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be "name: value".')
  return { ...before, [name]: value }
}

interface CallOptions {
  data?: string
  header?: Record<string, string>
}

/** `wishwell api`: any call of the API. */
export function apiCommand(): Command {
  return new Command('api')
    .description('make any call of the API: JSON in, JSON out')
    .addArgument(new Argument('<method>', 'get, post, put, patch or delete').argParser(parseMethod))
    .argument('<path>', 'such as /api/v1/usage, with its query')
    .option('--data <json>', 'the body; @FILE reads it from a file, - from stdin')
    .option('--header <name: value>', 'a header, such as "Idempotency-Key: 1"; may be repeated', collectHeader)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell api --help shows every option)')
    .action(callApi)
}

function parseMethod(text: string): (typeof methods)[number] {
  const method = methods.find((one) => one === text.toLowerCase())
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`)
  return method
}

/** @throws CommandError when it is no JSON, or cannot be read. */
function readBody(given: string): unknown {
  const file = given === '-' ? 0 : given.startsWith('@') ? given.slice(1) : null
  try {
    return JSON.parse(file === null ? given : readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`--data: ${(error as Error).message}`, exitCodes.usage)
  }
}

async function callApi(method: string, path: string, { data, header }: CallOptions): Promise<void> {
  exitWhenOutputCloses()
  if (!path.startsWith('/'))
    throw new CommandError('The path must begin with /, such as /api/v1/usage.', exitCodes.usage)
  const body = data === undefined ? {} : { body: readBody(data) }
  const call = { method: method.toUpperCase(), ...body, ...(header ? { headers: header } : {}) } as Call
  if (path.startsWith('/api/admin/')) {
    const { withOperator } = await import('./operator.ts')
    return printJson(await withOperator((operator) => operator.call(path, call as never)))
  }
  const connection = createConnection(readClientConfig(), 0)
  const { response, bytes } = await connection.openStream(path, call)
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  if (isJson || !response.ok) return printJson(await connection.readEnvelope(response))
  for await (const chunk of bytes) process.stdout.write(chunk)
}
