import { stemOf } from '../../text/stem.ts'

/**
 * Words that exclude each other: titles that differ in them ask for different things, however alike they are otherwise. Each line is
 * a choice; its sides are separated by bars.
 */
const choices = [
  'android | ios iphone ipad ipod swift xcode | windows win winphone wp uwp | linux ubuntu debian fedora | macos osx mac | blackberry | tizen | mobileweb',
  'add create insert append attach | remove delete drop clear uninstall detach',
  'enable allow permit unblock unlock activate | disable disallow prevent forbid block lock deactivate',
  'show display unhide reveal | hide conceal',
  'import upload input | export download output',
  'open start begin launch | close stop end quit',
  'increase bigger larger more max maximum | decrease reduce smaller fewer less min minimum',
  'light white bright | dark black night',
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
  'python | ruby | php | java | javascript | typescript | rust | golang | csharp | swift | kotlin | perl | scala',
  'mysql mariadb | postgres postgresql | sqlite | oracle | mongodb mongo | redis',
  'monday | tuesday | wednesday | thursday | friday | saturday | sunday',
  'january jan | february feb | march mar | april apr | may | june jun | july jul | august aug | september sep | october oct | november nov | december dec',
]

/** Stem to its sides, each a choice and a side of it. */
const sidesOf = new Map<string, [number, number][]>()
for (const [choice, line] of choices.entries()) {
  for (const [side, words] of line.split(' | ').entries()) {
    for (const stem of new Set(words.split(' ').map(stemOf))) {
      sidesOf.set(stem, [...(sidesOf.get(stem) ?? []), [choice, side]])
    }
  }
}

/** The sides of each choice that a title names. */
function chosen(title: ReadonlySet<string>): Map<number, Set<number>> {
  const sides = new Map<number, Set<number>>()
  for (const stem of title) {
    // The version is compared as a number.
    for (const [choice, side] of sidesOf.get(stem) ?? sidesOf.get(stem.replace(/\p{N}+$/u, '')) ?? [])
      sides.set(choice, (sides.get(choice) ?? new Set()).add(side))
  }
  return sides
}

const isNumber = (stem: string) => /\p{N}/u.test(stem)

/** Whether each title names a number or a version that the other does not. */
export function haveDifferentNumbers(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const isAlone = (title: ReadonlySet<string>) => (stem: string) => isNumber(stem) && !title.has(stem)
  return [...one].some(isAlone(other)) && [...other].some(isAlone(one))
}

/** Whether each title takes a side of a choice that the other does not: one is about Android, the other about iOS. */
export function areOpposed(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const ofOther = chosen(other)
  for (const [choice, sides] of chosen(one)) {
    const others = ofOther.get(choice)
    if (others === undefined) continue
    if ([...sides].some((side) => !others.has(side)) && [...others].some((side) => !sides.has(side))) return true
  }
  return false
}

/** Words of titles that say that something is wanted, not what. */
const generic: ReadonlySet<string> = new Set(
  `ability able add added allow android app application better bug can change create enable enhancement expose feature fix
  functionality get give have idea implement implementation improve improvement include io ios issue like make missing need new
  option please possibility proposal provide request set setting should suggestion support update upgrade use user want way wish work
  would`
    .split(/\s+/)
    .map(stemOf),
)

/**
 * Whether each title has a telling word that the other lacks: as in "Rewrite the table view" and "Rewrite the list view", the
 * wishes may have the same form and be for different things.
 */
export function haveDifferentSubjects(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const isAlone = (title: ReadonlySet<string>) => {
    return (stem: string) => !title.has(stem) && !generic.has(stem) && !sidesOf.has(stem)
  }
  return [...one].some(isAlone(other)) && [...other].some(isAlone(one))
}
