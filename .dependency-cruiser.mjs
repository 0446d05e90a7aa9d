// The rule of imports, made from rooms.json: a room imports only from rooms of lower layers, and no file is part of a cycle.
import { readFileSync } from 'node:fs'

const { layers, page } = JSON.parse(readFileSync(new URL('./rooms.json', import.meta.url), 'utf8'))
const layersOfRooms = layers.map((layer) => Object.keys(layer))
const rooms = layersOfRooms.flat()

const folder = (names) => `^src/(${names.join('|')})/`
// Tests compose the whole service, so they may import anything.
const test = '(\\.test|/testing|/recordings|/[a-z-]+-testing)\\.ts$'

const downwards = layersOfRooms.flatMap((layer, index) =>
  layer.map((room) => ({
    name: `${room}-imports-lower-layers`,
    comment: `src/${room}/ may import only from: ${layersOfRooms.slice(0, index).flat().join(', ') || 'nothing'}.`,
    severity: 'error',
    from: { path: folder([room]), pathNot: test },
    to: { path: '^src/', pathNot: folder([room, ...layersOfRooms.slice(0, index).flat()]) },
  })),
)

export default {
  forbidden: [
    ...downwards,
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one file, or have a third one in common below both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every-room-is-on-the-map',
      comment: 'Add the folder to a layer of rooms.json.',
      severity: 'error',
      from: { path: '^src/', pathNot: `${folder([...rooms, 'cli'])}|^src/[^/]+$` },
      to: {},
    },
    {
      name: 'product-needs-no-tests',
      comment: 'Code of the product imports nothing of test/ or bench/.',
      severity: 'error',
      from: { path: '^src/', pathNot: test },
      to: { path: `^(test|bench)/|${test}` },
    },
    {
      name: 'the-page-imports-what-is-listed',
      comment: page.about,
      severity: 'error',
      from: { path: '^dashboard/src/' },
      to: { path: '^src/', pathNot: Object.keys(page).map((file) => `^${file.replaceAll('.', '\\.')}$`) },
    },
    {
      name: 'the-service-needs-no-simulator',
      comment: 'Only the demo, tests and benchmarks use simulator/.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/cli/demo/|${test}` },
      to: { path: '^simulator/' },
    },
  ],
  options: {
    // Reads type-only imports too: a cycle of types is a cycle for a reader.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^(src|simulator|test|bench|dashboard/src)/',
  },
}
