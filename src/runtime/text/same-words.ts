import { stemInOneSpelling } from './spellings.ts'
import { wordsOf } from './words.ts'

// Words and short phrases that mean the same in the language of products. Each line is one thing, its forms are separated by bars. From
// our own knowledge: a form is listed only where hardly anybody means something else by it.

const abbreviations = `
2fa | two factor | 2 factor | two step verification | 2 step verification | two factor authentication | 2 factor authentication
mfa | multi factor | multi factor authentication
sso | single sign on
otp | one time password | one time code
rtl | right to left
ltr | left to right
i18n | internationalization
l10n | localization
a11y | accessibility
dnd | drag and drop
pwa | progressive web app
oauth | oauth2
k8s | kubernetes
db | database
ui | user interface
ux | user experience
gui | graphical user interface
cli | command line interface | command line tool
ci | continuous integration
js | javascript
ts | typescript
md | markdown
docs | documentation
repo | repository
config | configuration
prefs | preferences
env | environment
perf | performance
sync | synchronization | synchronize
async | asynchronous
auth | authentication
admin | administrator
notif | notification
info | information
msg | message
img | image
pic | picture
btn | button
bg | background
dir | directory
lang | language
pwd | password
tts | text to speech
stt | speech to text | voice to text
ocr | optical character recognition | text recognition
csv | comma separated values
regex | regexp | regular expression
wip | work in progress
faq | frequently asked questions
tos | terms of service
dm | direct message | private message
os | operating system
fs | file system
fps | frames per second
rbac | role based access control
e2ee | end to end encryption | e2e encryption
iap | in app purchase
ota | over the air
gdpr | general data protection regulation
llm | large language model
ml | machine learning
wysiwyg | rich text editor
pr | pull request
version control | vcs
lan | local network
pkg | package
param | parameter
arg | argument
attr | attribute
spec | specification
impl | implementation
vm | virtual machine
gpu | graphics card
`

const synonyms = `
dark mode | night mode | dark theme | night theme
light mode | light theme | white theme | day mode
keyboard shortcut | hot key | shortcut key | key binding
offline mode | offline support | offline use | work offline
sign in | log in | logon
sign up | register an account | create an account
sign out | log out | logoff
push notification | push message
recycle bin | trash can | trash bin
auto complete | auto completion | type ahead
spell check | spelling checker
progress bar | progress indicator
split screen | side by side view | split view
read only mode | view only mode
screen reader | voiceover | talkback
parental control | child lock | kid mode
bulk edit | batch edit | mass edit
bulk delete | batch delete | mass delete
bulk import | batch import
multi select | multiple selection
sub folder | nested folder
sub task | nested task
home page | start page
landscape mode | landscape orientation
undo and redo | undo redo
do not disturb | quiet hours | quiet mode
real time collaboration | collaborative editing | simultaneous editing | edit together | co editing
export everything | export all data | full export | full account export | account export | data takeout
time zone | tz
fast forward | skip ahead
slow motion | slow mo
slow mode | slowmode
`

/** What is asked for in different words, or complained about: it is searched, and does not make two wishes one. */
const asks = `
slow | slower | slowly | sluggish | laggy | lag | faster | fast | quicker | speed up | performance | perf
color blind | color vision deficiency | color alone
`
/** Beside words of speed these mean the same: elsewhere `start` and `launch` mean much. */
const beginnings = 'startup | start up | start | launch | boot'

/** Written as one word or as two. */
const compounds = `
  add-on auto-fill auto-save auto-update back-end back-up black-list book-mark change-log check-box check-list code-base copy-paste
  cross-platform dash-board data-base data-set drop-down e-mail end-point file-name file-system fire-wall front-end full-screen
  home-screen key-board local-host lock-screen log-file look-up mark-down mega-byte mouse-over multi-line multi-player name-space
  off-line on-boarding open-source pass-code pass-key pass-word play-back play-list plug-in pop-up real-time road-map run-time
  screen-shot scroll-bar set-up start-up short-cut side-bar slide-show source-map spread-sheet stand-alone status-bar sub-domain sub-folder
  sub-title task-bar text-box text-field thumb-nail time-out time-stamp time-zone tool-bar tool-tip touch-pad touch-screen type-script
  user-name wall-paper web-cam web-hook web-page web-site white-list white-space wi-fi wide-screen work-around work-flow work-space
  you-tube`

/** Why other words are searched too: a word and its abbreviation, other words for the same, or one word written as two. */
export const samenesses = ['abbreviation', 'synonym', 'spelling'] as const
export type Sameness = (typeof samenesses)[number]

interface Group {
  kind: Sameness
  /** Normalised, words with single spaces between them. */
  forms: readonly string[]
}

const groupOfLine = (kind: Sameness, line: string): Group => ({
  kind,
  forms: line.split(' | ').map((form) => wordsOf(form).join(' ')),
})
const linesOf = (text: string) => text.trim().split('\n')

