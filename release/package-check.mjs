// Whether the tarballs of out/packages hold what their manifests promise, as publint and "Are the types wrong?" see it, for ESM.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Ways of importing that packages of ESM alone do not offer. */
const NOT_OFFERED = ['node10', 'node16-cjs']
/** What a package needs to be found and trusted. */
const FIELDS = ['description', 'keywords', 'license', 'engines', 'sideEffects', 'exports', 'files', 'publishConfig']

const packed = join(dirname(dirname(fileURLToPath(import.meta.url))), 'out/packages')
const complaints = []
const tarballs = readdirSync(packed)
for (const file of tarballs) {
  const tarball = new Uint8Array(readFileSync(join(packed, file)))
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  const { problems = [] } = await checkPackage(createPackageFromTarballData(tarball))
  complaints.push(
    ...FIELDS.filter((field) => pkg[field] === undefined).map((field) => `${pkg.name} has no ${field}`),
    ...messages.map((message) => `${pkg.name}: ${formatMessage(message, pkg)}`),
    ...problems
      .filter(({ resolutionKind }) => !NOT_OFFERED.includes(resolutionKind))
      .map((problem) => `${pkg.name}: ${JSON.stringify(problem)}`),
  )
}
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exit(1)
console.log(`${tarballs.length} packages hold what they promise`)
