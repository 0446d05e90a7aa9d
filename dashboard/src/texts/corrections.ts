/** Long titles would hide the undo. */
const short = (title: string | null) => {
  const characters = [...(title ?? '')]
  if (characters.length === 0) return 'another wish'
  return `“${characters.length > 60 ? `${characters.slice(0, 60).join('')} …` : characters.join('')}”`
}

export const correctionTexts = {
  label: 'What was corrected',
  by: (name: string | null) => (name === null ? 'by you' : `by ${name}`),
  merged: (title: string | null, by: string) => `Merged with ${short(title)} ${by}.`,
  tookOut: (title: string | null, by: string) => `${title === null ? 'A request' : short(title)} was split off ${by}.`,
  splitOff: (by: string) => `Split off ${by} from`,
  formerly: 'another wish',
  notTheSame: (by: string) => `Said ${by} to be not the same as`,
  undo: { merge: 'Separate', split: 'Undo', part: 'Undo' },
  undoLabel: { merge: 'Separate the merged wishes', split: 'Undo the split', part: 'Undo “not the same”' },
  undone: { merge: 'They are two wishes again.', split: 'It is one wish again.', part: 'Undone.' },
}
