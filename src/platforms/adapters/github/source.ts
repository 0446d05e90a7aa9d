import type { SourceKind } from '../../definition.ts'

const ownerForm = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/
const repositoryForm = /^(?!\.{1,2}$)[\w.-]{1,100}$/
/** First path segments at github.com that are no owners. */
const pagesOfGithub = new Set(
  `about apps collections contact customer-stories enterprise events explore features issues login marketplace new
  notifications orgs organizations pricing pulls search security settings site sponsors stars topics trending users`.split(
    /\s+/,
  ),
)

/** A repository, `owner/repository` in lower case: GitHub ignores case. */
export const githubSource: SourceKind = {
  form: 'owner/repository',
  example: 'obsidianmd/obsidian-api',
  normalise(text) {
    const trimmed = text.trim().toLowerCase()
    const path = trimmed
      .replace(/^git@github\.com:/, '')
      .replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//, '')
      .replace(/[?#].*$/, '')
    const isAddress = path !== trimmed
    const [owner = '', named = '', ...rest] = path.split('/').filter(Boolean)
    if (rest.length > 0 && !isAddress) return null
    if (isAddress && pagesOfGithub.has(owner)) return null
    const repository = named.replace(/\.git$/, '')
    return ownerForm.test(owner) && repositoryForm.test(repository) ? `${owner}/${repository}` : null
  },
}
