// The version of Primo that runs: a policy says which one fitted it.

import { readFileSync } from 'node:fs'

const file = new URL('../../package.json', import.meta.url)

export const SOFTWARE: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
