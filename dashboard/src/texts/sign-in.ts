import { t } from '@lingui/core/macro'
export const signInTexts = {
  title: t`Sign in`,
  intro: t`Find what people are asking for, across the public web.`,
  key: t`API key`,
  keyHint: t`It begins with ww_live_. The operator signs in with the admin key.`,
  signIn: t`Sign in`,
  signingIn: t`Signing in …`,
  wrongKey: t`This key is not valid: mistyped, unknown or revoked.`,
  linkIntro: t`You have followed a sign-in link. It works once.`,
  signInWithLink: t`Sign in with this link`,
  usedLink: t`This link was used already, or it is too old. Ask for another one, or sign in with an API key.`,
  or: t`or`,
  whereKeys: t`No key? The service printed one at its first start. Whoever runs it makes a sign-in link with the command “npx wishwell admin accounts link”.`,
}
