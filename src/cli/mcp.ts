import { createClient } from '../../client/client.ts'
import { answerOf, createApi } from './api.ts'
import { clientCommand } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { exitWhenOutputCloses } from './output.ts'

const notes = `It is started by an agent, and speaks the Model Context Protocol with it on standard input and output. A service offers the same at
/mcp, by streamable HTTP, for which nothing needs to be installed.`

/** `wishwell mcp`: an agent's tools, on a service. */
export const mcpCommand = () =>
  clientCommand('mcp', 'give an agent the tools of the Model Context Protocol (standard input and output)', {
    notes,
  }).action(async () => {
    const config = readClientConfig()
    const { scope } = (await answerOf(createApi(config).GET('/api/v1/usage'))).data
    const [{ serveOnStdio }, { createMcpServer }] = await Promise.all([
      import('../mcp/stdio.ts'),
      import('../mcp/server.ts'),
    ])
    exitWhenOutputCloses()
    const client = createClient(config)
    // Standard output belongs to the protocol.
    const onError = (error: unknown) => console.error(error)
    serveOnStdio(({ era }) => createMcpServer({ client, scope, onError }, era))
  })
