import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

/** Two catalogues of a language: the first screen waits for the smaller one only. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [
    { path: '<rootDir>/src/texts/messages/{locale}/first', include: ['<rootDir>/src/texts/*.ts'] },
    { path: '<rootDir>/src/texts/messages/{locale}/later', include: ['<rootDir>/src/texts/later/*.ts'] },
  ],
  format: formatter({ origins: false, printPlaceholdersInComments: false }),
  orderBy: 'message',
  runtimeConfigModule: ['<rootDir>/src/texts/language.ts', 'i18n'],
})
