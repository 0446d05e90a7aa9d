import { negotiate } from '@fastify/accept-negotiator'
import type { RequestStatus } from '../../database/column-types.ts'
import type { Mark } from '../../wishes/marks/marks.ts'

// Every text of the page, one object per language. The types require that all languages have the same texts.

function formatsOf(locale: string) {
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const months = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' })
  const number = (value: number) => numbers.format(value)
  return {
    number,
    counted: (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`,
    date: (moment: string | Date) => days.format(new Date(moment)),
    month: (moment: string) => months.format(new Date(moment)),
  }
}

const { number, date, month, ...formats } = formatsOf('en-GB')
const counted = (count: number, one: string, many = `${one}s`) => formats.counted(count, one, many)

const statuses: Record<RequestStatus, string> = {
  open: 'open',
  planned: 'planned',
  in_progress: 'in progress',
  completed: 'completed',
  declined: 'declined',
  duplicate: 'duplicate',
  closed: 'closed',
}

const marks: Record<Mark, string> = {
  planned: 'Marked as planned',
  done: 'Marked as done',
  ignored: 'Marked as ignored',
}

const english = {
  language: 'en',
  date,
  votes: (count: number) => counted(count, 'vote'),
  stars: (stars: number) => `${stars} of 5 stars`,
  votesOf: (count: number, what: string) => `${counted(count, 'vote')} (${what})`,
  requests: (count: number) => counted(count, 'request'),
  voices: (count: number) => counted(count, 'voice'),
  status: (status: RequestStatus) => statuses[status],
  withoutStatus: 'without a status',
  mark: (mark: Mark) => marks[mark],
  note: 'Note',
  asked: (first: string, last: string) => `First asked for on ${date(first)}, last on ${date(last)}.`,
  posted: (growth: { days7: number; days30: number }) =>
    `${counted(growth.days7, 'new request')} in 7 days, ${number(growth.days30)} in 30.`,
  topic: 'Topic',
  search: (query: string) => `Wishes about “${query}”`,
  list: 'Wishes',
  mostWanted: 'Most wanted',
  noWishes: 'No wish matches at the moment.',
  inPart: (requests: number, isExact: boolean) =>
    `${counted(requests, 'request')}${isExact ? '' : ' or more'} with some of the words, but not all, ${requests === 1 ? 'is' : 'are'} not listed.`,
  timeline: (from: string, to: string, most: number) =>
    `When they were posted, from ${month(from)} to ${month(to)}: at most ${counted(most, 'request')} in one bar.`,
  untitled: (platforms: string) => `A wish on ${platforms}`,
  onlyLinks: (platform: string) => `Only links are shown for ${platform}.`,
  post: (at: number) => `Post ${number(at)}`,
  source: (platform: string) => `Open on ${platform}`,
  terms: (platform: string) => `Terms of ${platform}`,
  titleFrom: 'Title from',
  unknownAuthor: 'unknown author',
  beginning: '(the beginning of the text)',
  mostVoted: (shown: number) => `The ${number(shown)} most voted requests are shown.`,
  firstWishes: (shown: number) => `The first ${number(shown)} wishes are shown; there are more.`,
  made: 'Shared with Wishwell, to read only. Texts belong to their authors.',
  until: (expires: Date) => `This address works until ${date(expires)}, unless it is revoked before.`,
  removal: 'To have a post removed or get a copy:',
  unknown: {
    title: 'There is nothing at this address',
    sentence: 'The link is not complete, has expired or was revoked, or what it showed is gone.',
  },
  tooMany: { title: 'Too many tries', sentence: 'Please wait a minute, then open the address again.' },
  failed: {
    title: 'That did not work',
    sentence: 'Something went wrong on our side. Please open the address again in a few minutes.',
  },
}

export type Texts = typeof english

const de = formatsOf('de')

const germanVotes: Readonly<Record<string, string>> = {
  likes: 'Likes',
  'votes of the voting plugin, else likes': 'Stimmen des Abstimmungs-Plugins, sonst Likes',
  'thumbs-up reactions, upvotes of discussions': 'Reaktionen mit Daumen hoch, Zustimmungen zu Diskussionen',
  'thumbs-up reactions': 'Reaktionen mit Daumen hoch',
  'points; comments have none': 'Punkte; Kommentare haben keine',
  'score, up less down': 'Wertung: Zustimmungen abzüglich Ablehnungen',
  'people who want it': 'Personen, die es wollen',
  'as the board counts them': 'wie das Board sie zählt',
  'none: a feed has no votes': 'keine: ein Feed hat keine Stimmen',
  'none: a review has stars, no votes': 'keine: eine Rezension hat Sterne, keine Stimmen',
}

const germanStatuses: Record<RequestStatus, string> = {
  open: 'offen',
  planned: 'geplant',
  in_progress: 'in Arbeit',
  completed: 'abgeschlossen',
  declined: 'abgelehnt',
  duplicate: 'Duplikat',
  closed: 'geschlossen',
}

const germanMarks: Record<Mark, string> = {
  planned: 'Als geplant markiert',
  done: 'Als erledigt markiert',
  ignored: 'Als ignoriert markiert',
}

const germanCounts = {
  votes: (count: number) => de.counted(count, 'Stimme', 'Stimmen'),
  requests: (count: number) => de.counted(count, 'Anfrage', 'Anfragen'),
  voices: (count: number) => de.counted(count, 'Person', 'Personen'),
}

const german: Texts = {
  ...germanCounts,
  language: 'de',
  date: de.date,
  stars: (stars) => `${stars} von 5 Sternen`,
  votesOf: (count, what) => `${germanCounts.votes(count)} (${germanVotes[what] ?? what})`,
  status: (status) => germanStatuses[status],
  withoutStatus: 'ohne Status',
  mark: (mark) => germanMarks[mark],
  note: 'Notiz',
  asked: (first, last) => `Zuerst angefragt am ${de.date(first)}, zuletzt am ${de.date(last)}.`,
  posted: ({ days7, days30 }) =>
    `${de.counted(days7, 'neue Anfrage', 'neue Anfragen')} in 7 Tagen, ${de.number(days30)} in 30.`,
  topic: 'Thema',
  search: (query) => `Wünsche zu „${query}“`,
  list: 'Wünsche',
  mostWanted: 'Am meisten gewünscht',
  noWishes: 'Zurzeit passt kein Wunsch dazu.',
  inPart: (requests, isExact) =>
    `Nicht aufgeführt: ${germanCounts.requests(requests)}${isExact ? '' : ' oder mehr'} mit nur einem Teil der Wörter.`,
  timeline: (from, to, most) =>
    `Wann sie verfasst wurden, von ${de.month(from)} bis ${de.month(to)}: höchstens ${germanCounts.requests(most)} in einem Balken.`,
  untitled: (platforms) => `Ein Wunsch auf ${platforms}`,
  onlyLinks: (platform) => `Von ${platform} werden nur Links gezeigt.`,
  post: (at) => `Beitrag ${de.number(at)}`,
  source: (platform) => `Auf ${platform} öffnen`,
  terms: (platform) => `Nutzungsbedingungen von ${platform}`,
  titleFrom: 'Titel von',
  unknownAuthor: 'Unbekannt',
  beginning: '(Anfang des Textes)',
  mostVoted: (shown) => `Gezeigt werden die ${de.number(shown)} Anfragen mit den meisten Stimmen.`,
  firstWishes: (shown) => `Gezeigt werden die ersten ${de.number(shown)} Wünsche; es gibt weitere.`,
  made: 'Mit Wishwell geteilt, nur zum Lesen. Die Texte gehören ihren Autoren.',
  until: (expires) => `Diese Adresse gilt bis ${de.date(expires)}, sofern sie nicht vorher widerrufen wird.`,
  removal: 'Um einen Beitrag entfernen zu lassen oder eine Kopie zu erhalten:',
  unknown: {
    title: 'Unter dieser Adresse ist nichts',
    sentence:
      'Der Link ist unvollständig, abgelaufen oder widerrufen, oder das, was hier zu sehen war, gibt es nicht mehr.',
  },
  tooMany: {
    title: 'Zu viele Versuche',
    sentence: 'Bitte warten Sie eine Minute und öffnen Sie die Adresse dann erneut.',
  },
  failed: {
    title: 'Das hat nicht geklappt',
    sentence: 'Bei uns ist ein Fehler aufgetreten. Bitte öffnen Sie die Adresse in einigen Minuten noch einmal.',
  },
}

/** The texts in the reader's preferred language (`de-AT` is German), else in English. */
export const textsFor = (acceptLanguage: string | undefined): Texts =>
  negotiate((acceptLanguage ?? '').toLowerCase().replace(/-[\w-]+/g, ''), ['en', 'de']) === 'de' ? german : english
