import { i18n } from '@lingui/core'
import { firstMessages, language, locale } from './locale.ts'

// Every text comes through this module (`runtimeConfigModule` of lingui.config.ts), so none is read before its message is there.
i18n.loadAndActivate({ locale: language, locales: locale, messages: (await firstMessages).messages })
document.documentElement.lang = language

export { i18n }
