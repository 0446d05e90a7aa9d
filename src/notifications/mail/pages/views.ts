import { createHash } from 'node:crypto'
import { dark, font, light } from '../templates/look.ts'

/** What a page says: sentences of our own, and a button that posts to the page's own address. */
export interface PageView {
  title: string
  sentences: readonly string[]
  button?: { label: string; isQuiet?: boolean }
}

const style = `:root{color-scheme:light dark}
body{margin:0;background:${light.ground};color:${light.ink};${font}font-size:17px;line-height:26px}
main{box-sizing:border-box;max-width:480px;margin:0 auto;padding:12vh 20px 40px}
.brand{display:flex;align-items:center;gap:9px;margin:0 4px 16px;font-weight:700;font-size:16px}
.brand::before{content:"";width:12px;height:12px;background:${light.accent};border-radius:12px 12px 12px 3px}
.card{padding:28px;background:${light.raised};border:1px solid ${light.line};border-radius:12px}
h1{margin:0;font-size:22px;line-height:29px}
p{margin:12px 0 0}
button{margin-top:24px;padding:12px 22px;border:0;border-radius:8px;background:${light.accent};color:${light.onAccent};font-family:inherit;font-size:16px;line-height:20px;font-weight:600;cursor:pointer}
button.quiet{background:transparent;color:${light.ink};border:1px solid ${light.muted}}
button:focus-visible{outline:3px solid ${light.accent};outline-offset:2px}
@media (prefers-color-scheme:dark){body{background:${dark.ground};color:${dark.ink}}.card{background:${dark.raised};border-color:${dark.line}}.brand::before,button{background:${dark.accent}}button{color:${dark.onAccent}}button.quiet{background:transparent;color:${dark.ink};border-color:${dark.muted}}button:focus-visible{outline-color:${dark.accent}}}
@media (max-width:480px){main{padding-top:28px}.card{padding:22px 18px}}`

const styleHash = createHash('sha256').update(style).digest('base64')

/** Of every page here: nothing is loaded, stored, indexed or told to another site, and its address, which is a secret, goes nowhere. */
export const viewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
}

/** The page as HTML. Nothing of it comes from a caller or an account. */
export function renderView({ title, sentences, button }: PageView): string {
  const form =
    button === undefined
      ? ''
      : `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button${button.isQuiet ? ' class="quiet"' : ''}>${button.label}</button></form>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title} · Wishwell</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">Wishwell</p>
<div class="card">
<h1>${title}</h1>
${sentences.map((sentence) => `<p>${sentence}</p>`).join('\n')}
${form}
</div>
</main>
</body>
</html>
`
}

export const views = {
  confirm: {
    title: 'Confirm your address',
    sentences: ['Wishwell sends news to this address once you have confirmed it. Each mail has a link that ends them.'],
    button: { label: 'Confirm' },
  },
  confirmed: {
    title: 'Your address is confirmed',
    sentences: ['From now on you get the news that you asked for. You can close this page.'],
  },
  used: {
    title: 'This link was used',
    sentences: [
      'The mails to this address were ended afterwards. To get them again, add the address to Wishwell anew.',
    ],
  },
  unknown: {
    title: 'This link does not work',
    sentences: ['It has expired, or it is not complete. Links of confirmations work for 7 days.'],
  },
  unsubscribe: {
    title: 'No more mails?',
    sentences: ['Wishwell will send nothing more to this address for the account that these mails are of.'],
    button: { label: 'Unsubscribe' },
  },
  refuse: {
    title: 'Not you?',
    sentences: [
      'Somebody asked Wishwell to send news to your address. Nothing is sent unless you confirm, and we will not ask again soon.',
    ],
    button: { label: 'Do not ask me again' },
  },
  unsubscribed: {
    title: 'You are unsubscribed',
    sentences: ['Nothing more is sent to this address for this account. You can close this page.'],
  },
  tooMany: {
    title: 'Too many tries',
    sentences: ['Please wait a minute, then open the link again.'],
  },
  failed: {
    title: 'That did not work',
    sentences: ['Something went wrong on our side. Please open the link again in a few minutes.'],
  },
} as const satisfies Record<string, PageView>