const groups: Group[] = [
  ...linesOf(abbreviations).map((line) => groupOfLine('abbreviation', line)),
  ...linesOf(synonyms).map((line) => groupOfLine('synonym', line)),
  ...compounds
    .trim()
    .split(/\s+/)
    .map((word) => groupOfLine('spelling', word.replace('-', ' '))),
]

const stemsOf = (form: string) => form.split(' ').map(stemInOneSpelling).join(' ')
/** Two words written as one; null of others. */
const joinedForm = (form: string) => (form.split(' ').length === 2 ? form.replace(' ', '') : null)

interface Form {
  group: Group
  form: string
}

/** By the stems of a form, and of how it is written as one word: `dark modes` and `darkmode` are forms of `dark mode`. */
function formsOf(groups: readonly Group[]): Map<string, Form> {
  const found = new Map<string, Form>()
  for (const group of groups) {
    for (const form of group.forms) {
      for (const written of [form, joinedForm(form)]) {
        const key = written === null ? null : stemsOf(written)
        if (key !== null && !found.has(key)) found.set(key, { group, form })
      }
    }
  }
  return found
}
const formOf = formsOf([...linesOf(asks).map((line) => groupOfLine('synonym', line)), ...groups])
const besideSpeed = new Map([...formOf, ...formsOf([groupOfLine('synonym', beginnings)])])
const speed = [...formsOf([groupOfLine('synonym', linesOf(asks)[0]!)]).keys()]
const oneFormOf = formsOf(groups.filter(({ kind }) => kind !== 'spelling'))
const maxWords = Math.max(...groups.flatMap(({ forms }) => forms.map((form) => form.split(' ').length)))

/** Words of a text for which others may stand. */
export interface SameWords {
  /** As they are in the text, normalised, with single spaces between them. */
  words: string
  /** What means the same, likewise. */
  others: readonly string[]
  kind: Sameness
}

/** The other forms, without those that another one is a part of: what has them is found by that one. */
function othersOf({ group, form }: Form, stems: string): string[] {
  const others = [...new Set([form, joinedForm(form), ...group.forms])].filter(
    (other) => other !== null && stemsOf(other) !== stems,
  ) as string[]
  return others.filter((other) => !others.some((part) => part !== other && ` ${other} `.includes(` ${part} `)))
}

/** The most words from an index on that are a form; 0 for none. */
function lengthAt(stems: readonly string[], index: number, isForm: (stems: string) => boolean): number {
  let length = Math.min(maxWords, stems.length - index)
  while (length > 0 && !isForm(stems.slice(index, index + length).join(' '))) length -= 1
  return length
}

/** Where the parts of a name end that stand behind it, as normalisation writes `darkMode`: `darkmode dark mode`; `index` where it is no name. */
export function endOfParts(words: readonly string[], index: number): number {
  const name = words[index]!
  let [joined, end] = ['', index + 1]
  while (joined.length < name.length && end < words.length) joined += words[end++]
  return joined === name && end > index + 2 ? end : index
}

/** The form of a line that stands for all: a word rather than its abbreviation. */
const firstOf = ({ forms }: Group): string => (forms.at(-1)!.includes(' ') ? forms[0]! : forms.at(-1)!)

/** Words with one form for each abbreviation and synonym, but not in names: texts that mean the same have the same words. @param stem of a word */
export function inOneForm(words: readonly string[], stem: (word: string) => string = stemInOneSpelling): string[] {
  const stems = words.map(stem)
  const result: string[] = []
  for (let index = 0; index < words.length; ) {
    const end = endOfParts(words, index)
    const length = end > index ? 0 : lengthAt(stems, index, (form) => oneFormOf.has(form))
    const key = stems.slice(index, index + length).join(' ')
    const next = Math.max(index + 1, end, index + length)
    result.push(...(length > 0 ? firstOf(oneFormOf.get(key)!.group).split(' ') : words.slice(index, next)))
    index = next
  }
  return result
}

/**
 * The words of a text that have other forms, the longest first where they overlap. No word is in two of them.
 * @param words normalised, in their order, stop words too
 */
export function sameWordsOf(words: readonly string[]): SameWords[] {
  const stems = words.map(stemInOneSpelling)
  const isAboutSpeed = speed.some((form) => ` ${stems.join(' ')} `.includes(` ${form} `))
  const known = isAboutSpeed ? besideSpeed : formOf
  const found: SameWords[] = []
  for (let index = 0; index < words.length; ) {
    const length = lengthAt(stems, index, (key) => known.has(key))
    if (length > 0) {
      const key = stems.slice(index, index + length).join(' ')
      const others = othersOf(known.get(key)!, key)
      const { kind } = known.get(key)!.group
      if (others.length > 0) found.push({ words: words.slice(index, index + length).join(' '), others, kind })
    }
    index += Math.max(1, length)
  }
  return found
}
