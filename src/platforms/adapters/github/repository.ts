import { asFields, asString, type Fields } from '../../content/fields.ts'
import type { SourceKind } from '../../definition.ts'
import { PlatformError } from '../../platform.ts'
import type { GithubApi } from './api.ts'

const ownerForm = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/
const repositoryForm = /^(?!\.{1,2}$)[\w.-]{1,100}$/
/** The first part of addresses at github.com that are no repositories. */
const pagesOfGithub = new Set(
  `about apps collections contact customer-stories enterprise events explore features issues login marketplace new
  notifications orgs organizations pricing pulls search security settings site sponsors stars topics trending users`.split(
    /\s+/,
  ),
)

/** A repository: `owner/repository` in lower case, because GitHub does not distinguish case. */
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

/** Whether a repository, as REST or GraphQL describes it, is one that everybody may read. */
export function isPublicRepository(repository: Fields | null): boolean {
  const isPrivate = repository?.private ?? repository?.isPrivate
  const visibility = asString(repository?.visibility) ?? 'public'
  return isPrivate === false && visibility.toLowerCase() === 'public'
}

/**
 * Which of these repositories everybody can read now. One request for all with a token (GraphQL), without one a request for each.
 * A repository about which GitHub cannot answer now is not among them.
 * @param repositories as `owner/repository`, each once.
 */
export async function findPublicRepositories(
  api: GithubApi,
  repositories: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (repositories.length === 0) return new Set()
  try {
    const found = api.hasToken
      ? await queryRepositories(api, repositories, signal)
      : await readRepositories(api, repositories, signal)
    return new Set(repositories.filter((_, index) => isPublicRepository(found[index] ?? null)))
  } catch (error) {
    if (!(error instanceof PlatformError) || signal.aborted) throw error
    return new Set()
  }
}

/** GraphQL follows the new name of a repository (`followRenames`). `__typename` is there also when no repository can be read. */
async function queryRepositories(api: GithubApi, repositories: readonly string[], signal: AbortSignal) {
  const fields = repositories.map((repository, index) => {
    const [owner, name] = repository.split('/')
    const named = `owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}`
    return `r${index}: repository(${named}) { isPrivate visibility }`
  })
  const { data } = await api.query(`query { __typename ${fields.join('\n')} }`, {}, signal)
  return repositories.map((_, index) => asFields(data[`r${index}`]))
}

async function readRepositories(api: GithubApi, repositories: readonly string[], signal: AbortSignal) {
  const found: Array<Fields | null> = []
  for (const repository of repositories) {
    const { status, body } = await api.read(`/repos/${repository}`, signal)
    found.push(status === 200 ? asFields(body) : null)
  }
  return found
}
