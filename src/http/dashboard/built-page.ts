import { fileURLToPath } from 'node:url'
import { isCompiled } from '../../runtime/module-file.ts'

/** Output of `npm run build:dashboard`; the package has a copy next to this module. */
export const builtPage = fileURLToPath(new URL(isCompiled ? './page' : '../../../dashboard/dist', import.meta.url))
