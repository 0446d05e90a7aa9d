import { chooseLanguage, isLanguage, language, languages } from '../texts/locale.ts'
import { shellTexts as texts } from '../texts/shell.ts'

/** The language of the page, for this browser. */
export const LanguageChoice = () => (
  <select
    className="language-choice"
    aria-label={texts.language}
    value={language}
    onChange={({ currentTarget }) => isLanguage(currentTarget.value) && chooseLanguage(currentTarget.value)}
  >
    {Object.entries(languages).map(([code, name]) => (
      <option key={code} value={code} lang={code}>
        {name}
      </option>
    ))}
  </select>
)
