import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isCompiled } from '../../runtime/module-file.ts'

/** In the package, a copy beside this module; in a clone, the output of `npm run build:dashboard`, seen from .service/ or from the source. */
const places = isCompiled ? ['./page', '../../../../dashboard/dist'] : ['../../../dashboard/dist']
const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))

/** The directory of the built page. */
export const builtPage: string = paths.find((path) => existsSync(path)) ?? paths.at(-1)!
