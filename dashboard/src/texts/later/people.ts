import { t } from '@lingui/core/macro'
import './messages.ts'
export const peopleTexts = {
  title: t`People`,
  intro: t`An invitation is a link that signs one person in, once. What they do is shown under their name.`,
  name: t`Name of the person`,
  invite: t`Invite`,
  inviting: t`Inviting …`,
  made: (name: string) => t`Here is the invitation for ${name}.`,
  madeAdvice: (until: string) => t`Send it to them: it is shown only once, and works once, until ${until}.`,
  none: t`Nobody was invited yet.`,
  unnamed: t`Somebody`,
  open: (made: string, until: string) => t`invited ${made}, open until ${until}`,
  signedIn: (when: string | null) => (when === null ? t`signed in` : t`signed in, last seen ${when}`),
  end: t`Remove`,
  endLabel: (name: string) => t`Remove ${name}`,
  endQuestion: t`Revoke the invitation and sign them out?`,
  endConfirm: t`Yes, remove them`,
}
