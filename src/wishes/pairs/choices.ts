import { stemOf } from '../../runtime/text/words.ts'

/** What software runs on. Several words are written as one: mobile web. */
const platforms =
  'android | ios iphone ipad ipod swift xcode | windows win winphone wp uwp | linux ubuntu debian fedora | macos osx mac | blackberry bb | tizen | mobileweb mweb mw'

/** Choices between sides whose words mean the same. */
const synonyms = [
  'improve improvement enhance enhancement better optimise optimize | remove delete uninstall drop',
  'update upgrade bump | downgrade',
  'disable disallow prevent forbid block deactivate | allow permit unblock',
  'show display unhide reveal | hide conceal',
  'bigger larger | smaller | fewer less',
  'light white bright | dark black night',
  'property attribute | method function | event callback',
  'monday | tuesday | wednesday | thursday | friday | saturday | sunday',
  'january jan | february feb | march mar | april apr | may | june jun | july jul | august aug | september sep | october oct | november nov | december dec',
]

/** Choices between sides whose words are only of one kind. */
const families = [
  'add create insert append attach | remove delete drop clear uninstall detach',
  'enable allow permit unblock unlock activate | disable disallow prevent forbid block lock deactivate',
  'import upload input | export download output',
  'open start begin launch | close stop end quit',
  'increase bigger larger more max maximum | decrease reduce smaller fewer less min minimum',
  'left | right',
  'top up above upper | bottom down below lower',
  'horizontal horizontally landscape | vertical vertically portrait',
  'encode encrypt compress zip | decode decrypt decompress unzip',
  'send push write save | receive pull read load',
  'before pre previous prev | after post next',
  'public | private',
  'first | last',
  'old | new',
  'chrome chromium | firefox | safari | edge | opera',
  'python | ruby | php | java | javascript | typescript | rust | golang | csharp | cplusplus | objectivec | swift | kotlin | perl | scala',
  'mysql mariadb | postgres postgresql | sqlite | oracle | mongodb mongo | redis',
]

/**
 * Words that exclude each other: titles that differ in them ask for different things, however alike they are otherwise. Each line is
 * a choice; its sides are separated by bars.
 */
const choices = [platforms, ...synonyms, ...families]

/** A choice and a side of it, as one number. */
export type Side = number
const maxSides = 100
const choiceOf = (side: Side) => Math.floor(side / maxSides)

/** Words whose stems are other words: window, HTTP, IO. */
const unstemmed = new Set(['windows', 'https', 'ios'])
/** The stem of a word of a title. */
export const titleStemOf = (word: string, stem: (word: string) => string = stemOf): string =>
  unstemmed.has(word) ? word : stem(word)

const sides = new Map<string, Side[]>()
for (const [choice, line] of choices.entries()) {
  for (const [side, words] of line.split(' | ').entries()) {
    for (const form of new Set(words.split(' ').map((word) => titleStemOf(word)))) {
      sides.set(form, [...(sides.get(form) ?? []), choice * maxSides + side])
    }
  }
}

const none: readonly Side[] = []
/** The sides that a stem takes; a version at its end does not count: `ios7`. */
export const sidesOf = (stem: string): readonly Side[] =>
  sides.get(stem) ?? (/\p{N}$/u.test(stem) ? sides.get(stem.replace(/\p{N}+$/u, '')) : undefined) ?? none

export const isOfPlatforms = (side: Side): boolean => choiceOf(side) === 0
/** Whether one word of a side says the same as another. */
export const hasSynonyms = (side: Side): boolean => choiceOf(side) <= synonyms.length

/** Whether each takes a side of a choice that the other does not: one is about Android, the other about iOS. */
export function areOpposed(one: ReadonlySet<Side>, other: ReadonlySet<Side>): boolean {
  const aloneIn = (some: ReadonlySet<Side>, others: ReadonlySet<Side>) =>
    [...some].filter((side) => !others.has(side)).map(choiceOf)
  const ofOther = new Set(aloneIn(other, one))
  return aloneIn(one, other).some((choice) => ofOther.has(choice))
}
