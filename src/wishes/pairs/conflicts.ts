import { stemOf } from '../../text/stem.ts'

/**
 * Words that exclude each other: titles that differ in them ask for different things, however alike they are otherwise. Each line is
 * a choice; its sides are separated by bars.
 */
const choices = [
  'android | ios iphone ipad ipod swift xcode | windows win32 uwp | linux ubuntu debian fedora | macos osx mac | blackberry tizen',
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
    for (const [choice, side] of sidesOf.get(stem) ?? []) sides.set(choice, (sides.get(choice) ?? new Set()).add(side))
  }
  return sides
}

const isNumber = (stem: string) => /\p{N}/u.test(stem)

/** Whether each title names a number or a version that the other does not. */
export function haveDifferentNumbers(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const isAlone = (title: ReadonlySet<string>) => (stem: string) => isNumber(stem) && !title.has(stem)
  return [...one].some(isAlone(other)) && [...other].some(isAlone(one))
}

/** Whether the titles take different sides of a choice: one is about Android, the other about iOS. */
export function areOpposed(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const ofOther = chosen(other)
  for (const [choice, sides] of chosen(one)) {
    const others = ofOther.get(choice)
    if (others !== undefined && [...sides].every((side) => !others.has(side))) return true
  }
  return false
}
