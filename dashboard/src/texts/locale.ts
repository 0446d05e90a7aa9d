// The language of the page, and the form of its dates and numbers. It is decided once, before the first text: another choice
// loads the page again.

/** The languages of the page, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const storageKey = 'wishwell.language'
export const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(languages, text)

/** What somebody chose in this browser; null when nothing was chosen, or nothing can be kept. */
function chosenLanguage(): Language | null {
  try {
    const kept = localStorage.getItem(storageKey)
    return isLanguage(kept) ? kept : null
  } catch {
    return null
  }
}

const languageOf = (locale: string) => locale.split('-')[0] ?? ''

export const language: Language =
  chosenLanguage() ?? navigator.languages.map(languageOf).find(isLanguage) ?? ('en' satisfies Language)

/** The language as this browser wants it: `en-GB` and `de-AT` write dates in their own way. */
export const locale: string = navigator.languages.find((one) => languageOf(one) === language) ?? language

/** Shows the page in another language from now on, in this browser. */
export function chooseLanguage(next: Language): void {
  try {
    localStorage.setItem(storageKey, next)
  } catch {
    // Without storage the browser's own language stays.
  }
  location.reload()
}

/** The messages of the first screen. Requested by the first script, so that they do not wait for the others. */
export const firstMessages = language === 'de' ? import('./messages/de/first.po') : import('./messages/en/first.po')

/** The messages of all other pages. */
export const laterMessages = () =>
  language === 'de' ? import('./messages/de/later.po') : import('./messages/en/later.po')
