import { hasSeveralAccounts } from '../../accounts/accounts.ts'
import type { Database } from '../../database/open.ts'
import type { ServiceError } from '../../http/errors.ts'
import { invalidField } from '../../http/validation.ts'
import type { NamedSource } from '../../platforms/sources/named-sources.ts'
import type { SourcesPolicy } from '../../platforms/sources/settings.ts'
import type { ListedSources, SourceKinds } from '../../platforms/sources/source-kinds.ts'
import type { VerifySources } from '../../platforms/sources/verification.ts'

export interface JobSourcesDependencies {
  database: Database
  kinds: SourceKinds
  listed: ListedSources
  /** Undefined: `any` with one account, `listed` with several. */
  policy: SourcesPolicy | undefined
  verify: VerifySources
}

export interface JobSources {
  kinds: SourceKinds
  /** @returns why a job with these sources is refused; null if it may start */
  check(named: readonly NamedSource[]): Promise<ServiceError | null>
}

/** Listed sources named in a refusal. */
const namedInRefusal = 20

function notListed({ path, platform, source }: NamedSource, listed: ListedSources): ServiceError {
  const names = [...(listed.get(platform) ?? [])].slice(0, namedInRefusal)
  const allowed = names.length === 0 ? 'lists none' : `lists ${names.join(', ')}`
  return invalidField(
    path,
    `${source} is not listed: SOURCES=listed allows only sources of the operator, who ${allowed} for ${platform}`,
  )
}

export function createJobSources({ database, kinds, listed, policy, verify }: JobSourcesDependencies): JobSources {
  const isAnyAllowed = async () => (policy ?? ((await hasSeveralAccounts(database)) ? 'listed' : 'any')) === 'any'
  return {
    kinds,
    check: async (named) => {
      // The operator vouches for listed ones.
      const further = named.filter(({ platform, source }) => !listed.get(platform)?.has(source))
      const [first] = further
      if (first === undefined) return null
      return (await isAnyAllowed()) ? verify(further) : notListed(first, listed)
    },
  }
}
