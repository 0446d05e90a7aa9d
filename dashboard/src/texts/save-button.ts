// Apart from those of views.ts: these are in the first load.

export const saveButtonTexts = {
  save: 'Save view',
  saveAsNew: 'Save as new',
  isKept: 'This list is a view already. Change its words, filters or order first.',
}
