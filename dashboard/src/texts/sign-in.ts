export const signInTexts = {
  title: 'Sign in',
  intro: 'What people wish for, from public places, in one search.',
  key: 'API key',
  keyHint: 'It begins with ww_live_. The operator signs in with the admin key.',
  signIn: 'Sign in',
  signingIn: 'Signing in …',
  wrongKey: 'This key is not valid: mistyped, unknown or revoked.',
  linkIntro: 'You have followed a sign-in link. It works once.',
  signInWithLink: 'Sign in with this link',
  usedLink: 'This link was used already, or it is too old. Ask for another one, or sign in with an API key.',
  or: 'or',
  whereKeys:
    'No key? The service printed one at its first start. Whoever runs it makes a sign-in link with the command “npx wishwell admin accounts link”.',
}
