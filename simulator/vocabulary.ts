import type { Random } from './random.ts'

/**
 * How people word a wish. Each generated record holds exactly one of these, chosen by its index modulo their number, so
 * that a search for one phrase finds its share and searches for all of them find every record once.
 */
export const requestPhrases = ['feature request', 'I wish', 'would be nice if', 'please add'] as const

/** Phrases that a client may search for although no generated record holds them: they narrow, they are not the topic. */
export const otherRequestPhrases = [
  'feature requests',
  'feature suggestion',
  'feature idea',
  'missing feature',
  'wish there was',
  'wish it had',
  'would be nice',
  'it would be nice',
  'would be great',
  'would love',
  'would like to see',
  'please support',
  'please implement',
  'please consider',
  'add support for',
  'need a way to',
  'should support',
  'enhancement request',
  'can you add',
] as const

export const products = [
  'Lanternfish',
  'Copperleaf',
  'Tidepool',
  'Marrowgate',
  'Quillbox',
  'Saltmarsh',
  'Brindle',
  'Thornbury Desk',
  'Pebblecast',
  'Oatfield',
  'Riverstone CRM',
  'Halfmoon Editor',
  'Driftwood Sync',
  'Cinderpath',
  'Foxglove Mail',
  'Granary',
  'Hollowpine',
  'Inkwell Studio',
  'Juniper Board',
  'Kestrel Monitor',
  'Larkspur Notes',
  'Millrace',
  'Nettle Forms',
  'Ostrich Queue',
] as const

export const roles = [
  'support agent',
  'translator',
  'teacher',
  'site reliability engineer',
  'bookkeeper',
  'designer',
  'release manager',
  'nurse',
  'warehouse lead',
  'data analyst',
  'volunteer moderator',
  'screen reader user',
] as const

export const wants = [
  'remember the last choice on each device',
  'work without a network connection',
  'be switched on for one workspace only',
  'follow the operating system setting',
  'be reachable with the keyboard alone',
  'export its settings as a file',
  'show who changed what and when',
  'run on a schedule',
  'be limited to administrators',
  'send a weekly summary',
  'accept more than one value',
  'undo the last ten steps',
  'survive a browser restart',
  'be scripted from the command line',
  'import what other tools export',
  'group similar entries together',
  'filter by date and owner',
  'handle right-to-left languages',
  'preview the result before saving',
  'respect the quiet hours',
] as const

export const struggles = [
  'lose about an hour a week because of this',
  'keep a spreadsheet beside the app just for this',
  'have to explain the same detour to every newcomer',
  'copy everything by hand and make mistakes doing it',
  'gave up and went back to paper',
  'wrote a small script that breaks with every release',
  'cannot take part without help from a colleague',
  'open three tabs to do what should be one click',
  'get complaints from customers every Monday',
  'postpone the work until someone else does it',
] as const

export const workarounds = [
  'we export and import everything twice a day',
  'we paste the values into a chat and back',
  'we use a browser extension that is no longer maintained',
  'we keep two accounts open side by side',
  'we ask the vendor to do it for us',
  'we take screenshots and compare them',
  'we edit the configuration file on the server',
  'we simply do without',
] as const

export const benefits = [
  'It would save a small team like ours a lot of time.',
  'Several of our clients ask for exactly this.',
  'Other tools of this kind have had it for years.',
  'I am happy to test an early version.',
  'Even a first version with one option helps.',
  'This is the only thing that keeps us from the paid plan.',
  'A setting that is off by default is fine with us.',
  'It matters most on small screens.',
] as const

export const labels = ['feature request', 'needs design', 'good first issue', 'ui', 'api', 'performance'] as const

const nameStarts = [
  'Ama',
  'Bo',
  'Cele',
  'Da',
  'Eli',
  'Fari',
  'Gus',
  'Hana',
  'Ina',
  'Jo',
  'Kofi',
  'Lumi',
  'Mira',
  'Noor',
]
const nameEnds = ['ra', 'lin', 'ndo', 'sha', 'tte', 'vik', 'wen', 'zo', 'mar', 'bel', 'dri', 'kas']
const familyNames = [
  "O'Fallow",
  'Brandt-Kaya',
  'Okonedo',
  'Petrescu',
  'Lindqvist',
  'Ferreyra',
  'Tanabe',
  'van Holt',
  'Mbeki',
]

/** An invented person; no real account is meant. */
export function inventAuthor(random: Random): { handle: string; name: string; id: number } {
  const first = random.pick(nameStarts) + random.pick(nameEnds)
  const id = random.integer(1_000, 9_999_999)
  return { handle: `${first.toLowerCase()}-${id % 10_000}`, name: `${first} ${random.pick(familyNames)}`, id }
}

/**
 * One sentence that holds the phrase and the topic, so that a search for both finds it. It is worded so that detection takes the
 * record for a likely request on every platform, also where it is the whole text: tests of the service count on that.
 */
export function openingSentence(phrase: (typeof requestPhrases)[number], topic: string, product: string): string {
  switch (phrase) {
    case 'feature request':
      return `Feature request: an option for ${topic} would be useful in the ${product} app`
    case 'I wish':
      return `I wish you could add a feature for ${topic} to the ${product} app, as an option`
    case 'would be nice if':
      return `It would be nice if the ${product} app had an option for ${topic}`
    case 'please add':
      return `Please add the ability to have ${topic} as an option in the ${product} app`
  }
}

/** A headline that holds the topic but none of the phrases. */
export function headline(random: Random, topic: string, product: string): string {
  const want = random.pick(wants)
  const role = random.pick(roles)
  const forms = [
    `${product}: support ${topic} that can ${want}`,
    `${product} needs ${topic} for every ${role}`,
    `Add an option for ${topic} to ${want}`,
    `Support for ${topic} in ${product}`,
    `As a ${role} I am missing an option for ${topic}`,
    `Better ${topic}: support for a way to ${want}`,
    `Option to make ${topic} ${want}`,
    `${product} should have an option for ${topic}, for a ${role}`,
  ]
  return random.pick(forms)
}
