import { Type } from 'typebox'
import { definePlatform, itemsOf } from '../../definition.ts'

export const board = definePlatform({
  name: 'board',
  title: 'Boards',
  votes: 'as the board counts them',
  // Not one platform with known terms: whoever describes a board is responsible for it.
  isOpen: true,
  isOptIn: true,
  publicPages: { show: 'links' },
  hasIndependentHosts: true,
  variables: {
    BOARD_FILES: Type.Optional(
      Type.String({ description: 'comma list: the files that describe boards, searched round-robin, one page each' }),
    ),
  },
  required: ['BOARD_FILES'],
  create: async (dependencies, { BOARD_FILES: files }) => {
    const [{ readBoards }, { createBoards }] = await Promise.all([import('./files.ts'), import('./search.ts')])
    return createBoards({ ...dependencies, boards: await readBoards(itemsOf(files)) })
  },
})
