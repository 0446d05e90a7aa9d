import scalar from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'
import type { Plugin } from 'vite'

/**
 * How the reference is shown: with nothing from another site, and calls go to the address at which it was opened. The names are those of
 * https://github.com/scalar/scalar/blob/main/documentation/configuration.md.
 */
const configuration = `{
  url: '/openapi.json',
  servers: [{ url: location.origin }],
  authentication: { preferredSecurityScheme: 'apiKey' },
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}`

/** The script of Scalar, as its plugin for Fastify serves it: its package for the browser alone would install 230 others. */
async function readScalar(): Promise<string> {
  const app = fastify()
  await app.register(scalar, { configuration: { url: '/' } })
  const { statusCode, body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`Scalar's script was not found: ${statusCode}`)
  // The map is in neither the page nor the package.
  return body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '')
}

/** Makes `docs/reference.js`, the script of `/docs`. The service compresses it once. */
export const apiReference = (): Plugin => ({
  name: 'api-reference',
  apply: 'build',
  async generateBundle() {
    const source = `${await readScalar()}\nScalar.createApiReference('#reference', ${configuration})\n`
    this.emitFile({ type: 'asset', fileName: 'docs/reference.js', source })
  },
})
