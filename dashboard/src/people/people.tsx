import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SecretOnce } from '../account/secret-once.tsx'
import { api, dataOf, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { PersonLink } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, dateAndTime } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { peopleTexts as texts } from '../texts/later/people.ts'

/** Who comes in without a key: invites people by name, and ends what they came in with. */
export function PeoplePage() {
  const owner = useOwner()
  const queries = useQueryClient()
  const queryKey = [owner, 'links']
  const refresh = () => void queries.invalidateQueries({ queryKey })
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/links', { params: { query }, signal }))).results,
  })
  const invitation = useMutation({
    gcTime: 0,
    mutationFn: (personName: string) => dataOf(api.POST('/api/v1/links', { body: { personName } })),
    onSuccess: refresh,
  })
  const ending = useMutation({
    mutationFn: (linkId: string) => dataOf(api.DELETE('/api/v1/links/{linkId}', { params: { path: { linkId } } })),
    onSettled: refresh,
  })
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Invite invite={(name) => invitation.mutate(name)} isBusy={invitation.isPending} />
      {invitation.data && (
        <SecretOnce
          title={texts.made(invitation.data.personName ?? '')}
          advice={texts.madeAdvice(dateAndTime(invitation.data.expiresAt))}
          secret={invitation.data.url}
          onClose={invitation.reset}
        />
      )}
      {invitation.error !== null && <Problem error={invitation.error} />}
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      <ul className="shares">
        {data?.map((link) => (
          <Person
            key={link.linkId}
            link={link}
            isBusy={ending.isPending && ending.variables === link.linkId}
            end={() => ending.mutate(link.linkId)}
          />
        ))}
      </ul>
      {ending.error !== null && <Problem error={ending.error} />}
    </Page>
  )
}

function Invite({ invite, isBusy }: { invite: (name: string) => void; isBusy: boolean }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    invite(name.trim())
    setName('')
  }
  return (
    <form className="inline-form" onSubmit={submit}>
      <label htmlFor="person-name" className="unseen">
        {texts.name}
      </label>
      <input
        id="person-name"
        dir="auto"
        maxLength={100}
        value={name}
        placeholder={texts.name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? texts.inviting : texts.invite}
      </button>
    </form>
  )
}

const Person = ({ link, isBusy, end }: { link: PersonLink; isBusy: boolean; end: () => void }) => {
  const { personName, state, createdAt, expiresAt, lastUsedAt } = link
  const name = personName ?? texts.unnamed
  return (
    <li>
      <p>
        <strong dir="auto">{name}</strong>
      </p>
      <p className="note">
        {state === 'open'
          ? texts.open(ago(createdAt), dateAndTime(expiresAt))
          : texts.signedIn(lastUsedAt === null ? null : ago(lastUsedAt))}
      </p>
      <ConfirmButton
        label={texts.endLabel(name)}
        question={texts.endQuestion}
        confirm={texts.endConfirm}
        busy={isBusy}
        onConfirm={end}
      >
        {texts.end}
      </ConfirmButton>
    </li>
  )
}
