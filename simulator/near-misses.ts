import { canonicalText } from './query.ts'

/** How a search result relates to its topic. `closed`, `private` and `gone` have the topic's words; the others differ in how they do. */
export type NearMissKind =
  | 'otherOrder'
  | 'otherForm'
  | 'substring'
  | 'nearSpelling'
  | 'fewWords'
  | 'noise'
  | 'closed'
  | 'private'
  | 'gone'

export interface NearMiss {
  kind: NearMissKind
  text: string
}

type WrittenKind = 'otherOrder' | 'otherForm' | 'substring' | 'nearSpelling' | 'fewWords'
const writtenKinds: readonly WrittenKind[] = ['otherOrder', 'otherForm', 'substring', 'nearSpelling', 'fewWords']

/** Written by hand, one line a topic: the topic, then a text of each written kind. Only the first two are about the topic. */
const lines = `
dark mode | A mode that is dark | Dark modes for the reader | A darker modelling view | Dork mude for the panel | A mode for guests
csv export | Export of tables as CSV | Exporting CSV nightly | Csvkit with exporters | Cvs exprot of tables | Export of tables as text
offline sync | Sync while offline | Offline syncing of files | Offliner with async calls | Oflfine snyc | Offline maps
two factor login | Login with two factors | Two factor logins | Twofold factory loginpage | Tow facter logn | Login with a link
keyboard shortcuts | Shortcuts on the keyboard | A keyboard shortcut | Keyboardists and shortcutters | Keybord shortcats | A lit keyboard
email digest | A digest by email | Email digests | Webemail digestif | Emial digset | Email aliases
calendar view | A view of the calendar | Calendar views | Calendars2go viewport | Calender veiw | A view of the map
file upload | Upload of a file | File uploads | Profile uploader | Flie uplaod | A file per person
push notifications | Notifications that one can push | A push notification | Pushback notificationist | Psuh notfications | Push to the top
custom fields | Fields that are custom | A custom field | Customer fieldwork | Costum feilds | Custom colours
audio playback speed | Speed of audio playback | Audio playback speeds | Audiophile playbacks speedway | Adio playbak sped | Audio playback
automatic backup to an external disk | External disk for an automatic backup | Backups to external disks | Autobackup on diskettes | Autmatic bakcup | Automatic replies
C++ debugger | A debugger of C++ | C++ debuggers | C debuggerless | D++ debuger | A debugger of Ada
node.js client | A client on Node.js | Node.js clients | Nodes with clientless access | Nod.jz cleint | A client in Go
夜间模式 | 可以增加夜间模式吗 | 夜间模式很重要 | 夜间的模式 | 夜问模试 | 夜间
ダークテーマ | ぜひダークテーマを | ダークテーマがほしい | ダークに | ダーケテーム | テーマ
café finder | A finder of any cafe | Café finders | Cafeteria finderless | Cofé fimder | A finder of keys
spell checker | A checker of how we spell | Spell checkers | Spellbound checkered | Spel chekcer | Spell out numbers
voice messages | Messages by voice | A voice message | Invoice messagebox | Voise mesages | Voice control
time tracking | Tracking of time | Track times | Timely tracksuit | Tiem trackign | Time zones
`
const topics = lines
  .trim()
  .split('\n')
  .map((line) => line.split(' | '))

/** The topics that have near-misses. */
export const nearMissTopics: readonly string[] = topics.map(([topic]) => topic!)

/**
 * What the search of each platform returns besides what has the topic's words as they are. GitHub matches comments, Hacker News
 * near-spellings and authors, Discourse beginnings of words, Lemmy and GitLab substrings, and YouTube returns all comments.
 */
const returnedKinds: Record<string, readonly NearMissKind[]> = {
  github: ['otherOrder', 'otherForm', 'fewWords', 'noise', 'closed', 'private'],
  hackernews: ['otherOrder', 'otherForm', 'nearSpelling', 'noise', 'gone'],
  stackexchange: ['otherOrder', 'otherForm', 'fewWords', 'noise'],
  discourse: ['otherOrder', 'otherForm', 'substring', 'closed', 'gone'],
  lemmy: ['otherForm', 'substring', 'gone'],
  gitlab: ['otherOrder', 'substring', 'noise', 'closed', 'private'],
  reddit: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  x: ['otherOrder', 'otherForm', 'noise', 'private', 'gone'],
  bluesky: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  youtube: ['otherOrder', 'otherForm', 'substring', 'nearSpelling', 'fewWords', 'noise', 'private'],
}

const textOf = (kind: NearMissKind, words: readonly string[]): string => {
  const written = writtenKinds.indexOf(kind as WrittenKind)
  if (written !== -1) return words[written + 1]!
  return kind === 'noise' ? `Great work, thank you all (${nearMissTopics.indexOf(words[0]!)})` : `A ${kind} ${words[0]}`
}

/** What a platform returns for a topic besides its records; none for a topic that is not one of `nearMissTopics`. */
export function nearMissesOf(platform: string, topic: string): NearMiss[] {
  const words = topics.find(([one]) => canonicalText(one!) === canonicalText(topic))
  if (words === undefined) return []
  return (returnedKinds[platform] ?? []).map((kind) => ({ kind, text: textOf(kind, words) }))
}
