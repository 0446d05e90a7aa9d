import { fileURLToPath } from 'node:url'
import { getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { lingui } from '@lingui/vite-plugin'
import babel from '@rolldown/plugin-babel'
import type { Plugin } from 'vite'

const configPath = fileURLToPath(new URL('lingui.config.ts', import.meta.url))

/** The English catalogues are what `src/texts/` says: they are written before each build, and not committed. */
const englishMessages = (): Plugin => ({
  name: 'english-messages',
  async buildStart() {
    for (const catalog of await getCatalogs(getConfig({ configPath }))) {
      await catalog.make({ locale: ['en'], clean: true, overwrite: true, orderBy: 'message' })
    }
  },
})

/** Turns the texts of `src/texts/` into messages of catalogues. A message that a language lacks fails the build. */
export const messages = () => [
  englishMessages(),
  babel({
    include: /\/src\/texts\/.*\.ts$/,
    plugins: [['@lingui/babel-plugin-lingui-macro', { linguiConfig: getConfig({ configPath }) }]],
  }),
  lingui({ configPath, failOnMissing: true, failOnCompileError: true }),
]
